import { toMilliseconds, type Clock, type Duration } from "../shared/clock.js";
import { InvalidInputError } from "../shared/errors.js";

export interface TestClockOptions {
  /** Where the time begins; default 2026-01-01T00:00:00.000Z. */
  readonly start?: Date | string | number;
  /** With `true`, whoever sleeps moves the clock on and goes on at once; nobody has to advance it. */
  readonly skipSleeps?: boolean;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/**
 * A clock that a test moves. It stands still by itself; nothing that waits on it takes real time.
 *
 * - `advance` wakes the sleepers in the order in which they are due, each at its own moment, also those that lie down
 *   again on the way.
 * - A sleep whose signal aborts rejects with the signal's reason, as with the real clock.
 *
 * @throws InvalidInputError for a start that is no date
 * @example
 * const clock = new TestClock();
 * const saver = SlimSaver.fromConnString(":memory:", { clock });
 * await clock.advance("24h");
 */
export class TestClock implements Clock {
  private time: number;
  private readonly skips: boolean;
  private readonly sleepers = new Set<Sleeper>();

  constructor({ start = "2026-01-01T00:00:00.000Z", skipSleeps = false }: TestClockOptions = {}) {
    this.time = new Date(start).getTime();
    if (Number.isNaN(this.time)) throw new InvalidInputError(`start must be a date; got ${JSON.stringify(start)}.`);
    this.skips = skipSleeps;
  }

  now(): number {
    return this.time;
  }

  /** How many sleep on it now. */
  get sleeping(): number {
    return this.sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.skips) this.time += ms;
      if (this.skips || ms <= 0) {
        resolve();
        return;
      }
      const abort = (): void => {
        this.sleepers.delete(sleeper);
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const sleeper: Sleeper = { until: this.time + ms, wake };
      this.sleepers.add(sleeper);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /**
   * Moves the time on, and lets everybody who wakes up on the way do what they woke up for. It resolves when the new
   * moment is reached.
   *
   * @param by how far: `"15m"`, or milliseconds
   * @throws InvalidInputError for what is no length of time
   */
  async advance(by: Duration): Promise<void> {
    const goal = this.time + toMilliseconds(by, "by");
    for (let next = this.firstUntil(goal); next !== undefined; next = this.firstUntil(goal)) {
      this.time = Math.max(this.time, next.until);
      this.sleepers.delete(next);
      next.wake();
      await turn();
    }
    this.time = goal;
    await turn();
  }

  private firstUntil(goal: number): Sleeper | undefined {
    const due = [...this.sleepers].filter(({ until }) => until <= goal);
    return due.sort((one, other) => one.until - other.until)[0];
  }
}

/** Long enough for what was woken to run until it waits again for something that is not ready. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
