import { describe, holds, refusalOf, same } from "../claims.js";

/** @throws BrokenClaim saying `claim`, unless the work is refused with this code */
export async function refused(work: Promise<unknown>, code: string, claim: string): Promise<void> {
  const error = await refusalOf(work);
  holds(error !== undefined, `${claim}\nNothing was refused; it should be ${code}.`);
  same("code" in error ? error.code : describe(error), code, claim);
}
