import { seededRandom } from "../../bench/random.js";
import { changesTheWorld } from "./recording.js";
import type { Conversation } from "./recording.js";

/**
 * Around one world-changing call: `intended`, the ledger knows and the outside does not; `sent`, the outside has done it
 * and the ledger does not know; `looked-up`, the outside was asked about it and nobody has heard the answer.
 */
export type CallMoment = "intended" | "sent" | "looked-up";

/** Around one checkpoint: what its superstep did is not stored yet, or just now. */
export type StepMoment = "unsaved" | "saved";

export function atCall(call: string, moment: CallMoment): string {
  return `${call} ${moment}`;
}

export function atStep(conversation: string, step: number, moment: StepMoment): string {
  return `${conversation} step ${step} ${moment}`;
}

export interface KillPlan {
  readonly seed: number;
  /** How often each conversation is killed at a random superstep, and when. */
  readonly steps: number;
  readonly stepMoments: readonly StepMoment[];
  /** When each world-changing call is killed. */
  readonly callMoments: readonly CallMoment[];
}

/**
 * The places at which each conversation is killed.
 *
 * @param lastStep of a conversation's run that nobody disturbed; LangGraph counts from −1
 */
export function planKills(
  conversations: readonly Conversation[],
  lastStep: (conversation: string) => number,
  { seed, steps, stepMoments, callMoments }: KillPlan,
): Map<string, string[]> {
  const random = seededRandom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const drawStep = (id: string): string =>
    atStep(id, below(lastStep(id) + 2) - 1, stepMoments[below(stepMoments.length)]!);
  return new Map(
    conversations.map(({ id, calls }) => {
      const places = new Set<string>();
      while (places.size < steps) places.add(drawStep(id));
      const dangerous = calls.filter(changesTheWorld);
      return [id, [...places, ...dangerous.flatMap((call) => callMoments.map((moment) => atCall(call.id, moment)))]];
    }),
  );
}
