import { fingerprintOf } from "./observation.js";
import type { Fingerprint } from "./observation.js";
import { settingsOf } from "./options.js";
import type { DetectorOptions } from "./options.js";

export type { Fingerprint } from "./observation.js";

/** A call of a tool, as it is compared. */
export interface FingerprintedCall {
  readonly tool: string;
  /** Parsed, or as the JSON text that the model wrote. */
  readonly args: unknown;
}

/**
 * What of a call and its outcome makes two of them the same, as the loop guard compares them.
 *
 * - Arguments: canonical at any depth, JSON in strings included; `−0` is `0`, `undefined` is absent.
 * - Outcome: without moments, durations, line numbers of messages, process ids, addresses and ids of requests.
 * - Hashes only: nobody reads arguments or results from it.
 *
 * @throws LoopOptionsError for options that cannot be used; for no call or outcome
 * @example
 * const one = fingerprint({ tool: "read", args: { path: "a" } }, { text: "done in 12 ms" });
 * const other = fingerprint({ tool: "read", args: '{ "path": "a" }' }, { text: "done in 340 ms" });
 * one.key === other.key; // true
 */
export function fingerprint(
  call: FingerprintedCall,
  outcome: { readonly text: string; readonly failed?: boolean },
  options: DetectorOptions = {},
): Fingerprint {
  return fingerprintOf(call, outcome, settingsOf(options));
}
