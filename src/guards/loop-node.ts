import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, Command, END } from "@langchain/langgraph";
import { fold } from "./fold.js";
import { guardPlan, guardStep, LOOPS_KEY } from "./guard-step.js";
import { loopStateFrom } from "./loop-state.js";
import type { LoopState } from "./loop-state.js";
import { settingsOf } from "./options.js";
import type { LoopOptions } from "./options.js";
import { planItemOf } from "./plan-item.js";
import { remindedMessages } from "./reminder.js";
import { recordOf } from "./transcript.js";

/**
 * The part of a graph's state that `loopGuardNode` needs beside `messages`.
 *
 * @example const State = Annotation.Root({ ...MessagesAnnotation.spec, ...loopGuardState });
 */
export const loopGuardState = { [LOOPS_KEY]: Annotation<LoopState | undefined> };

/** What a graph's state has, as far as the guard looks at it. */
export interface GuardedState {
  readonly messages: readonly BaseMessage[];
  readonly [LOOPS_KEY]?: LoopState | undefined;
}

export interface LoopUpdate {
  [LOOPS_KEY]?: LoopState;
  messages?: BaseMessage[];
}

interface NodeConfig extends RunnableConfig {
  readonly context?: unknown;
  readonly writer?: (event: unknown) => void;
}

/**
 * The guard of `loopGuard` as a node of a StateGraph, between the tools and the model; the verdicts are the same.
 *
 * - It reads `messages` and writes the channel of `loopGuardState`.
 * - With `next` it decides by `Command` where to go: to that node, or to the end. Without it your edges decide; after a
 *   trip that ends the run, `loopGuardEnded(state)` is true.
 * - The reminder goes into the request of the model through `withReminder`.
 *
 * @throws LoopOptionsError for options that cannot be used
 * @example
 * graph.addNode("guard", loopGuardNode({ next: "agent" }), { ends: ["agent", END] }).addEdge("tools", "guard");
 */
export function loopGuardNode(
  options: LoopOptions = {},
): (state: GuardedState, config?: RunnableConfig) => LoopUpdate | Command {
  const planFor = guardPlan(options);
  const { next } = options;
  return (state, config) => {
    const { context, writer } = (config ?? {}) as NodeConfig;
    const plan = planFor(recordOf(context).loopGuard);
    const given = state as unknown as Readonly<Record<string, unknown>>;
    const step = plan.enabled ? guardStep({ state: given, plan, config, writer }) : undefined;
    const update: LoopUpdate = step === undefined ? {} : { [LOOPS_KEY]: step.loops };
    if (step !== undefined && step.messages.length > 0) update.messages = [...step.messages];
    if (step?.ends === true) return new Command({ update: { ...update }, goto: END });
    return next === undefined ? update : new Command({ update: { ...update }, goto: next });
  };
}

/** Whether the guard has ended the run: for a conditional edge behind `loopGuardNode`, where it has no `next`. */
export function loopGuardEnded(state: GuardedState): boolean {
  return (state[LOOPS_KEY]?.tripped ?? null) !== null;
}

/**
 * The messages for the model's request: with the reminder on the last tool message, when one is due. What is given stays
 * as it is, and so do the stored messages.
 *
 * @param state the graph's state, as the node got it
 * @param options those of the `loopGuardNode`
 * @example const answer = await model.invoke(withReminder(state.messages, state));
 */
export function withReminder(
  messages: readonly BaseMessage[],
  state: GuardedState,
  options: LoopOptions = {},
): BaseMessage[] {
  const settings = settingsOf(options);
  const loops = loopStateFrom(state[LOOPS_KEY]);
  fold(loops, state.messages, settings);
  const planItem = planItemOf(state as unknown as Readonly<Record<string, unknown>>, options);
  return remindedMessages(loops, { messages, settings, planItem });
}
