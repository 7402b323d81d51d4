import type { BaseMessage } from "@langchain/core/messages";
import type { AgentMiddleware } from "langchain";
import { InvalidInputError } from "../shared/errors.js";
import { runningTask } from "../shared/langgraph.js";
import { changesBy, refusalsIn, verdictOn, type CallVerdict } from "./call-verdict.js";
import { openCalls, withChangedCalls, type OpenCalls } from "./tool-calls.js";
import { checkPolicy, type ToolPolicy } from "./tool-policy.js";

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

function updateFor({ message, calls, answered }: OpenCalls, verdicts: readonly CallVerdict[]): AgentUpdate | undefined {
  const refusals = refusalsIn(verdicts);
  const changes = changesBy(verdicts, calls);
  if (refusals.length === 0 && changes.length === 0) return undefined;
  const messages = changes.length === 0 ? refusals : [withChangedCalls(message, changes), ...refusals];
  // With nothing left to run, the agent would end here: a model has to read why.
  const nothingRuns = refusals.length > 0 && refusals.length + answered === message.tool_calls?.length;
  return nothingRuns ? { messages, jumpTo: "model" } : { messages };
}
