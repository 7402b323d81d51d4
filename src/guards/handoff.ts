import type { BaseMessage } from "@langchain/core/messages";
import { hintFor } from "./hints.js";
import type { Settings } from "./options.js";
import { recordOf } from "./transcript.js";
import { occurrencesOf } from "./tried.js";
import type { Tried } from "./tried.js";
import type { LoopClass, Verdict } from "./verdict.js";

export const HANDOFF_TYPE = "waypoint.loop_tripped";

/** What a person gets to see when a run was stopped; the value of the interrupt. */
export interface LoopHandoff {
  readonly type: typeof HANDOFF_TYPE;
  readonly detector: Verdict["detector"];
  readonly tool: string;
  /** Shortened, without fields that hold secrets. */
  readonly argsPreview: string;
  readonly class: LoopClass;
  readonly count: number;
  readonly firstError?: string;
  readonly lastError?: string;
  readonly tried: readonly Tried[];
  readonly planItem?: string;
  readonly suggestions: readonly string[];
  readonly toolCallIds: readonly string[];
  /** Why the last answer to this question could not be used. */
  readonly problem?: string;
}

/** How a person lets a stopped run go on. */
export type LoopDecision =
  /** Forget what was counted; `guidance` goes to the model as a message of the person. */
  | { readonly decision: "continue"; readonly guidance?: string }
  /** This is no loop: do not count it, so many times more (default: for ever). */
  | { readonly decision: "allow"; readonly times?: number | "forever" }
  /** End the run. */
  | { readonly decision: "stop"; readonly message?: string };

export function handoffOf(
  verdict: Verdict,
  messages: readonly BaseMessage[],
  settings: Settings,
  planItem?: string,
): LoopHandoff {
  const { detector, tool, class: kind, count, evidence } = verdict;
  return {
    type: HANDOFF_TYPE,
    detector,
    tool,
    class: kind,
    count,
    ...(evidence.firstError === undefined ? {} : { firstError: evidence.firstError }),
    ...(evidence.lastError === undefined ? {} : { lastError: evidence.lastError }),
    ...(planItem === undefined ? {} : { planItem }),
    ...occurrencesOf(verdict, messages, settings),
    suggestions: [hintFor(verdict)],
  };
}

/** One sentence for the end of a run, or for an error. */
export function tripText({ tool, count, class: kind, firstError }: LoopHandoff): string {
  const error = firstError === undefined ? "" : ` The first error was: ${firstError}`;
  return `Stopped: the tool "${tool}" was repeated ${count} times without progress (${kind}).${error}`;
}

/** The decision in an answer, or what is wrong with it. */
export function decisionIn(answer: unknown): LoopDecision | { readonly problem: string } {
  const { decision, guidance, times, message } = recordOf(answer);
  switch (decision) {
    case "continue":
      if (guidance === undefined) return { decision };
      return typeof guidance === "string" ? { decision, guidance } : { problem: "guidance must be a text." };
    case "allow":
      if (times === undefined || times === "forever") return { decision, times: "forever" };
      if (typeof times === "number" && Number.isInteger(times) && times > 0) return { decision, times };
      return { problem: 'times must be a whole number of at least 1, or "forever".' };
    case "stop":
      if (message === undefined) return { decision };
      return typeof message === "string" ? { decision, message } : { problem: "message must be a text." };
    default:
      return {
        problem:
          'Answer with { decision: "continue", guidance? }, { decision: "allow", times? } or { decision: "stop", message? }.',
      };
  }
}
