import { InvalidInputError } from "./errors.js";

/** Where the time comes from. Tests inject their own; nothing in the package reads `Date.now()` directly. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = setTimeout(done, ms);
      function done(): void {
        signal?.removeEventListener("abort", abort);
        resolve();
      }
      function abort(): void {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      }
      signal?.addEventListener("abort", abort, { once: true });
    }),
};

/** A length of time: milliseconds, or a number with a unit: `"250ms"`, `"30s"`, `"15m"`, `"24h"`, `"7d"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * A `Duration` in milliseconds.
 *
 * @throws InvalidInputError for anything that is not a finite, non-negative length of time.
 * @example toMilliseconds("24h"); // 86400000
 */
export function toMilliseconds(duration: Duration, name = "duration"): number {
  if (typeof duration === "number" && Number.isFinite(duration) && duration >= 0) return duration;
  const match = typeof duration === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration) : null;
  if (match) return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
  throw new InvalidInputError(
    `${name} must be milliseconds or a text such as "30s", "15m", "24h", "7d"; got ${JSON.stringify(duration)}.`,
  );
}
