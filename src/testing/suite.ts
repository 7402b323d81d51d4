import { BrokenClaim, describe } from "./claims.js";

/** Checks by the property that they prove. A check that throws has failed. */
export interface Group<Subject> {
  readonly title: string;
  readonly checks: Readonly<Record<string, (subject: Subject) => Promise<void>>>;
  /** Needs longer than others, as a group with processes does. */
  readonly patient?: boolean;
}

/**
 * Whatever a check throws that is no claim of its own came from the thing under test: that is said, with the check that
 * was carried out.
 */
export function asFailure(error: unknown, check: string): BrokenClaim {
  if (error instanceof BrokenClaim) return error;
  return new BrokenClaim(`It threw while this was checked: ${check}.\n${describe(error)}`, { cause: error });
}
