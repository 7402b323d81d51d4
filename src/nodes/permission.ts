import type { Approval } from "./approval.js";
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
      `${subject(approval)} is ${approval.state}, so nothing was sent.`,
      details(approval),
    );
  }
  const mismatch = mismatchOf(approval, intent);
  if (mismatch !== undefined) {
    throw new ApprovalMismatchError(
      `${subject(approval)} ${mismatch}. Nothing was sent; ask again.`,
      details(approval),
    );
  }
  if (approval.validUntil !== undefined && Date.parse(approval.validUntil) < intent.now) {
    throw new ApprovalExpiredError(
      `${subject(approval)} was good until ${approval.validUntil}. Nothing was sent; ask again.`,
      details(approval),
    );
  }
  if (table.use(approval.id, intent.effectId, intent.visit)) return;
  throw new ApprovalMismatchError(
    `${subject(approval)} was used by another effect already (${table.find(approval.id)?.usedBy}). Nothing was sent; ask again.`,
    details(approval),
  );
}

/** @internal */
export function notFound(approvalId: string): ApprovalNotFoundError {
  return new ApprovalNotFoundError(
    `There is no approval "${approvalId}" in this ledger. Look at pendingApprovals(ledger); an approval of another tenant or database is not seen.`,
    { details: { approvalId } },
  );
}

function mismatchOf(approval: Approval, { action, args, planVersion }: Intent): string | undefined {
  if (actionHash(action, freezeArgs(args).text, approval.summary) !== approval.decidedHash) {
    return "allows another action or other arguments than what is about to run";
  }
  if (approval.planVersion !== undefined && planVersion !== undefined && approval.planVersion !== String(planVersion)) {
    return `was given for plan version ${approval.planVersion}; it is ${planVersion} by now`;
  }
  return foreign(approval.decidedBy, approval);
}

function subject({ id, action, threadId }: Approval): string {
  return `The approval "${id}" of "${action}" on thread "${threadId}"`;
}

function details(approval: Approval): { details: { threadId: string; approvalId: string } } {
  return { details: { threadId: approval.threadId, approvalId: approval.id } };
}
