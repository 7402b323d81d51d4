import type { DetectorName } from "./thresholds.js";

/** What kind of trouble a loop is about; decides the words of the reminder. */
export const LOOP_CLASSES = [
  "no-change",
  "unknown-tool",
  "schema",
  "rejected",
  "transient",
  "timeout",
  "permission",
  "invalid-arguments",
  "business-refusal",
  "model-unavailable",
  "persistent",
] as const;
export type LoopClass = (typeof LOOP_CLASSES)[number];

/** What a detector found, and where. */
export interface Verdict {
  /** The position, in the messages that were given, of the message that made it so. */
  readonly index: number;
  /** `remind`: tell the model. `trip`: stop and hand over. */
  readonly level: "remind" | "trip";
  readonly detector: DetectorName;
  readonly tool: string;
  /** Rounds in which it happened; for a cycle, laps. */
  readonly count: number;
  /** Names what is repeated, without its arguments. */
  readonly key: string;
  readonly class: LoopClass;
  readonly evidence: Evidence;
}

/** Short quotes and figures; never whole arguments or results. */
export interface Evidence {
  /** The first error of the streak. */
  readonly firstError?: string;
  readonly lastError?: string;
  /** How many different arguments met the same error. */
  readonly variants?: number;
  /** How many calls a lap has. */
  readonly period?: number;
  /** What a lap consists of, as in `key`. */
  readonly lap?: readonly string[];
}
