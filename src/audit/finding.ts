/** How much a finding matters: `high` does harm when it happens, `medium` may, `low` is worth knowing, `info` is advice. */
export type Severity = "high" | "medium" | "low" | "info";

export const SEVERITIES: readonly Severity[] = ["high", "medium", "low", "info"];

/** A place in a file: relative to the working directory, with `/`; line and column from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Finding {
  /** `WP101`; stable across versions. */
  readonly code: string;
  /** `effect-before-interrupt` */
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string;
  /** The question, or what the finding is about where that is none. */
  readonly interrupt: Place;
  /** The call that a re-run repeats. */
  readonly effect?: Place & { readonly what: string };
  /** How the function in which both meet leads to the effect or to the question: calls, from the outside in. */
  readonly chain: readonly { readonly file: string; readonly line: number; readonly what: string }[];
  /** How often the effect runs again when every question behind it is answered once; in a loop nobody can say. */
  readonly repeats: number | "unbounded";
}
