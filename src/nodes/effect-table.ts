import { randomUUID } from "node:crypto";
import { hashOf } from "../shared/canonical.js";
import type { Store } from "../store/home.js";
import type { SqliteDatabase } from "../store/sqlite/database.js";
import { ATTEMPTS, CONFLICTS, EFFECTS, LATCHES } from "../store/sqlite/ledger-statements.js";
import {
  fromRaw,
  type AttemptOutcome,
  type AttemptRow,
  type EffectId,
  type EffectRow,
  type EffectState,
  type Latch,
} from "./effect-row.js";
import { LedgerUnavailableError, type RecordedError } from "./errors.js";
import { leaseOn } from "./lease.js";
import { self } from "./owner.js";

/** What is to be attempted, and by whom. */
export interface Intent {
  readonly id: EffectId;
  readonly name: string;
  readonly key: string;
  readonly args: string;
  readonly argsHash: string;
  readonly threadId: string;
  readonly visit: string;
  readonly toolCallId: string | undefined;
  readonly approvalId: string | undefined;
}

/** Where a further attempt stands. */
export interface Turn {
  readonly round: number;
  readonly tries: number;
}

/** How an attempt, or an effect, came out. */
export interface Settlement {
  readonly state: Exclude<EffectState, "STARTED">;
  readonly result?: string | undefined;
  readonly error?: RecordedError | undefined;
  readonly evidence?: string | undefined;
  readonly dueAt?: number | undefined;
  /** What the newest attempt's log entry says, if it is still open. */
  readonly attempt?: AttemptOutcome;
  /** The thread that is held up while the outcome is unknown. */
  readonly latch?: Omit<Latch, "since" | "releasedAt" | "releasedBy"> | undefined;
}

function unavailable(cause: unknown, { id, name, key, threadId }: Pick<EffectRow, "id" | "name" | "key" | "threadId">) {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new LedgerUnavailableError(
    `The ledger could not be written for effect "${name}" with key "${key}": ${why}. What was not written is as it was; ` +
      `mend the store and run again.`,
    { cause, details: { effectId: id, key, threadId } },
  );
}

/** The same effect has the same id in every process. */
export function effectId(tenant: string, name: string, key: string): EffectId {
  return `eff_${hashOf(JSON.stringify([tenant, name, key])).slice(0, 32)}`;
}

/** The effects of one tenant. Every move is conditional on version and fence; a lost race returns false or undefined. */
export class EffectTable {
  private readonly database: SqliteDatabase;

  constructor(private readonly store: Store) {
    this.database = store.database;
  }

  find(id: EffectId): EffectRow | undefined {
    const raw = this.database.get<Record<string, string>>(EFFECTS.byId, this.store.tenant, id);
    return raw && fromRaw<EffectRow>(raw);
  }

  /** In STARTED or UNKNOWN. */
  open(threadId?: string): EffectRow[] {
    return this.select(EFFECTS.open, EFFECTS.openOfThread, threadId);
  }

  all(threadId?: string): EffectRow[] {
    return this.select(EFFECTS.all, EFFECTS.allOfThread, threadId);
  }

  attempts(id: EffectId): AttemptRow[] {
    return this.database.all<Record<string, string>>(ATTEMPTS.of, id).map((raw) => fromRaw<AttemptRow>(raw));
  }

  /** How many moves lost a race or came with a stale fence, in this database. */
  conflicts(): number {
    return this.database.get<{ value: number }>(CONFLICTS.read)?.value ?? 0;
  }

  /** Whether a visit made an attempt at the effect. */
  wasTriedBy(visit: string, row: EffectRow): boolean {
    return row.visit === visit || this.attempts(row.id).some((attempt) => attempt.visit === visit);
  }

  /** The refusal that a visit got, which may be older than the row's. */
  refusalOf(visit: string, row: EffectRow): RecordedError | undefined {
    if (row.visit === visit) return row.error;
    return this.attempts(row.id).findLast((attempt) => attempt.visit === visit)?.error ?? row.error;
  }

