import { InvalidInputError } from "../shared/errors.js";

/** The functions of a test runner that a suite needs: those of vitest and jest, or of `node:test`. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  /** `timeoutMs` is how long the test may take; a runner without such a third argument may ignore it. */
  it(name: string, body: () => Promise<void>, timeoutMs: number): unknown;
  /** Only needed for a suite that has something to do before all its tests. */
  beforeAll?(work: () => Promise<void>, timeoutMs: number): unknown;
  /** Only needed for a suite that has something to do after all its tests. */
  afterAll?(work: () => Promise<void>, timeoutMs: number): unknown;
}

/**
 * The runner to use: the one that was given, else the global functions that jest has, and vitest with `globals: true`.
 *
 * @throws InvalidInputError when there is neither
 */
export function runnerFor(given: TestRunner | undefined): TestRunner {
  const runner: Partial<TestRunner> = given ?? (globalThis as Partial<TestRunner>);
  if (typeof runner.describe === "function" && typeof runner.it === "function") return runner as TestRunner;
  throw new InvalidInputError(
    `There is no test runner: describe() and it() are not global here. Pass them: ` +
      `{ runner: { describe, it, beforeAll, afterAll } }, imported from "vitest", or switch on vitest's option globals.`,
  );
}
