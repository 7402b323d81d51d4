import { hashOf } from "../shared/canonical.js";
import type { Limits } from "./definition.js";
import type { EffectRow } from "./effect-row.js";

/** What an attempt is the next one after. */
type Failed = Pick<EffectRow, "id" | "attempt" | "tries">;

/**
 * Milliseconds from a failed attempt to the next: rising from `initialInterval` to `maxInterval`, each shortened by up to the
 * part that `jitter` says, and never shorter than what the other side asked for.
 *
 * By how much is a function of the effect and its attempt: effects that failed together do not come back together, and
 * every process comes to the same time.
 */
export function delayAfter({ id, attempt, tries }: Failed, limits: Limits, retryAfter = 0): number {
  const { initialInterval, backoffFactor, maxInterval, jitter } = limits;
  const backoff = Math.min(maxInterval, initialInterval * backoffFactor ** (tries - 1));
  const spread = Math.round(backoff * (1 - jitter * fractionOf(`${id}/${attempt}`)));
  return Math.max(spread, retryAfter);
}

/** A number from 0 to 1 that looks random and is not. */
function fractionOf(text: string): number {
  return Number.parseInt(hashOf(text).slice(0, 8), 16) / 0x1_0000_0000;
}
