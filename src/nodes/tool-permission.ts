import type { RunningTask } from "../shared/langgraph.js";
import type { Approval } from "./approval.js";
import { ApprovalTable } from "./approval-table.js";
import type { AskRequest } from "./ask.js";
import { askUntilUsable, isGranted, usable, type EffectOf } from "./ask-anew.js";
import { actionHash, freezeArgs } from "./frozen-action.js";
import { stopOrReturn } from "./latch.js";
import type { Ledger } from "./ledger.js";
import { deskOf } from "./slots.js";
import { approvalRule, askingPolicy, type ToolArgs, type ToolPolicy } from "./tool-policy.js";
import { visitOf } from "./visit.js";

/** A call that is about to run. */
export interface ToolCallRequest {
  readonly tool: string;
  /** As the model wrote them. */
  readonly args: ToolArgs;
  readonly task: RunningTask;
  readonly ledger: Ledger;
  readonly policy: ToolPolicy;
  readonly planVersion: number | string | undefined;
  readonly effectOf: EffectOf;
}

/**
 * The decided approval that this call runs, or does not run, under; undefined when it needs none.
 *
 * What `safeToolsMiddleware` asked for counts when it is the newest for this call id in this agent, was made for these
 * very arguments, and is not spent on another visit. Without one, the tool asks by itself;
 * so it does for one that cannot be used any more.
 *
 * @throws GraphInterrupt while nobody has decided
 */
export async function permissionFor(request: ToolCallRequest): Promise<Approval | undefined> {
  const { tool, args, task, ledger, policy } = request;
  const table = new ApprovalTable(ledger.store);
  const visit = visitOf(task);
  const asked = askedBefore(table, request);
  if (asked !== undefined && !isGranted(asked)) return asked;
  const rule = approvalRule(policy, tool);
  if (rule === undefined) return asked;
  const slot = slotOf(tool, args);
  const own = table.ofVisit(visit.threadId, visit.id).some((row) => row.slot === slot);
  if (asked === undefined && !own && rule.when !== undefined && !rule.when(args)) return undefined;
  const asking: AskRequest = {
    ledger,
    task,
    config: task.config,
    origin: "tool",
    action: tool,
    args,
    summary: rule.summary?.(args),
    planVersion: request.planVersion,
    toolCallId: task.toolCallId,
    slot,
    policy: askingPolicy(rule, policy),
  };
  const { effectOf } = request;
  const desk = deskOf(ledger, task);
  const place = `ask:${visit.id}:${slot}`;
  return desk.track(() =>
    stopOrReturn({ ledger, desk, task, visit, place }, () =>
      asked === undefined ? askUntilUsable(asking, effectOf) : usable(asked, asking, effectOf),
    ),
  );
}

/** By what is asked for: a model may give two calls of one message the same id, and then they are one visit. */
function slotOf(tool: string, args: ToolArgs): string {
  return `call:${actionHash(tool, freezeArgs(args).text, undefined)}`;
}

/** The decision that the middleware got for this very call, if it stands. */
function askedBefore(
  table: ApprovalTable,
  { tool, args, task }: Pick<ToolCallRequest, "tool" | "args" | "task">,
): Approval | undefined {
  if (task.toolCallId === undefined) return undefined;
  const newest = table
    .ofToolCall(task.threadId, task.toolCallId)
    .find(
      (row) => row.origin === "middleware" && row.action === tool && isSameGraph(row.checkpointNs, task.checkpointNs),
    );
  if (newest === undefined || newest.state === "pending") return undefined;
  const { text, hash } = freezeArgs(args);
  if (newest.state !== "approved" && newest.state !== "edited") {
    // Rejected, answered or expired: it never runs, whatever routes it here.
    return newest.argsHash === hash ? newest : undefined;
  }
  const fits = newest.decidedHash === actionHash(tool, text, newest.summary);
  const spentIn = table.follower(newest.id, task.threadId)?.visit ?? newest.usedIn;
  return fits && (spentIn === undefined || spentIn === visitOf(task).id) ? newest : undefined;
}

/** The refusal that another visit got for this very call: it never runs, whatever routes it here. */
export function refusedElsewhere(
  ledger: Ledger,
  { tool, args, task }: Pick<ToolCallRequest, "tool" | "args" | "task">,
): Approval | undefined {
  const asked = askedBefore(new ApprovalTable(ledger.store), { tool, args, task });
  return asked === undefined || isGranted(asked) || asked.visit === visitOf(task).id ? undefined : asked;
}

/** Two nodes of one run of one graph: their namespaces differ in the last segment. Subagents may share call ids. */
function isSameGraph(one: string, other: string): boolean {
  return graphOf(one) === graphOf(other);
}

function graphOf(checkpointNs: string): string {
  return checkpointNs.split("|").slice(0, -1).join("|");
}
