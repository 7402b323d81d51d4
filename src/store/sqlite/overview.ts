import { SealedRow } from "../sealed-columns.js";
import type { Sealing } from "../sealing.js";
import type { SqliteDatabase } from "./database.js";

/** An effect as a person wants to see it in a list. */
export interface EffectSummary {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly state: string;
  /** How often it was attempted, over all runs. */
  readonly attempts: number;
  /** When it came into this state, in milliseconds since the epoch. */
  readonly since: number;
  /** JSON of the last error, `{ class, name, message }`. */
  readonly error: string | null;
}

export interface ApprovalSummary {
  readonly id: string;
  readonly action: string;
  readonly summary: string | null;
  readonly createdAt: number;
  readonly decideBy: number | null;
}

export interface WaitSummary {
  readonly id: string;
  readonly kind: string;
  /** `""` where it has none. */
  readonly name: string;
  readonly dueAt: number | null;
  readonly reason: string | null;
}

/** What the ledger holds of one thread, oldest first. @throws DecryptionError */
export function effectsOfThread(database: SqliteDatabase, sealing: Sealing, thread: string): EffectSummary[] {
  return database
    .all<EffectSummary>(
      `SELECT id, name, key, state, attempt AS attempts, since, error FROM waypoint_effects
       WHERE tenant = ? AND thread_id = ? ORDER BY created_at, rowid`,
      sealing.tenant,
      thread,
    )
    .map((row) => new SealedRow(sealing, "effect", [row.id]).open(row));
}

export function pendingApprovalsOfThread(
  database: SqliteDatabase,
  sealing: Sealing,
  thread: string,
): ApprovalSummary[] {
  return database
    .all<ApprovalSummary>(
      `SELECT id, action, summary, created_at AS createdAt, decide_by AS decideBy FROM waypoint_approvals
       WHERE tenant = ? AND thread_id = ? AND state = 'pending' ORDER BY created_at, rowid`,
      sealing.tenant,
      thread,
    )
    .map((row) => new SealedRow(sealing, "approval", [row.id]).open(row));
}

/** The waits that are not over at `now`. @throws DecryptionError */
export function waitsOfThread(database: SqliteDatabase, sealing: Sealing, thread: string, now: number): WaitSummary[] {
  return database
    .all<WaitSummary>(
      `SELECT id, kind, name, due_at AS dueAt, reason FROM waypoint_waits
       WHERE tenant = ? AND thread_id = ? AND state = 'waiting' AND (due_at IS NULL OR due_at > ?)
       ORDER BY created_at, rowid`,
      sealing.tenant,
      thread,
      now,
    )
    .map((row) => new SealedRow(sealing, "wait", [row.id]).open(row));
}
