import { AssertionError } from "node:assert";
import { describe as describeError } from "./claims.js";

/** Checks by the property that they prove. A check that throws has failed. */
export interface Group<Subject> {
  readonly title: string;
  readonly checks: Readonly<Record<string, (subject: Subject) => Promise<void>>>;
  /** Needs longer than others, as a group with processes does. */
  readonly patient?: boolean;
}

/**
 * Whatever a check throws that is no claim of its own came from the thing under test: it is said so, and by which
 * check.
 */
export function asFailure(error: unknown, check: string): AssertionError {
  if (error instanceof AssertionError) return error;
  const failure = new AssertionError({
    message: `It threw while this was checked: it ${check}.\n${describeError(error)}`,
  });
  failure.cause = error;
  if (error instanceof Error && error.stack !== undefined) failure.stack = `${failure.message}\n${error.stack}`;
  return failure;
}
