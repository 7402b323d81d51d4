import { AlreadyAnsweredError, InvalidAnswerError } from "./approval-errors.js";
import type { WakeUp } from "./decision.js";
import type { PendingQuestion } from "./pending-questions.js";
import { iso, isDue, type WaitReference, type WaitRow } from "./wait.js";
import { readWaitAnswer, waitsIn, type AnsweredEvent } from "./wait-question.js";

/** An event that a resume brings for a wait that is open. */
export interface EventForWait {
  readonly wait: WaitRow;
  readonly event: AnsweredEvent;
}

/** What a resume does about a question of waits. */
export interface WaitPlan {
  readonly deliver: readonly EventForWait[];
  /** `wait`: it is left alone. `again`: nothing answers it, the node runs again. Else it is answered with `value`. */
  readonly next: "wait" | "again" | { readonly value: unknown };
}

export interface WaitInput {
  readonly threadId: string;
  /** Rows of the waits that are asked about, as far as this thread has them. */
  readonly waits: ReadonlyMap<string, WaitRow>;
  readonly now: number;
}

/** What was given to the question: to the whole of it, or to some of its waits by id. */
interface Given {
  readonly whole?: unknown;
  readonly parts: ReadonlyMap<string, unknown>;
}

/**
 * Goes on with what is due, delivers what is answered, and leaves the rest; a function of its input.
 *
 * @throws InvalidAnswerError, AlreadyAnsweredError
 */
export function planWaits(question: PendingQuestion, given: Given | undefined, input: WaitInput): WaitPlan {
  const waits = waitsIn(question.value);
  if (waits.some(({ id }) => !input.waits.has(id))) return askAnew(question, given, input);
  const due = waits.some(({ id }) => rowIsDue(input.waits.get(id), input.now));
  const unanswerable = waits.find(({ id, kind }) => kind !== "event" && isMeant(id, waits, given));
  if (unanswerable !== undefined && !due) throw notAnswerable(unanswerable, input);
  if (waits.some(({ kind }) => kind === "retry")) return { deliver: [], next: due ? "again" : "wait" };
  const value = wakeUp(question.waitIds);
  if (given === undefined || unanswerable !== undefined) return { deliver: [], next: due ? { value } : "wait" };
  return answered(waits, given, value, input);
}

/** Whether an answer can only be meant for this wait. */
function isMeant(id: string, waits: readonly WaitReference[], given: Given | undefined): boolean {
  if (given === undefined) return false;
  return given.parts.has(id) || (given.whole !== undefined && waits.every(({ kind }) => kind !== "event"));
}

function answered(waits: readonly WaitReference[], given: Given, value: WakeUp, input: WaitInput): WaitPlan {
  const shares = readWaitAnswer(given.whole ?? Object.fromEntries(given.parts), waits);
  const deliver = shares.flatMap((share, index): EventForWait[] => {
    const wait = input.waits.get(waits[index]?.id ?? "") as WaitRow;
    if (share.kind === "unreadable") throw invalid(share.problem, wait.id, input);
    if (share.kind === "absent") return [];
    if (isDue(wait, input.now)) throw over(wait, input);
    return [{ wait, event: share.event }];
  });
  return { deliver, next: { value } };
}

/** The rows are another thread's, which this one was copied from: its node runs, and asks with rows of its own. */
function askAnew({ interruptId }: PendingQuestion, given: Given | undefined, input: WaitInput): WaitPlan {
  if (given === undefined) return { deliver: [], next: "again" };
  throw invalid(
    "It was asked on another thread, or in another ledger. Call resume() without answers, and answer what it asks then.",
    interruptId,
    input,
  );
}

function rowIsDue(row: WaitRow | undefined, now: number): boolean {
  return row !== undefined && isDue(row, now);
}

function wakeUp(decidedElsewhere: readonly string[]): WakeUp {
  return { decidedElsewhere };
}

function notAnswerable({ id, kind, until }: WaitReference, input: WaitInput): InvalidAnswerError {
  const what = kind === "sleep" ? "It sleeps" : "It is tried again";
  return invalid(`${what} at ${until}; no answer makes it earlier.`, id, input);
}

function invalid(problem: string, waitId: string, { threadId }: WaitInput): InvalidAnswerError {
  return new InvalidAnswerError(
    `The answer to wait "${waitId}" of thread "${threadId}" cannot be used: ${problem} Nothing was changed.`,
    { details: { threadId, question: waitId } },
  );
}

function over({ id, name, state, dueAt }: WaitRow, { threadId }: WaitInput): AlreadyAnsweredError {
  const why = state === "waiting" ? `its time was over at ${iso(dueAt ?? 0)}` : "it has its event already";
  return new AlreadyAnsweredError(
    `The wait "${id}" for "${name}" of thread "${threadId}" takes no event any more: ${why}. Nothing was changed. ` +
      "Call resume() without this answer to continue.",
    { details: { threadId, question: id } },
  );
}

/** The event was delivered before, here or by somebody else in this moment. */
export function notTaken({ wait, event }: EventForWait, threadId: string): AlreadyAnsweredError {
  return new AlreadyAnsweredError(
    `The event ${event.id === undefined ? "" : `"${event.id}" `}for wait "${wait.id}" of thread "${threadId}" was delivered before, or ` +
      "the wait took another one in this moment. Nothing was changed. Call resume() without this answer to continue.",
    { details: { threadId, question: wait.id } },
  );
}