  /**
   * Writes the intent, synced to disk, for a first attempt (`from` undefined) or a further one. `check` runs just before
   * in the same transaction and refuses by throwing. Undefined when somebody else was first.
   *
   * @throws LedgerUnavailableError, and what `check` throws
   */
  start(intent: Intent, turn: Turn, from: EffectRow | undefined, check: () => void): EffectRow | undefined {
    const lease = leaseOn(this.store);
    const { toolCallId = null, approvalId = null } = intent;
    const token = randomUUID();
    const now = this.store.clock.now();
    const fields = { ...intent, toolCallId, approvalId, tenant: this.store.tenant, owner: self.instance, token, now };
    let refused: unknown;
    const write = (): EffectRow | undefined => {
      try {
        check();
      } catch (error) {
        refused = error;
        throw error;
      }
      if (this.write(fields, turn, from) === 0) {
        this.database.run(CONFLICTS.count);
        return undefined;
      }
      this.database.run(ATTEMPTS.add, intent.id);
      lease.renewWithin();
      return this.find(intent.id);
    };
    try {
      return this.database.transaction(write, { durable: true });
    } catch (error) {
      lease.forget();
      throw refused === undefined ? unavailable(error, intent) : error;
    }
  }

  /**
   * Moves the effect on from `from`; false when it has moved meanwhile.
   *
   * @throws LedgerUnavailableError
   */
  settle(from: EffectRow, settlement: Settlement): boolean {
    const { state, result = null, error, evidence = null, dueAt = null, attempt, latch } = settlement;
    const { id, version, fence } = from;
    const now = this.store.clock.now();
    const recorded = error === undefined ? null : JSON.stringify(error);
    const write = (): boolean => {
      const move = { id, version, fence, state, result, error: recorded, evidence, dueAt, now };
      if (this.database.run(EFFECTS.settle, move).changes === 0) {
        this.database.run(CONFLICTS.count);
        return false;
      }
      if (attempt !== undefined) this.end(from, attempt, recorded, evidence, now);
      if (from.state === "UNKNOWN" && state !== "UNKNOWN") this.release(id, "ledger", `the effect is ${state}`);
      if (latch !== undefined) this.latch(latch);
      return true;
    };
    try {
      return this.database.transaction(write);
    } catch (error) {
      throw unavailable(error, from);
    }
  }

  /** Adds to what is known of an attempt without moving the effect. */
  note({ id, attempt }: EffectRow, evidence: string): void {
    this.database.run(ATTEMPTS.addEvidence, { id, number: attempt, evidence });
  }

  /** Keeps what an attempt brought after it had been given up. */
  late({ id, attempt }: EffectRow, late: string): void {
    this.database.run(ATTEMPTS.late, { id, number: attempt, late });
  }

  latch({ threadId, matter, effectId, code, message }: Omit<Latch, "since" | "releasedAt" | "releasedBy">): void {
    const now = this.store.clock.now();
    this.database.run(LATCHES.set, { tenant: this.store.tenant, threadId, matter, effectId, code, message, now });
  }

  /** False when nothing was held up by it. */
  release(matter: string, by: string, evidence: string): boolean {
    const now = this.store.clock.now();
    return this.database.run(LATCHES.release, { tenant: this.store.tenant, matter, by, evidence, now }).changes > 0;
  }

  /** The oldest open matter of a thread that is not the effect's own. */
  latchOn(threadId: string, effectId: EffectId): Latch | undefined {
    const raw = this.database.get<Record<string, string>>(LATCHES.first, this.store.tenant, threadId, effectId);
    return raw && fromRaw<Latch>(raw);
  }

  findLatch(matter: string): Latch | undefined {
    const raw = this.database.get<Record<string, string>>(LATCHES.find, this.store.tenant, matter);
    return raw && fromRaw<Latch>(raw);
  }

  private write(fields: Record<string, unknown>, turn: Turn, from: EffectRow | undefined): number {
    if (from === undefined) return this.database.run(EFFECTS.insert, fields).changes;
    const { version, fence } = from;
    const roundSince = turn.round === from.round ? from.roundSince : fields.now;
    const changes = this.database.run(EFFECTS.restart, { ...fields, ...turn, version, fence, roundSince }).changes;
    if (changes === 0) return 0;
    if (from.state === "STARTED") this.end(from, "abandoned", null, null, fields.now as number);
    if (from.state === "UNKNOWN") this.release(from.id, "ledger", "the effect is carried out again");
    return changes;
  }

  private end(
    { id, attempt: number }: EffectRow,
    outcome: AttemptOutcome,
    error: string | null,
    evidence: string | null,
    now: number,
  ): void {
    this.database.run(ATTEMPTS.end, { id, number, outcome, error, evidence, now });
  }

  private select(everywhere: string, ofThread: string, threadId: string | undefined): EffectRow[] {
    const { tenant } = this.store;
    const raws =
      threadId === undefined
        ? this.database.all<Record<string, string>>(everywhere, tenant)
        : this.database.all<Record<string, string>>(ofThread, tenant, threadId);
    return raws.map((raw) => fromRaw<EffectRow>(raw));
  }
}
