import { systemClock } from "../shared/clock.js";
import { asError } from "./claims.js";
import type { TestRunner } from "./runner.js";

/** How one check of a suite ended. */
export interface CheckResult {
  readonly group: string;
  readonly name: string;
  /** What is wrong, when the check failed. */
  readonly error?: Error;
}

interface Planned {
  readonly group: string;
  readonly name: string;
  readonly body: () => Promise<void>;
  readonly timeoutMs: number;
}

/**
 * Runs a suite without a test runner, one check after the other, and returns how each ended: for tables, and for
 * programs that want to know.
 *
 * @param suite gets a runner, and hands it on to the suite
 * @example
 * const results = await resultsOf((runner) => checkpointerContract({ ...initializer, runner }));
 * const failed = results.filter(({ error }) => error !== undefined);
 */
export async function resultsOf(suite: (runner: TestRunner) => void): Promise<CheckResult[]> {
  const recorder = new Recorder();
  suite(recorder.runner);
  return recorder.run();
}

/** A runner that notes down what it is told to do, and does it when it is asked. */
class Recorder {
  private readonly groups: string[] = [];
  private readonly planned: Planned[] = [];
  private readonly before: (() => Promise<void>)[] = [];
  private readonly after: (() => Promise<void>)[] = [];

  readonly runner: TestRunner = {
    describe: (name, body) => {
      this.groups.push(name);
      body();
      this.groups.pop();
    },
    it: (name, body, timeoutMs) => this.planned.push({ group: this.groups.at(-1) ?? "", name, body, timeoutMs }),
    beforeAll: (work) => this.before.push(work),
    afterAll: (work) => this.after.push(work),
  };

  async run(): Promise<CheckResult[]> {
    for (const work of this.before) await work();
    try {
      const results: CheckResult[] = [];
      for (const planned of this.planned) results.push(await resultOf(planned));
      return results;
    } finally {
      for (const work of this.after) await work();
    }
  }
}

async function resultOf({ group, name, body, timeoutMs }: Planned): Promise<CheckResult> {
  const giveUp = new AbortController();
  try {
    await Promise.race([body(), timeUp(timeoutMs, giveUp.signal)]);
    return { group, name };
  } catch (error) {
    return { group, name, error: asError(error) };
  } finally {
    giveUp.abort();
  }
}

async function timeUp(timeoutMs: number, signal: AbortSignal): Promise<void> {
  await systemClock.sleep(timeoutMs, signal).catch(() => undefined);
  if (!signal.aborted) throw new Error(`It was not done after ${timeoutMs} ms.`);
}
