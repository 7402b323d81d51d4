import { decisionOf, type Approval } from "./approval.js";

/** What a model reads in place of the result of a call that a person did not let through. */
export function refusalText(approval: Approval): string {
  const decision = decisionOf(approval);
  if (decision?.type === "reject") return decision.reason;
  if (decision?.type === "respond") return decision.message;
  return `The tool call for \`${approval.action}\` was not executed: nobody approved it in time.`;
}
