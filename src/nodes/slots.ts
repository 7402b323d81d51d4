/**
 * The slot protocol. LangGraph gives answer k to the k-th `interrupt()` call of a task, whatever that call asks. So
 * each question of ours is written down before it is asked, and every later pass spends its `interrupt()` call again at
 * the same place, in the same order, even when the matter was decided elsewhere meanwhile. A question never comes out
 * of the middle of concurrent work: it waits until no other operation of ours runs, and goes out together with theirs.
 */
import { forgetStaleAnswer, type RunningTask } from "../shared/langgraph.js";
import { processWide } from "../shared/process-wide.js";
import { slotUsed } from "../shared/slot-use.js";
import { storeOf } from "../store/home.js";
import { AttemptDesk } from "./desk.js";
import { nearestLedger, type Ledger } from "./ledger.js";
import type { Desk, QuestionKind, Renderer } from "./question.js";

export type { Desk, Question, QuestionKind, Renderer } from "./question.js";

const renderers = processWide("renderers", () => new Map<QuestionKind, Renderer>());
const desks = processWide("desks", () => new WeakMap<object, AttemptDesk>());

/** Says how questions of a kind look, and how their answer is read. */
export function registerRenderer(kind: QuestionKind, renderer: Renderer): void {
  renderers.set(kind, renderer);
}

/** The desk of an attempt: the same object for all its operations. A new attempt closes the desk of the one before. */
export function deskOf(ledger: Ledger, task: RunningTask): Desk {
  slotUsed();
  const current = desks.get(task.scratchpad);
  if (current?.pass === task.pass) return current.for(task);
  current?.supersede();
  forgetStaleAnswer(task);
  const store = storeOf(task.checkpointer) ?? nearestLedger(task)?.store ?? ledger.store;
  const desk = new AttemptDesk(store, task, renderers);
  desks.set(task.scratchpad, desk);
  return desk;
}
