import type { Store } from "../store/home.js";
import { MEMOS } from "../store/sqlite/memo-statements.js";

export type MemoKind = "memo" | "now" | "random" | "uuid";

/** What names a value within one visit. */
export interface MemoKey {
  readonly threadId: string;
  readonly visit: string;
  readonly kind: MemoKind;
  /** `""` for the unnamed one of its kind. */
  readonly name: string;
}

export interface MemoRow {
  /** Canonical JSON, and its hash. */
  readonly args: string;
  readonly argsHash: string;
  /** By the checkpointer's codec. */
  readonly value: string;
}

interface Raw {
  readonly args: string;
  readonly args_hash: string;
  readonly value: string;
}

/** The values that visits of one tenant have taken. */
export class MemoTable {
  constructor(private readonly store: Store) {}

  find(key: MemoKey): MemoRow | undefined {
    const raw = this.store.database.get<Raw>(MEMOS.find, ...this.address(key));
    return raw && { args: raw.args, argsHash: raw.args_hash, value: raw.value };
  }

  /**
   * Writes a value down unless there is one already; the one that stands is returned. Not synced by itself: the intent of
   * an effect and the row of a question, which come after it, carry it to disk.
   */
  record(key: MemoKey, row: MemoRow): MemoRow {
    const { database, clock } = this.store;
    return database.transaction(() => {
      database.run(MEMOS.insert, ...this.address(key), row.args, row.argsHash, row.value, clock.now());
      return this.find(key) ?? row;
    });
  }

  private address({ threadId, visit, kind, name }: MemoKey): readonly string[] {
    return [this.store.tenant, threadId, visit, kind, name];
  }
}
