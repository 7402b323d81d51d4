import type { RecordedError } from "./errors.js";

/** States of an effect; what each means for a re-run and for a new visit is the table in DESIGN §4. */
export const EFFECT_STATES = [
  "STARTED",
  "RETRYABLE",
  "SUCCEEDED",
  "FAILED",
  "UNKNOWN",
  "COMPENSATING",
  "COMPENSATION_FAILED",
  "COMPENSATED",
] as const;
export type EffectState = (typeof EFFECT_STATES)[number];

export type AttemptOutcome = "succeeded" | "failed" | "not-sent" | "ambiguous" | "timed-out" | "abandoned";

/** A digest of tenant, name and key: the same in every process. */
export type EffectId = string;

/** One effect as the ledger has it. Times are milliseconds since the epoch. */
export interface EffectRow {
  readonly id: EffectId;
  readonly name: string;
  readonly key: string;
  /** Canonical JSON. */
  readonly args: string;
  readonly argsHash: string;
  readonly state: EffectState;
  readonly version: number;
  readonly fence: number;
  readonly threadId: string;
  readonly visit: string;
  readonly toolCallId: string | null;
  readonly approvalId: string | null;
  readonly round: number;
  readonly attempt: number;
  readonly tries: number;
  readonly roundSince: number;
  readonly owner: string;
  readonly token: string;
  readonly dueAt: number | null;
  /** By the checkpointer's codec. */
  readonly result: string | null;
  readonly error: RecordedError | undefined;
  readonly evidence: string | null;
  readonly since: number;
  readonly createdAt: number;
}

/** One attempt at an effect. */
export interface AttemptRow {
  readonly number: number;
  readonly round: number;
  readonly fence: number;
  readonly threadId: string;
  readonly visit: string;
  readonly owner: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: AttemptOutcome | null;
  readonly error: RecordedError | undefined;
  readonly evidence: string | null;
  /** What came after the attempt had been given up. */
  readonly late: string | null;
}

/** Something that holds up a thread's effects. */
export interface Latch {
  readonly threadId: string;
  readonly matter: string;
  readonly effectId: EffectId;
  readonly code: string;
  readonly message: string;
  readonly since: number;
  readonly releasedAt: number | null;
  readonly releasedBy: string | null;
}

type Raw = Readonly<Record<string, string | number | null>>;

/** Column names to field names; `error` is JSON. */
export function fromRaw<T>(raw: Raw): T {
  const fields = Object.entries(raw).map(([column, value]) => [
    column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    column === "error" ? (value === null ? undefined : (JSON.parse(String(value)) as unknown)) : value,
  ]);
  return Object.fromEntries(fields) as T;
}
