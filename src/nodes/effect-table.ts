import { randomUUID } from "node:crypto";
import type { Store } from "../store/home.js";
import { SealedRow } from "../store/sealed-columns.js";
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
import { followUndo } from "./undo-row.js";

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

type RawEffect = Record<string, string> & { readonly id: string };
type RawAttempt = Record<string, string | number> & { readonly number: number };
type RawLatch = Record<string, string> & { readonly matter: string };

/** The effects of one tenant. Every move is conditional on version and fence; a lost race returns false or undefined. */
export class EffectTable {
  private readonly database: SqliteDatabase;

  constructor(private readonly store: Store) {
    this.database = store.database;
  }

  find(id: EffectId): EffectRow | undefined {
    const raw = this.database.get<RawEffect>(EFFECTS.byId, this.store.tenant, id);
    return raw && this.effectOf(raw);
  }

  /** In STARTED or UNKNOWN. */
  open(threadId?: string): EffectRow[] {
    return this.select(EFFECTS.open, EFFECTS.openOfThread, threadId);
  }

  all(threadId?: string): EffectRow[] {
    return this.select(EFFECTS.all, EFFECTS.allOfThread, threadId);
  }

  attempts(id: EffectId): AttemptRow[] {
    return this.database
      .all<RawAttempt>(ATTEMPTS.of, id)
      .map((raw) => fromRaw<AttemptRow>(this.attempt(id, raw.number).open(raw)));
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
    const row = this.row(intent.id);
    const fields = {
      ...intent,
      key: row.seal("key", intent.key),
      args: row.seal("args", intent.args),
      argsHash: row.seal("args_hash", intent.argsHash),
      toolCallId,
      approvalId,
      tenant: this.store.tenant,
      owner: self.instance,
      token,
      now,
    };
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
      const row = this.row(id);
      const sealed = {
        result: row.seal("result", result),
        error: row.seal("error", recorded),
        evidence: row.seal("evidence", evidence),
      };
      const move = { id, version, fence, state, ...sealed, dueAt, now };
      if (this.database.run(EFFECTS.settle, move).changes === 0) {
        this.database.run(CONFLICTS.count);
        return false;
      }
      if (attempt !== undefined) this.end(from, attempt, recorded, evidence, now);
      if (from.state === "UNKNOWN" && state !== "UNKNOWN") this.release(id, "ledger", `the effect is ${state}`);
      if (latch !== undefined) this.latch(latch);
      followUndo(this.store, from, state);
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
    this.database.transaction(() => {
      const before = this.attempts(id).find(({ number }) => number === attempt)?.evidence ?? null;
      const all = before === null ? evidence : `${before}\n${evidence}`;
      const sealed = this.attempt(id, attempt).seal("evidence", all);
      this.database.run(ATTEMPTS.setEvidence, { id, number: attempt, evidence: sealed });
    });
  }

  /** Keeps what an attempt brought after it had been given up. */
  late({ id, attempt }: EffectRow, late: string): void {
    this.database.run(ATTEMPTS.late, { id, number: attempt, late: this.attempt(id, attempt).seal("late", late) });
  }

  latch({ threadId, matter, effectId, code, message }: Omit<Latch, "since" | "releasedAt" | "releasedBy">): void {
    const now = this.store.clock.now();
    const sealed = this.matter(matter).seal("message", message);
    const { tenant } = this.store;
    this.database.run(LATCHES.set, { tenant, threadId, matter, effectId, code, message: sealed, now });
  }

  /** False when nothing was held up by it. */
  release(matter: string, by: string, evidence: string): boolean {
    const now = this.store.clock.now();
    const row = this.matter(matter);
    const sealed = { by: row.seal("released_by", by), evidence: row.seal("evidence", evidence) };
    return this.database.run(LATCHES.release, { tenant: this.store.tenant, matter, ...sealed, now }).changes > 0;
  }

  /** The oldest open matter of a thread that is not the effect's own. */
  latchOn(threadId: string, effectId: EffectId): Latch | undefined {
    const raw = this.database.get<RawLatch>(LATCHES.first, this.store.tenant, threadId, effectId);
    return raw && this.latchOf(raw);
  }

  findLatch(matter: string): Latch | undefined {
    const raw = this.database.get<RawLatch>(LATCHES.find, this.store.tenant, matter);
    return raw && this.latchOf(raw);
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
    const row = this.attempt(id, number);
    const sealed = { error: row.seal("error", error), evidence: row.seal("evidence", evidence) };
    this.database.run(ATTEMPTS.end, { id, number, outcome, ...sealed, now });
  }

  private select(everywhere: string, ofThread: string, threadId: string | undefined): EffectRow[] {
    const { tenant } = this.store;
    const raws =
      threadId === undefined
        ? this.database.all<RawEffect>(everywhere, tenant)
        : this.database.all<RawEffect>(ofThread, tenant, threadId);
    return raws.map((raw) => this.effectOf(raw));
  }

  private effectOf(raw: RawEffect): EffectRow {
    return fromRaw<EffectRow>(this.row(raw.id).open(raw));
  }

  private latchOf(raw: RawLatch): Latch {
    return fromRaw<Latch>(this.matter(raw.matter).open(raw));
  }

  private row(id: EffectId): SealedRow<"effect"> {
    return new SealedRow(this.store, "effect", [id]);
  }

  private attempt(id: EffectId, number: number): SealedRow<"attempt"> {
    return new SealedRow(this.store, "attempt", [id, number]);
  }

  private matter(matter: string): SealedRow<"latch"> {
    return new SealedRow(this.store, "latch", [matter]);
  }
}
