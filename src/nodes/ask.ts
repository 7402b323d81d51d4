import type { RunnableConfig } from "@langchain/core/runnables";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { toMilliseconds } from "../shared/clock.js";
import { InvalidInputError } from "../shared/errors.js";
import type { RunningTask } from "../shared/langgraph.js";
import { decisionOf, type Approval, type ApprovalMode, type ApprovalOrigin, type ApprovalPolicy } from "./approval.js";
import { questionFor } from "./approval-question.js";
import { ApprovalTable, type ApprovalDraft } from "./approval-table.js";
import { barrier } from "./barrier.js";
import { coverageOf } from "./coverage.js";
import type { Share } from "./decision.js";
import { deskOf, type Desk } from "./slots.js";
import { freezeAction } from "./frozen-action.js";
import { invalidArgs, judgeAnswer } from "./judge-answer.js";
import type { Ledger } from "./ledger.js";
import { notifyOnce } from "./notify.js";
import { refuseInsideRun } from "./run-scope.js";
import { claimSlot } from "./slot-claims.js";
import { visitOf } from "./visit.js";

/** One action to ask about, from a node, a tool or the middleware. */
export interface AskRequest {
  readonly ledger: Ledger;
  readonly task: RunningTask;
  readonly config: RunnableConfig;
  readonly origin: ApprovalOrigin;
  readonly action: string;
  readonly args: unknown;
  readonly summary?: string | undefined;
  readonly planVersion?: number | string | undefined;
  readonly toolCallId?: string | undefined;
  /** Fixed where the visit asks for one thing at a known place; else the place in the order of calls. */
  readonly slot?: string;
  readonly policy: ApprovalPolicy;
  /** Where it takes the place of an approval that cannot be used any more. */
  readonly renewal?: Renewal;
}

export interface Renewal {
  readonly of: Approval;
  /** What the person is told. */
  readonly why: string;
  /** Asked in the transaction that writes the row: false when the old approval was used meanwhile. */
  readonly mayAsk: () => boolean;
}

/**
 * Asks once, and returns the row when it is decided or expired.
 *
 * The row is written behind the barrier and synced before the question goes out; on a re-run the row stands, whatever
 * the arguments are by then. A renewal for which there is no need any more returns the approval that it was to renew.
 *
 * @throws GraphInterrupt while it is pending; InvalidInputError for arguments that are not plain JSON or a policy that
 *   contradicts itself; NotDurableError
 */
export async function ask(request: AskRequest): Promise<Approval> {
  const { ledger, task } = request;
  refuseInsideRun(`An approval of "${request.action}"`, task);
  const table = new ApprovalTable(ledger.store);
  const desk = deskOf(ledger, task);
  const draft = draftOf(request, table, desk);
  const place = `approval:${draft.visit}:${draft.slot}`;
  const order = desk.ordinal("approval");
  const plain = holdsPlainAnswer(task);
  return desk.track(async () => {
    await barrier(task, request.config);
    const wanted = { draft, args: request.args, policy: request.policy, task, now: ledger.store.clock.now() };
    const coverage = table.standing(draft) === undefined ? await coverageOf(wanted, table) : undefined;
    const opened = table.open(draft, request.renewal?.mayAsk, coverage);
    if (opened === undefined) return request.renewal?.of as Approval;
    const { id } = opened;
    const answers = await desk.spend(place);
    const wasPlain = plain && !holdsPlainAnswer(task);
    await judgeAnswers(id, answers as (Share | undefined)[], wasPlain, request, table);
    const approval = await current(id, request.policy.schema, table);
    if (decisionOf(approval) !== undefined) return approval;
    await notifyOnce(approval, request.policy.notify, table);
    await desk.ask(questionFor(approval, place, order));
    return current(id, request.policy.schema, table);
  });
}

/** Whether a plain `Command({ resume })` waits to be taken by whichever question comes next. */
function holdsPlainAnswer({ scratchpad }: RunningTask): boolean {
  return scratchpad.nullResume !== undefined;
}

function draftOf(request: AskRequest, table: ApprovalTable, desk: Desk): ApprovalDraft {
  const { task, policy, action, summary } = request;
  if (action === "") throw new InvalidInputError("An approval needs the name of its action.");
  const visit = visitOf(task);
  const frozen = freezeAction(action, request.args, summary);
  return {
    threadId: visit.threadId,
    checkpointNs: visit.checkpointNs,
    superstep: task.checkpointMap[""] ?? "",
    visit: visit.id,
    slot: request.slot ?? claimSlot(desk, "approval", table.ofVisit(visit.threadId, visit.id), { action, ...frozen }),
    origin: request.origin,
    toolCallId: request.toolCallId,
    action,
    ...frozen,
    summary,
    planVersion: request.planVersion === undefined ? undefined : String(request.planVersion),
    approvers: policy.approvers,
    allowed: policy.allowedDecisions ?? ["approve", "edit", "reject"],
    mode: modeOf(policy),
    decideWithin: policy.decideWithin === undefined ? undefined : toMilliseconds(policy.decideWithin, "decideWithin"),
    validFor: policy.validFor === undefined ? undefined : toMilliseconds(policy.validFor, "validFor"),
    standsFor: standsFor(policy),
    problem: request.renewal?.why,
  };
}

/** @throws InvalidInputError for a frequency that is none */
function standsFor({ ask: frequency = "every-time" }: ApprovalPolicy): "run" | undefined {
  if (frequency === "every-time") return undefined;
  if ((frequency as unknown) === "once-per-run") return "run";
  throw new InvalidInputError(
    `How often to ask must be "every-time" or "once-per-run"; got ${JSON.stringify(frequency)}.`,
  );
}

/** @throws InvalidInputError when approvers are named and anybody may decide nevertheless */
export function modeOf({ approvers, mode }: Pick<ApprovalPolicy, "approvers" | "mode">): ApprovalMode {
  if (approvers !== undefined && mode === "open") {
    throw new InvalidInputError(
      "An approval with approvers is bound: in open mode anybody who resumes the thread would decide. Leave out mode or approvers.",
    );
  }
  return mode ?? (approvers === undefined ? "open" : "bound");
}

/** Each answer is judged once: one that was refused may not decide later, under another identity or fewer questions. */
async function judgeAnswers(
  id: string,
  answers: readonly (Share | undefined)[],
  wasPlain: boolean,
  request: AskRequest,
  table: ApprovalTable,
): Promise<void> {
  const { identify, schema } = request.policy;
  for (let index = table.answersJudged(id); index < answers.length; index += 1) {
    const approval = table.find(id) as Approval;
    const share = answers[index];
    if (share === undefined || approval.state !== "pending") {
      table.judged(id, index + 1);
      continue;
    }
    const verdict = await judgeAnswer(approval, share, {
      identify: async () => identify?.(request.config),
      schema,
      ambiguous: wasPlain && index === answers.length - 1 && table.pendingBesides(id) > 0,
    });
    if (verdict.kind === "settle") table.settle(id, verdict.settlement);
    table.judged(id, index + 1, verdict.kind === "refuse" ? verdict.problem : undefined);
  }
}

/** The row as it stands, after its time to decide has been looked at and an edit from elsewhere has been validated. */
async function current(id: string, schema: StandardSchemaV1 | undefined, table: ApprovalTable): Promise<Approval> {
  table.expire(id);
  const approval = table.find(id) as Approval;
  if (approval.state !== "edited") return approval;
  const wrong = await invalidArgs(schema, approval.decidedArgs);
  if (wrong === undefined) return approval;
  table.reopen(id, wrong);
  return table.find(id) as Approval;
}
