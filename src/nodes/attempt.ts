import type { Clock } from "../shared/clock.js";
import { EffectTimeoutError } from "./errors.js";

/** How one run of an effect's function ended. */
export type Ran =
  | { readonly ended: "returned"; readonly value: unknown }
  | { readonly ended: "threw"; readonly error: unknown; readonly timedOut: boolean }
  | { readonly ended: "running"; readonly error: EffectTimeoutError; readonly late: Promise<Ran> };

export interface RunOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly timeout: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs `work` for at most its timeout. One that outlives it is told to stop, and reported as still running unless it
 * ends at once: what it does from then on is `late`. An abort from outside is passed on, but the run is waited for:
 * what it did is what the ledger has to know.
 */
export async function runOnce(work: (signal: AbortSignal) => Promise<unknown>, options: RunOptions): Promise<Ran> {
  const { name, clock, timeout, signal } = options;
  const stop = new AbortController();
  const running = settle(work, signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]));
  if (timeout === undefined) return running;
  const clocked = new AbortController();
  const expired = clock.sleep(timeout, clocked.signal).then(
    () => true,
    () => false,
  );
  const first = await Promise.race([running, expired.then((over) => (over ? undefined : running))]);
  clocked.abort();
  if (first !== undefined) return first;
  const error = new EffectTimeoutError(
    `Effect "${name}" timed out after ${timeout} ms and was given up. Run again with resume(app, config): it looks up ` +
      `what became of it, tries again, or asks. A longer timeout, and a run that hands its signal on, avoid it.`,
  );
  stop.abort(error);
  const atOnce = await Promise.race([running, turn()]);
  if (atOnce === undefined) return { ended: "running", error, late: running };
  return atOnce.ended === "threw" ? { ...atOnce, error, timedOut: true } : atOnce;
}

async function settle(work: (signal: AbortSignal) => Promise<unknown>, signal: AbortSignal): Promise<Ran> {
  try {
    return { ended: "returned", value: await work(signal) };
  } catch (error) {
    return { ended: "threw", error, timedOut: false };
  }
}

/** Long enough for a run that listens to its signal to end. */
function turn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)));
}
