import type { Approval, DecisionInput } from "../nodes/approval.js";
import { ApprovalTable } from "../nodes/approval-table.js";
import { pendingApprovals, type DecideResult } from "../nodes/decide.js";
import { foreign } from "../nodes/decision.js";
import { formOf, jsonOf } from "./body.js";
import { decideAndWake, type Deciding } from "./decisions.js";
import { refuseForgedForm, tokenFor } from "./forgery.js";
import { approvalPage, inboxPage, type ApprovalView } from "./pages.js";
import { Refused, refusalIn } from "./refused.js";
import { jsonResponse, pageResponse } from "./responses.js";
import type { Route } from "./routes.js";

/** Who is at the other end, as `authorize` found out. */
export interface Decider {
  /** Written down with every decision, and compared with the approvers. */
  readonly by: string;
}

/** What every handler works with. */
export interface Desk extends Deciding {
  readonly basePath: string;
  /** Signs the forms. */
  readonly secret: string;
  readonly visible: (approval: Approval, decider: Decider) => boolean;
}

export interface Call {
  readonly desk: Desk;
  readonly request: Request;
  readonly decider: Decider;
}

/** What becomes of a request that may come in, by route. */
export const HANDLERS: Record<Route["name"], (call: Call, id: string, method: string) => Promise<Response>> = {
  inbox: async (call) => pageResponse("Waiting for a decision", inboxPage(await pending(call), call.desk.basePath)),
  list: async (call) => jsonResponse({ approvals: await pending(call) }),
  one: async (call, id) => jsonResponse({ approval: found(call, id) }),
  decision: decideByJson,
  approval: (call, id, method) => (method === "POST" ? decideByForm(call, id) : show(call, found(call, id))),
};

async function pending({ desk, decider, request }: Call): Promise<Approval[]> {
  const threadId = new URL(request.url).searchParams.get("threadId");
  const all = await pendingApprovals(desk.ledger, threadId === null ? {} : { threadId });
  return all.filter((approval) => desk.visible(approval, decider));
}

/** @throws Refused for an id that is not there, or that this person may not see: both look the same */
function found({ desk, decider }: Call, id: string): Approval {
  const approval = new ApprovalTable(desk.ledger.store).find(id);
  if (approval !== undefined && desk.visible(approval, decider)) return approval;
  throw new Refused(404, "APPROVAL_NOT_FOUND", "There is no such approval.");
}

async function decideByJson(call: Call, id: string): Promise<Response> {
  found(call, id);
  const decision = (await jsonOf(call.request)) as DecisionInput;
  const decided = await decideAndWake(call.desk, id, decision, call.decider.by);
  return jsonResponse(decided, statusOf(decided));
}

async function decideByForm(call: Call, id: string): Promise<Response> {
  const approval = found(call, id);
  const fields = await formOf(call.request);
  const { by } = call.decider;
  refuseForgedForm(fields.get("token"), approval, by, call.desk.secret);
  const typed = { args: fields.get("args") ?? undefined, message: fields.get("message") ?? undefined };
  try {
    const decided = await decideAndWake(call.desk, id, decisionIn(fields), by);
    const notice = { text: resultOf(decided), isProblem: !decided.applied };
    return await show(call, decided.approval, { notice }, statusOf(decided));
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined) throw error;
    const notice = { text: refusal.message, isProblem: true };
    return show(call, approval, { notice, typed }, refusal.status);
  }
}

/** What a form says; what is no decision, `decide` refuses. @throws Refused for arguments that are no JSON */
function decisionIn(fields: URLSearchParams): DecisionInput {
  const type = fields.get("decision");
  const message = fields.get("message") ?? "";
  const hash = { actionHash: fields.get("actionHash") ?? "" };
  if (type === "edit") return { type, args: argsIn(fields.get("args") ?? ""), ...hash };
  if (type === "reject") return { type, ...(message === "" ? {} : { message }), ...hash };
  return { type, message, ...hash } as DecisionInput;
}

function argsIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refused(422, "NOT_JSON", `The arguments are not JSON: ${(error as Error).message}. Nothing was written.`);
  }
}

function resultOf({ applied, woken, message }: DecideResult): string {
  if (!applied) return `Nothing was changed. ${message ?? ""}`;
  return woken
    ? "Decided. The thread went on."
    : `Decided, not woken. ${message ?? "The thread goes on when it is resumed."}`;
}

function statusOf({ applied, reason }: DecideResult): number {
  if (applied) return 200;
  return reason === "not-an-approver" ? 403 : 409;
}

async function show(
  { desk, decider: { by } }: Call,
  approval: Approval,
  more: Pick<ApprovalView, "notice" | "typed"> = {},
  status = 200,
): Promise<Response> {
  const now = desk.ledger.store.clock.now();
  const inTime = approval.decideBy === undefined || Date.parse(approval.decideBy) >= now;
  const isOpen = approval.state === "pending" && inTime;
  const stranger = foreign(by, approval);
  const token = tokenFor(approval, by, desk.secret);
  const page = approvalPage({ approval, base: desk.basePath, isOpen, stranger, token, by, ...more });
  return pageResponse(`Approval of ${approval.action}`, page, status);
}
