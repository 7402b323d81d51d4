/**
 * What the suites assert with. No test runner's `expect`, so that a suite runs under any of them; each message says what
 * is wrong with the thing under test.
 */
import { AssertionError } from "node:assert";
import { inspect, isDeepStrictEqual } from "node:util";

/** Longer than this, a value is described and not attached: runners print attached values in full. */
const SHOWN = 2000;

/** @throws AssertionError saying `claim`, what was expected and what was found, unless both are deeply equal */
export function same(found: unknown, expected: unknown, claim: string): void {
  if (isDeepStrictEqual(found, expected)) return;
  const [shown, wanted] = [show(found), show(expected)];
  const attached = shown.length + wanted.length < SHOWN ? { actual: found, expected } : {};
  throw new AssertionError({ message: `${claim}\nexpected: ${wanted}\nfound:    ${shown}`, ...attached });
}

/** @throws AssertionError saying `claim` unless the condition holds */
export function holds(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new AssertionError({ message: claim });
}

/** The value, which has to be there. */
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
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What `work` gives. @throws AssertionError saying `claim` and why, when it throws */
export async function works<T>(work: () => Promise<T>, claim: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AssertionError) throw error;
    throw new AssertionError({ message: `${claim}\nIt threw: ${describe(error)}`, actual: error });
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : show(error);
}

export function show(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: 120, maxStringLength: 200, maxArrayLength: 20 });
}
