import type { Approval, DecisionInput } from "./approval.js";
import { InvalidAnswerError } from "./approval-errors.js";
import { ApprovalTable } from "./approval-table.js";
import { foreign, objection, readDecision, type ReadDecision } from "./decision.js";
import { InvalidInputError } from "../shared/errors.js";
import { settlementOf } from "./judge-answer.js";
import { Ledger } from "./ledger.js";
import { notFound } from "./permission.js";
import { resume, type ResumableGraph } from "./resume.js";

/** Why a decision changed nothing. */
export type NotApplied = "already-decided" | "expired" | "not-an-approver";

export interface DecideResult {
  /** True when this call decided. */
  readonly applied: boolean;
  /** True when the graph ran on; false when somebody still has to call `resume()`. */
  readonly woken: boolean;
  readonly reason?: NotApplied;
  /** Why it was not applied, or why `app` was not woken, as a sentence. */
  readonly message?: string;
  /** The approval as it stands now. */
  readonly approval: Approval;
}

/**
 * Decides an approval, from any process that has the ledger.
 *
 * - One conditional write, synced to disk. A late, duplicate, expired or foreign decision changes nothing and says why.
 * - Without `app` the decision is recorded and the thread sleeps on (`woken: false`): the next `resume(app, config)`
 *   picks it up. With `app` the graph is woken here, unless other approvals of the same question are still open.
 * - An edit is hashed anew and may not change the action. Its arguments are validated by the schema of the code that
 *   asked, when that runs; if they are not valid it asks again.
 *
 * @param ledger where the approval is kept: `ledgerOf(checkpointer)`
 * @param approvalId from the interrupt's payload or `pendingApprovals`
 * @param decision `{ type: "approve" }`, `{ type: "edit", args }`, `{ type: "reject", message }` or, where allowed,
 *   `{ type: "respond", message }`
 * @param options `by`: who decides; checked against the approvers. `app`: the graph to wake
 * @throws ApprovalNotFoundError for an unknown id; InvalidAnswerError for a decision of the wrong shape or one that is
 *   not allowed, and nothing is written; InvalidInputError without `by`; with `app` whatever its run throws
 * @example
 * const { applied, woken } = await decide(ledgerOf(saver), id, { type: "approve" }, { by: "ann@example.com", app });
 */
export async function decide(
  ledger: Ledger,
  approvalId: string,
  decision: DecisionInput,
  options: { by: string; app?: ResumableGraph },
): Promise<DecideResult> {
  if (!Ledger.is(ledger))
    throw new InvalidInputError("decide needs a ledger: ledgerOf(checkpointer) or memoryLedger().");
  const { by, app } = options;
  if (typeof by !== "string" || by === "")
    throw new InvalidInputError('decide needs to know who decides: { by: "…" }.');
  const table = new ApprovalTable(ledger.store);
  const found = table.find(approvalId);
  if (found === undefined) throw notFound(approvalId);
  const read = readOrThrow(decision, found);
  const refused = apply(table, found, read, by);
  const approval = table.find(approvalId) as Approval;
  if (refused !== undefined) return { applied: false, woken: false, ...refused, approval };
  if (app === undefined) return { applied: true, woken: false, approval };
  return { applied: true, ...(await wake(app, approval, ledger)), approval };
}

const NOT_WOKEN =
  "It is recorded, but nothing ran: other approvals of the same question are open, or the thread does not ask this any more.";

/**
 * @internal Runs the thread of a decided approval. Nothing runs while other approvals of the same question are open, or when
 * the thread does not wait for this one (yet).
 */
export async function wake(
  app: ResumableGraph,
  { id, threadId }: Approval,
  ledger: Ledger,
): Promise<Pick<DecideResult, "woken" | "message">> {
  const { woken } = await resume(app, { configurable: { thread_id: threadId } }, {}, { ledger });
  return woken.includes(id) ? { woken: true } : { woken: false, message: NOT_WOKEN };
}

/**
 * The approvals that wait for a decision, oldest first.
 *
 * @param ledger where they are kept
 * @param options `threadId`: only those of one thread
 * @example for (const { id, action, args } of await pendingApprovals(ledger)) console.log(id, action, args);
 */
export async function pendingApprovals(ledger: Ledger, options: { threadId?: string } = {}): Promise<Approval[]> {
  const now = ledger.store.clock.now();
  const pending = new ApprovalTable(ledger.store).pending(options.threadId);
  return Promise.resolve(pending.filter(({ decideBy }) => decideBy === undefined || Date.parse(decideBy) >= now));
}

function readOrThrow(input: unknown, approval: Approval): ReadDecision {
  const read = readDecision(input);
  const wrong = typeof read === "string" ? read : objection(read, approval);
  if (typeof read !== "string" && wrong === undefined) return read;
  throw invalid(wrong as string, approval);
}

function apply(
  table: ApprovalTable,
  approval: Approval,
  decision: ReadDecision,
  by: string,
): { reason: NotApplied; message: string } | undefined {
  const stranger = foreign(by, approval);
  if (stranger !== undefined) return { reason: "not-an-approver", message: stranger };
  const settlement = settlementOf(approval, decision, by);
  if (typeof settlement === "string") throw invalid(settlement, approval);
  if (table.settle(approval.id, settlement)) return undefined;
  table.expire(approval.id);
  const now = table.find(approval.id) as Approval;
  if (now.state === "expired") {
    return { reason: "expired", message: `It had to be decided by ${now.decideBy}.` };
  }
  const who = now.decidedBy === undefined ? "" : ` by ${now.decidedBy}`;
  return { reason: "already-decided", message: `It was ${now.state} before${who}, at ${now.decidedAt}.` };
}

function invalid(problem: string, { id, threadId }: Approval): InvalidAnswerError {
  return new InvalidAnswerError(
    `The decision on approval "${id}" of thread "${threadId}" cannot be used: ${problem} Nothing was written.`,
    {
      details: { threadId, approvalId: id },
    },
  );
}
