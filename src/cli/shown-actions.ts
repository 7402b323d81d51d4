import type { AttemptRow, EffectRow } from "../nodes/effect-row.js";
import type { RecordedError } from "../nodes/errors.js";
import { hidden } from "./terminal-text.js";

/** An effect and all attempts at it, as `waypoint actions` shows them. Times are ISO 8601. */
export interface ShownAction {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  /** Canonical JSON, or how long it is. */
  readonly args: string;
  readonly state: string;
  readonly since: string;
  readonly approvalId?: string;
  readonly evidence?: string;
  readonly error?: ShownError;
  readonly attempts: readonly ShownAttempt[];
}

export interface ShownAttempt {
  readonly number: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** `started` while nobody has recorded how it ended. */
  readonly outcome: string;
  readonly evidence?: string;
  readonly error?: ShownError;
  /** What came after the attempt had been given up. */
  readonly late?: string;
}

export interface ShownError {
  readonly class: string;
  readonly name: string;
  readonly message: string;
}

/** One effect for the terminal. With `redact`, keys, arguments, messages and what people wrote stand as their length. */
export function shownAction(row: EffectRow, attempts: readonly AttemptRow[], redact: boolean): ShownAction {
  const value = redact ? hidden : String;
  return {
    id: row.id,
    name: row.name,
    key: value(row.key),
    args: value(row.args),
    state: row.state,
    since: iso(row.since),
    ...(row.approvalId === null ? {} : { approvalId: row.approvalId }),
    ...known("evidence", row.evidence, redact ? redactedEvidence : String),
    ...shownError(row.error, value),
    attempts: attempts.map((attempt) => shownAttempt(attempt, redact)),
  };
}

function shownAttempt(row: AttemptRow, redact: boolean): ShownAttempt {
  return {
    number: row.number,
    startedAt: iso(row.startedAt),
    ...(row.endedAt === null ? {} : { endedAt: iso(row.endedAt) }),
    outcome: row.outcome ?? "started",
    ...known("evidence", row.evidence, redact ? redactedEvidence : String),
    ...shownError(row.error, redact ? hidden : String),
    ...known("late", row.late, redact ? hidden : String),
  };
}

function shownError(error: RecordedError | undefined, value: (text: string) => string): { error?: ShownError } {
  return error === undefined ? {} : { error: { ...error, message: value(error.message) } };
}

/** The ledger's own words about a lookup stay; what a person or an error said does not. */
function redactedEvidence(text: string): string {
  return /^lookup: (succeeded|failed|absent|unknown)$/.test(text) ? text : hidden(text);
}

function known<K extends string>(
  name: K,
  text: string | null,
  show: (text: string) => string,
): Partial<Record<K, string>> {
  return (text === null ? {} : { [name]: show(text) }) as Partial<Record<K, string>>;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
