import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { interruptIn, runningTask } from "../shared/langgraph.js";
import { LoopTrippedError } from "./errors.js";
import { fold } from "./fold.js";
import { decisionIn, handoffOf, tripText } from "./handoff.js";
import type { LoopDecision, LoopHandoff } from "./handoff.js";
import { forgetCounts, keep, KEPT, loopStateFrom } from "./loop-state.js";
import type { LoopState } from "./loop-state.js";
import { overridden, settingsOf } from "./options.js";
import type { LoopOptions, Settings, TripAction } from "./options.js";
import { planItemOf } from "./plan-item.js";
import { persistedReminder } from "./reminder.js";
import { GUARD_NAME, listOf, MARK, recordOf } from "./transcript.js";
import type { Verdict } from "./verdict.js";

/** The channel that the guard's state is kept in, in both shells. */
export const LOOPS_KEY = "_waypointLoops";

/** Options that were looked at, and what they come to. */
export interface GuardPlan {
  readonly options: LoopOptions;
  readonly settings: Settings;
  readonly enabled: boolean;
}

/** Where a shell calls the guard from. */
export interface GuardCall {
  readonly state: Readonly<Record<string, unknown>>;
  readonly plan: GuardPlan;
  readonly config?: RunnableConfig | undefined;
  readonly writer?: ((event: unknown) => void) | undefined;
}

export interface GuardStep {
  readonly loops: LoopState;
  readonly messages: readonly BaseMessage[];
  /** The run ends here. */
  readonly ends: boolean;
}

/**
 * The options of a guard, looked at once.
 *
 * @throws LoopOptionsError
 */
export function guardPlan(options: LoopOptions): (overrides: unknown) => GuardPlan {
  const own: GuardPlan = { options, settings: settingsOf(options), enabled: true };
  return (overrides) => {
    if (overrides === undefined || overrides === null) return own;
    const given = overridden(options, overrides);
    return { ...given, settings: settingsOf(given.options) };
  };
}

export function messagesOf(state: Readonly<Record<string, unknown>>): readonly BaseMessage[] {
  return listOf(state.messages) as readonly BaseMessage[];
}

/**
 * One step of the guard: reads what is new, tells who listens, and carries out a trip. Undefined where nothing changed.
 *
 * @throws GraphInterrupt while a person is asked; LoopTrippedError where a trip is to throw
 */
export function guardStep(call: GuardCall): GuardStep | undefined {
  const { state, plan } = call;
  const messages = messagesOf(state);
  const stored: unknown = state[LOOPS_KEY];
  const loops = loopStateFrom(stored);
  const verdicts = fold(loops, messages, plan.settings);
  if (loops.cursor.length === recordOf(recordOf(stored).cursor).length && verdicts.length === 0) {
    if (loops.cursor.last === recordOf(recordOf(stored).cursor).last) return undefined;
  }
  for (const verdict of verdicts) tell(verdict, call);
  const trip = verdicts.findLast(({ level }) => level === "trip");
  if (trip !== undefined && loops.tripped !== null) return carryOut(trip, loops, call);
  const kept = plan.options.persist === true ? persistedReminder(loops, contextOf(call)) : undefined;
  return { loops, messages: kept === undefined ? [] : [kept], ends: false };
}

export function contextOf({ state, plan }: GuardCall) {
  const planItem = planItemOf(state, plan.options);
  return { messages: messagesOf(state), settings: plan.settings, planItem };
}

function tell(verdict: Verdict, { plan, writer }: GuardCall): void {
  try {
    plan.options.onVerdict?.(verdict);
    writer?.({ type: "waypoint.loop", ...verdict });
  } catch {
    // Whoever listens must not break the run that is listened to.
  }
}

function carryOut(trip: Verdict, loops: LoopState, call: GuardCall): GuardStep {
  const { messages, settings, planItem } = contextOf(call);
  const handoff = handoffOf(trip, messages, settings, planItem);
  switch (actionOf(call)) {
    case "error":
      throw new LoopTrippedError(
        `${tripText(handoff)} Continue the thread with a new message that says what to do differently; the same input ` +
          "again would end the same way.",
        { details: { handoff } },
      );
    case "end":
      return ended(loops, tripText(handoff), handoff);
    case "interrupt":
      return afterDecision(ask(handoff, call), trip, loops, handoff);
  }
}

/** Without a checkpointer nobody could ever answer. */
function actionOf({ plan: { options }, config }: GuardCall): TripAction {
  const { onTrip = "interrupt", withoutCheckpointer = "error" } = options;
  if (onTrip !== "interrupt") return onTrip;
  return runningTask(config)?.checkpointer === undefined ? withoutCheckpointer : "interrupt";
}

/** Asks until the answer is one. @throws GraphInterrupt while it is not answered */
function ask(handoff: LoopHandoff, { config }: GuardCall): LoopDecision {
  const task = runningTask(config);
  if (task === undefined) throw new LoopTrippedError(tripText(handoff), { details: { handoff } });
  let problem: string | undefined;
  for (;;) {
    const answer = interruptIn(task, problem === undefined ? handoff : { ...handoff, problem });
    const decision = decisionIn(answer);
    if (!("problem" in decision)) return decision;
    problem = decision.problem;
  }
}

function afterDecision(decision: LoopDecision, trip: Verdict, loops: LoopState, handoff: LoopHandoff): GuardStep {
  switch (decision.decision) {
    case "continue": {
      forgetCounts(loops);
      const { guidance } = decision;
      return { loops, messages: guidance === undefined ? [] : [new HumanMessage(guidance)], ends: false };
    }
    case "allow": {
      forgetCounts(loops);
      const times = typeof decision.times === "number" ? decision.times : true;
      for (const key of new Set([trip.key, ...(trip.evidence.lap ?? [])])) {
        keep(loops.allowed, { key, times }, KEPT.allowed);
      }
      return { loops, messages: [], ends: false };
    }
    case "stop":
      return ended(loops, decision.message ?? tripText(handoff), handoff);
  }
}

/** The last message says that this is no success. */
function ended(loops: LoopState, text: string, handoff: LoopHandoff): GuardStep {
  const { tool, count, detector, class: kind } = handoff;
  const kwargs = { [MARK]: { tripped: true, tool, count, detector, class: kind } };
  const fields = { content: text, name: GUARD_NAME, additional_kwargs: kwargs };
  return { loops, messages: [new AIMessage(fields)], ends: true };
}
