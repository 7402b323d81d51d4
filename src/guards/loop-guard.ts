import type { BaseMessage } from "@langchain/core/messages";
import type { AgentMiddleware } from "langchain";
import { z } from "zod";
import { fold } from "./fold.js";
import { contextOf, guardPlan, guardStep, LOOPS_KEY, messagesOf } from "./guard-step.js";
import type { GuardPlan } from "./guard-step.js";
import { loopStateFrom } from "./loop-state.js";
import type { LoopOptions } from "./options.js";
import { remindedMessages } from "./reminder.js";
import { recordOf } from "./transcript.js";

/** langchain knows a middleware by this symbol, which is in the registry so that copies of the package agree on it. */
const MIDDLEWARE_BRAND = Symbol.for("AgentMiddleware");

interface Runtime {
  readonly context?: unknown;
  readonly writer?: ((event: unknown) => void) | undefined;
}

interface ModelRequest {
  readonly messages: BaseMessage[];
  readonly state: Readonly<Record<string, unknown>>;
  readonly runtime?: Runtime;
}

/**
 * Guards an agent of `createAgent` against going in circles: counts, reminds the model, then hands over to a person.
 *
 * - The verdicts are those of `detectLoops` on the same messages, across retries, resumes and new instances.
 * - A reminder is a text on the last tool message of one request of the model; stored messages stay as they are, unless
 *   `persist` is set. One for each streak.
 * - A trip interrupts before the model is called, with a `LoopHandoff`; the answer is a `LoopDecision`. Or it ends the
 *   run with a message, or throws, as `onTrip` says. Without a checkpointer it does what `withoutCheckpointer` says.
 * - It adds one node to the agent, so one superstep for each call of the model, and no `wrapToolCall`: errors of tools
 *   reach the model as they would without it.
 * - For one run: `agent.invoke(input, { context: { loopGuard: { thresholds: … } } })`.
 *
 * @throws LoopOptionsError for options that cannot be used
 * @example
 * const agent = createAgent({ model, tools, middleware: [loopGuard()], checkpointer });
 */
export function loopGuard(options: LoopOptions = {}): AgentMiddleware {
  const planFor = guardPlan(options);
  const middleware = {
    [MIDDLEWARE_BRAND]: true,
    name: "LoopGuard",
    stateSchema: z.object({ [LOOPS_KEY]: z.unknown().optional() }),
    contextSchema: z.object({ loopGuard: z.unknown().optional() }),
    beforeModel: {
      canJumpTo: ["end"],
      hook: (state: Readonly<Record<string, unknown>>, runtime: Runtime) => beforeModel(state, runtime, planFor),
    },
    wrapModelCall: (request: ModelRequest, handler: (request: ModelRequest) => unknown) =>
      handler(withReminderIn(request, planFor)),
  };
  return middleware as unknown as AgentMiddleware;
}

type PlanFor = (overrides: unknown) => GuardPlan;

function beforeModel(state: Readonly<Record<string, unknown>>, runtime: Runtime, planFor: PlanFor) {
  const plan = planFor(recordOf(runtime.context).loopGuard);
  if (!plan.enabled) return undefined;
  const step = guardStep({ state, plan, writer: runtime.writer });
  if (step === undefined) return undefined;
  return {
    [LOOPS_KEY]: step.loops,
    ...(step.messages.length === 0 ? {} : { messages: [...step.messages] }),
    ...(step.ends ? { jumpTo: "end" } : {}),
  };
}

/**
 * A rejected call sends the agent straight to the model, past the hook: what is new is read here as well. Nothing of it
 * is kept; the next hook reads the same and finds the same.
 */
function withReminderIn(request: ModelRequest, planFor: PlanFor): ModelRequest {
  const plan = planFor(recordOf(request.runtime?.context).loopGuard);
  if (!plan.enabled) return request;
  const { state } = request;
  const loops = loopStateFrom(state[LOOPS_KEY]);
  fold(loops, messagesOf(state), plan.settings);
  if (loops.reminder === null) return request;
  const context = contextOf({ state, plan });
  return { ...request, messages: remindedMessages(loops, { ...context, messages: request.messages }) };
}
