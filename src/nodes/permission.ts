import { POLICY, type Approval } from "./approval.js";
import {
  ApprovalExpiredError,
  ApprovalMismatchError,
  ApprovalNotFoundError,
  ApprovalRejectedError,
} from "./approval-errors.js";
import type { ApprovalTable } from "./approval-table.js";
import { foreign } from "./decision.js";
import { actionHash, freezeArgs } from "./frozen-action.js";

/** What is about to happen under an approval. */
export interface Intent {
  readonly approvalId: string;
  readonly action: string;
  readonly args: unknown;
  readonly planVersion?: number | string | undefined;
  /** The effect that is to run; the approval is spent on it. */
  readonly effectId: string;
  readonly visit: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The last check, inside the transaction that writes the effect's intent: what runs is what was approved, by somebody
 * who may, for this plan, in time, and for no other effect before.
 *
 * @throws ApprovalNotFoundError, ApprovalRejectedError, ApprovalMismatchError, ApprovalExpiredError; nothing was sent
 */
export function assertPermitted(table: ApprovalTable, intent: Intent): void {
  const approval = table.find(intent.approvalId);
  if (approval === undefined) throw notFound(intent.approvalId);
  if (approval.state !== "approved" && approval.state !== "edited") {
    throw new ApprovalRejectedError(
      `${subject(approval)} is ${approval.state}, so nothing was sent. ${approval.state === "pending" ? DECIDE : FOLLOW}`,
      details(approval),
    );
  }
  const mismatch = mismatchOf(approval, intent);
  if (mismatch !== undefined) {
    throw new ApprovalMismatchError(
      `${subject(approval)} ${mismatch}. Nothing was sent. ${PERFORM}`,
      details(approval),
    );
  }
  const stale = staleness(approval, intent);
  if (stale !== undefined) {
    const Stale = isPast(approval.validUntil, intent.now) ? ApprovalExpiredError : ApprovalMismatchError;
    throw new Stale(`${stale}. Nothing was sent. ${ASK_ANEW}`, details(approval));
  }
  const follower = table.follower(approval.id, approval.threadId);
  if (follower !== undefined) {
    throw new ApprovalMismatchError(
      `${subject(approval)} was asked for anew meanwhile, as "${follower.id}". Nothing was sent. ${DECIDE}`,
      details(approval),
    );
  }
  if (table.use(approval.id, intent.effectId, intent.visit)) return;
  const { usedBy } = table.find(approval.id) ?? {};
  throw new ApprovalMismatchError(
    `${subject(approval)} was used by another effect already (${usedBy}). Nothing was sent. An approval serves one effect: ` +
      `see what became of that one, and let a new visit of the node ask for the next.`,
    details(approval),
  );
}

/**
 * The check for arguments that came out of a decision: they are what was decided, and the decision still holds. Unlike an
 * approval that a node or tool performs by itself, it may serve several effects.
 *
 * @throws ApprovalNotFoundError, ApprovalMismatchError, ApprovalExpiredError; nothing was sent
 */
export function assertUnchanged(
  table: ApprovalTable,
  { approvalId, args, now }: Pick<Intent, "approvalId" | "args" | "now">,
): void {
  const approval = table.find(approvalId);
  if (approval === undefined) throw notFound(approvalId);
  if (freezeArgs(args).hash !== freezeArgs(approval.decidedArgs).hash) {
    throw new ApprovalMismatchError(
      `${subject(approval)} allows other arguments than what is about to run. Nothing was sent. ${PERFORM}`,
      details(approval),
    );
  }
  // What one effect has been carried out under is not called into question by the next.
  const stale = approval.usedBy === undefined ? staleness(approval, { planVersion: undefined, now }) : undefined;
  if (stale !== undefined) throw new ApprovalExpiredError(`${stale}. Nothing was sent. ${ASK_ANEW}`, details(approval));
}

const DECIDE =
  "Continue with resume(app, config); the question is then in its result: answer it by approval id, or with decide().";
const FOLLOW = "That is the decision: continue with resume(app, config), and the run goes on by it.";
const PERFORM = "Perform exactly what was decided (decision.args); for anything else let a new visit of the node ask.";
const ASK_ANEW =
  "Continue with resume(app, config): it asks anew, and the question says why. From a tool, calling it again asks anew, too.";

/** Why a granted approval cannot be used any more, as a sentence without its full stop; undefined while it can. */
export function staleness(
  approval: Approval,
  { planVersion, now }: Pick<Intent, "planVersion" | "now">,
): string | undefined {
  if (isPast(approval.validUntil, now)) return `${subject(approval)} was good until ${approval.validUntil}`;
  if (approval.planVersion === undefined || planVersion === undefined || approval.planVersion === String(planVersion))
    return undefined;
  return `${subject(approval)} was given for plan version ${approval.planVersion}; it is ${planVersion} by now`;
}

function isPast(validUntil: string | undefined, now: number): boolean {
  return validUntil !== undefined && Date.parse(validUntil) < now;
}

/** @internal */
export function notFound(approvalId: string): ApprovalNotFoundError {
  return new ApprovalNotFoundError(
    `There is no approval "${approvalId}" in this ledger. Look at pendingApprovals(ledger); an approval of another tenant or database is not seen.`,
    { details: { approvalId } },
  );
}

function mismatchOf(approval: Approval, { action, args }: Intent): string | undefined {
  if (actionHash(action, freezeArgs(args).text, approval.summary) !== approval.decidedHash) {
    return "allows another action or other arguments than what is about to run";
  }
  // What the rules allow without a person was decided by none.
  const stranger = approval.coveredBy === POLICY ? undefined : foreign(approval.decidedBy, approval);
  return stranger === undefined
    ? undefined
    : `was decided by somebody else than its approvers: ${stranger.slice(0, -1)}`;
}

function subject({ id, action, threadId }: Approval): string {
  return `The approval "${id}" of "${action}" on thread "${threadId}"`;
}

function details(approval: Approval): { details: { threadId: string; approvalId: string } } {
  return { details: { threadId: approval.threadId, approvalId: approval.id } };
}
