import { isWakeUp } from "./decision.js";
import { registerRenderer } from "./slots.js";
import type { Question } from "./question.js";
import { referenceTo, type WaitReference, type WaitRequest, type WaitRow } from "./wait.js";

/** What an answer brings for one wait. */
export type EventShare =
  /** Nothing: it only wakes. */
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly problem: string }
  | { readonly kind: "event"; readonly event: AnsweredEvent };

/** An event that came as the answer to the wait's question. */
export interface AnsweredEvent {
  /** Without one, each answer is an event of its own. */
  readonly id?: string;
  readonly payload: unknown;
}

const ABSENT: EventShare = { kind: "absent" };

const HOW_TO_ANSWER =
  "Nothing has to be answered: resume(app, config) goes on when a wait is over. An event is delivered with " +
  "deliverEvent(ledger, { threadId, name, id, payload }), or as the answer { payload, id? }; for several waits, with an " +
  "object from each wait's id to its answer.";

/** The question for one wait, told from its row. */
export function questionAbout(row: WaitRow, place: string): Question {
  return { kind: "wait", place, payload: { wait: referenceTo(row) } };
}

/** Each wait's share of the answer. A sleep has none: any answer wakes it, and none shortens it. */
export function readWaitAnswer(answer: unknown, waits: readonly WaitReference[]): EventShare[] {
  if (isWakeUp(answer)) return waits.map(() => ABSENT);
  const byId = isRecord(answer) ? answer : {};
  const named = waits.some(({ id }) => Object.hasOwn(byId, id));
  const events = waits.filter(({ kind }) => kind === "event").length;
  return waits.map(({ id, kind }): EventShare => {
    if (kind !== "event") return ABSENT;
    if (named) return Object.hasOwn(byId, id) ? readEvent(byId[id]) : ABSENT;
    return events > 1 ? unreadable(`Several events are waited for: answer each by its wait's id.`) : readEvent(answer);
  });
}

/** Reads one event. Only an object with a payload is one: a "yes" that was meant for another question is not. */
export function readEvent(answer: unknown): EventShare {
  if (!isRecord(answer) || !("payload" in answer)) {
    return unreadable("An event is answered as { payload, id? }; anything else is not one.");
  }
  const { id, payload } = answer;
  if (id === undefined) return { kind: "event", event: { payload } };
  if (typeof id === "string" && id !== "") return { kind: "event", event: { id, payload } };
  return unreadable("The id of an event must be a non-empty text.");
}

/** The waits in the payload of one of our questions; empty for every other question. */
export function waitsIn(value: unknown): readonly WaitReference[] {
  const { type, waits } = (value ?? {}) as { type?: unknown; waits?: unknown };
  return type === "waypoint.wait" && Array.isArray(waits) ? (waits as WaitReference[]) : [];
}

function combine(questions: readonly Question[]): WaitRequest {
  const waits = questions.map(({ payload }) => waitOf(payload));
  const [only] = waits;
  const one = waits.length === 1 && only !== undefined ? only : { kind: "several" as const };
  return { type: "waypoint.wait", waypoint: "wait", ...one, waits, answers: HOW_TO_ANSWER };
}

/** As it was asked, with what is known by now. */
function waitOf({ wait, due, problem }: Question["payload"]): WaitReference {
  return {
    ...(wait as WaitReference),
    ...(due === true ? { due } : {}),
    ...(typeof problem === "string" ? { problem } : {}),
  };
}

registerRenderer("wait", {
  combine,
  split: (answer, questions) =>
    readWaitAnswer(
      answer,
      questions.map(({ payload }) => waitOf(payload)),
    ),
});

function unreadable(problem: string): EventShare {
  return { kind: "unreadable", problem };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
