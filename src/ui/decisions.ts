import type { Approval, DecisionInput } from "../nodes/approval.js";
import { ApprovalTable } from "../nodes/approval-table.js";
import { decide, wake, type DecideResult } from "../nodes/decide.js";
import type { Ledger } from "../nodes/ledger.js";
import type { ResumableGraph } from "../nodes/resume.js";
import { WaypointError } from "../shared/errors.js";

/** Where decisions go, and whom they wake. */
export interface Deciding {
  readonly ledger: Ledger;
  readonly app?: ResumableGraph | undefined;
  readonly onRunError: (error: unknown, approval: Approval) => void;
}

/**
 * Decides, then wakes the graph. What the run throws changes nothing of the decision: it stands, and says so.
 *
 * @throws InvalidAnswerError for a decision that cannot be taken; nothing was written
 */
export async function decideAndWake(
  { ledger, app, onRunError }: Deciding,
  id: string,
  decision: DecisionInput,
  by: string,
): Promise<DecideResult> {
  const decided = await decide(ledger, id, decision, { by });
  if (!decided.applied || app === undefined) return decided;
  const woken = await wake(app, decided.approval, ledger).catch((error: unknown) => {
    onRunError(error, decided.approval);
    return { woken: false, message: `It is recorded; the run that it woke ended with ${nameOf(error)}.` };
  });
  // What ran may have asked again, for instance because edited arguments are not valid.
  const approval = new ApprovalTable(ledger.store).find(id) ?? decided.approval;
  return { ...decided, ...woken, approval };
}

/** The message of an error may hold what nobody here may see. */
function nameOf(error: unknown): string {
  if (WaypointError.is(error)) return error.code;
  return error instanceof Error ? error.name : "an error";
}
