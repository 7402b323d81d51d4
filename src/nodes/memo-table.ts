import type { Store } from "../store/home.js";
import { SealedRow } from "../store/sealed-columns.js";
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
    const found = this.store.database.get<Raw>(MEMOS.find, ...this.address(key));
    const raw = found && this.sealed(key).open(found);
    return raw && { args: raw.args, argsHash: raw.args_hash, value: raw.value };
  }

  /**
   * Writes a value down unless there is one already; the one that stands is returned. Not synced by itself: the intent of
   * an effect and the row of a question, which come after it, carry it to disk.
   */
  record(key: MemoKey, row: MemoRow): MemoRow {
    const { database, clock } = this.store;
    return database.transaction(() => {
      const sealed = this.sealed(key);
      const args = sealed.seal("args", row.args);
      const argsHash = sealed.seal("args_hash", row.argsHash);
      database.run(MEMOS.insert, ...this.address(key), args, argsHash, sealed.seal("value", row.value), clock.now());
      return this.find(key) ?? row;
    });
  }

  private sealed({ threadId, visit, kind, name }: MemoKey): SealedRow<"memo"> {
    return new SealedRow(this.store, "memo", [threadId, visit, kind, name]);
  }

  private address({ threadId, visit, kind, name }: MemoKey): readonly string[] {
    return [this.store.tenant, threadId, visit, kind, name];
  }
}
