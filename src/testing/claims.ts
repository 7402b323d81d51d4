/**
 * What the suites assert with. No test runner's `expect`, so that a suite runs under any of them; each message says what
 * is wrong with the thing under test.
 */
import { inspect, isDeepStrictEqual } from "node:util";

/** Longer than this, values are described and not attached: runners print attached values in full. */
const SHOWN = 2000;

/** The thing under test does not do what it should. Runners show `actual` and `expected` as a difference. */
export class BrokenClaim extends Error {
  override readonly name = "BrokenClaim";
  readonly actual?: unknown;
  readonly expected?: unknown;

  constructor(message: string, options: { cause?: unknown; values?: { actual: unknown; expected: unknown } } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Object.assign(this, options.values);
  }
}

/** @throws BrokenClaim saying `claim`, what was expected and what was found, unless both are deeply equal */
export function same(found: unknown, expected: unknown, claim: string): void {
  if (isDeepStrictEqual(found, expected)) return;
  const [shown, wanted] = [show(found), show(expected)];
  const message = `${claim}\nexpected: ${wanted}\nfound:    ${shown}`;
  throw new BrokenClaim(message, shown.length + wanted.length < SHOWN ? { values: { actual: found, expected } } : {});
}

/** @throws BrokenClaim saying `claim` unless the condition holds */
export function holds(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new BrokenClaim(claim);
}

/** The value, which has to be there. @throws BrokenClaim saying `claim` when it is not */
export function there<T>(value: T | undefined, claim: string): T {
  holds(value !== undefined, claim);
  return value;
}

/** What a promise was rejected with; undefined when it was not. */
export async function refusalOf(work: Promise<unknown>): Promise<Error | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

/** What `work` gives. @throws BrokenClaim saying `claim` and why, when it throws */
export async function works<T>(work: () => Promise<T>, claim: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BrokenClaim) throw error;
    throw new BrokenClaim(`${claim}\nIt threw: ${describe(error)}`, { cause: error });
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(show(error));
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : show(error);
}

export function show(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: 120, maxStringLength: 200, maxArrayLength: 20 });
}
