import { ToolMessage } from "@langchain/core/messages";
import { UncanonicalValueError } from "../shared/canonical.js";
import type { RunningTask } from "../shared/langgraph.js";
import { decisionOf, type Approval, type Decision } from "./approval.js";
import { ApprovalTable } from "./approval-table.js";
import { ask } from "./ask.js";
import { findLedger, type Ledger } from "./ledger.js";
import type { CallChange, OpenCall } from "./tool-calls.js";
import { approvalRule, askingPolicy, type ToolArgs, type ToolPolicy } from "./tool-policy.js";
import { refusalText } from "./tool-refusal.js";
import { visitOf } from "./visit.js";

/** What becomes of one call: it runs (perhaps changed), or the model gets a message instead. */
export type CallVerdict = { readonly run: ToolArgs } | { readonly message: ToolMessage };

interface Circumstances {
  readonly state: unknown;
  readonly policy: ToolPolicy;
  readonly task: RunningTask;
}

/** Starts asking at once, in the order of the calls, so that the questions go out as one in that order. */
export async function verdictOn(open: OpenCall, { state, policy, task }: Circumstances): Promise<CallVerdict> {
  const { call, index, id } = open;
  const rule = approvalRule(policy, call.name);
  if (rule === undefined) return { run: call.args };
  const ledger = findLedger(policy.ledger, task);
  const slot = `call:${index}`;
  if (rule.when !== undefined && !rule.when(call.args) && !wasAsked(ledger, task, slot)) return { run: call.args };
  try {
    const approval = await ask({
      ledger,
      task,
      config: task.config,
      origin: "middleware",
      action: call.name,
      args: call.args,
      summary: rule.summary?.(call.args),
      planVersion: policy.planVersion?.({ state, config: task.config }),
      toolCallId: id,
      slot,
      policy: askingPolicy(rule, policy),
    });
    return verdictFrom(approval, open);
  } catch (error) {
    if (!(error instanceof UncanonicalValueError)) throw error;
    // A model wrote arguments that no JSON text can hold; it reads why, and may try again.
    return { message: toolMessage(open, error.message, "error") };
  }
}

/** A question that went out stands, even where `when` is of another mind by now. */
function wasAsked({ store }: Ledger, task: RunningTask, slot: string): boolean {
  const rows = new ApprovalTable(store).ofVisit(task.threadId, visitOf(task).id);
  return rows.some((row) => row.slot === slot);
}

export function verdictFrom(approval: Approval, open: OpenCall): CallVerdict {
  const decision = decisionOf<ToolArgs>(approval) as Decision<ToolArgs>;
  if (decision.type === "approve") return { run: open.call.args };
  if (decision.type === "edit") return { run: decision.args };
  const status = decision.type === "respond" ? "success" : "error";
  return { message: toolMessage(open, refusalText(approval), status) };
}

/** What the model gets in place of results. */
export function refusalsIn(verdicts: readonly CallVerdict[]): ToolMessage[] {
  return verdicts.flatMap((verdict) => ("message" in verdict ? verdict.message : []));
}

/** What of the model's message is no longer as it wrote it. */
export function changesBy(verdicts: readonly CallVerdict[], calls: readonly OpenCall[]): CallChange[] {
  return calls.flatMap(({ call, index, id }, at) => {
    const verdict = verdicts[at] as CallVerdict;
    const args = "run" in verdict ? verdict.run : call.args;
    return args === call.args && id === call.id ? [] : { index, id, args };
  });
}

function toolMessage({ call, id }: OpenCall, content: string, status: "error" | "success"): ToolMessage {
  return new ToolMessage({ content, name: call.name, tool_call_id: id, status });
}
