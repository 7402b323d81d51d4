import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { AgentMiddleware } from "langchain";
import { UncanonicalValueError } from "../shared/canonical.js";
import { InvalidInputError } from "../shared/errors.js";
import { runningTask, type RunningTask } from "../shared/langgraph.js";
import { decisionOf, type Approval, type Decision } from "./approval.js";
import { ApprovalTable } from "./approval-table.js";
import { ask } from "./ask.js";
import { findLedger, type Ledger } from "./ledger.js";
import { openCalls, withChangedCalls, type CallChange, type OpenCall, type OpenCalls } from "./tool-calls.js";
import { approvalRule, askingPolicy, checkPolicy, type ToolArgs, type ToolPolicy } from "./tool-policy.js";
import { refusalText } from "./tool-refusal.js";
import { visitOf } from "./visit.js";

/** langchain knows a middleware by this symbol, which is in the registry so that copies of the package agree on it. */
const MIDDLEWARE_BRAND = Symbol.for("AgentMiddleware");

interface AgentState {
  readonly messages: BaseMessage[];
}

interface AgentUpdate {
  messages: BaseMessage[];
  jumpTo?: "model";
}

/**
 * Asks for the tool calls of a model's message before any of them runs; for `createAgent`, beside `safeTools`.
 *
 * - All calls whose rule says `approval` become one question in langchain's `HITLRequest` shape; nothing of the message
 *   runs until every one is decided.
 * - A rejected call becomes a tool message bound to its id, with the reason; approved and free siblings run all the
 *   same. When none is left, the model goes on at once.
 * - An edited call replaces the original in the model's message. A call whose id was used before gets a fresh one.
 * - It defines no `wrapToolCall`: what runs is guarded by `safeTools`, which looks at the same rows.
 *
 * @param policy the same as for `safeTools`
 * @throws InvalidInputError for a policy that contradicts itself
 * @example
 * const agent = createAgent({ model, tools: safeTools(tools, policy), middleware: [safeToolsMiddleware(policy)], checkpointer });
 */
export function safeToolsMiddleware(policy: ToolPolicy): AgentMiddleware {
  checkPolicy(policy);
  const middleware = {
    [MIDDLEWARE_BRAND]: true,
    name: "SafeToolsMiddleware",
    afterModel: {
      canJumpTo: ["model"],
      hook: (state: AgentState) => decideCalls(state, policy),
    },
  };
  return middleware as unknown as AgentMiddleware;
}

async function decideCalls(state: AgentState, policy: ToolPolicy): Promise<AgentUpdate | undefined> {
  const open = openCalls(state.messages);
  if (open === undefined) return undefined;
  const task = runningTask();
  if (task === undefined) {
    throw new InvalidInputError("safeToolsMiddleware ran outside a graph; give it to createAgent({ middleware }).");
  }
  const verdicts = await Promise.all(open.calls.map((call) => verdictOn(call, { state, policy, task })));
  return updateFor(open, verdicts);
}

/** What becomes of one call: it runs (perhaps changed), or the model gets a message instead. */
type Verdict = { readonly run: ToolArgs } | { readonly message: ToolMessage };

interface Circumstances {
  readonly state: AgentState;
  readonly policy: ToolPolicy;
  readonly task: RunningTask;
}

/** Starts asking at once, in the order of the calls, so that the questions go out as one in that order. */
async function verdictOn(open: OpenCall, { state, policy, task }: Circumstances): Promise<Verdict> {
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

function verdictFrom(approval: Approval, open: OpenCall): Verdict {
  const decision = decisionOf<ToolArgs>(approval) as Decision<ToolArgs>;
  if (decision.type === "approve") return { run: open.call.args };
  if (decision.type === "edit") return { run: decision.args };
  const status = decision.type === "respond" ? "success" : "error";
  return { message: toolMessage(open, refusalText(approval), status) };
}

function updateFor({ message, calls, answered }: OpenCalls, verdicts: readonly Verdict[]): AgentUpdate | undefined {
  const refusals = verdicts.flatMap((verdict) => ("message" in verdict ? verdict.message : []));
  const changes = calls.flatMap((open, at) => changeOf(open, verdicts[at] as Verdict) ?? []);
  if (refusals.length === 0 && changes.length === 0) return undefined;
  const messages = changes.length === 0 ? refusals : [withChangedCalls(message, changes), ...refusals];
  // With nothing left to run, the agent would end here: a model has to read why.
  const nothingRuns = refusals.length > 0 && refusals.length + answered === message.tool_calls?.length;
  return nothingRuns ? { messages, jumpTo: "model" } : { messages };
}

function changeOf({ call, index, id }: OpenCall, verdict: Verdict): CallChange | undefined {
  const args = "run" in verdict ? verdict.run : call.args;
  return args === call.args && id === call.id ? undefined : { index, id, args };
}

function toolMessage({ call, id }: OpenCall, content: string, status: "error" | "success"): ToolMessage {
  return new ToolMessage({ content, name: call.name, tool_call_id: id, status });
}
