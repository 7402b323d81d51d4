import type { Interrupt, StateSnapshot } from "@langchain/langgraph";
import { waitsIn } from "./wait-question.js";

/** One `interrupt()` that waits for an answer. */
export interface PendingQuestion {
  readonly interruptId: string;
  /** The approvals it asks for, in the order of its `actionRequests`; empty for a question that is not ours. */
  readonly approvalIds: readonly string[];
  /** The waits that it is about; empty for every other question. */
  readonly waitIds: readonly string[];
  readonly value: unknown;
}

export interface OpenQuestions {
  readonly pending: readonly PendingQuestion[];
  /** Interrupts whose answers were taken, and may not be given again: of tasks that have finished, or failed after that. */
  readonly answered: readonly string[];
}

type Task = StateSnapshot["tasks"][number];

/**
 * What a thread asks now, read from `getState(config, { subgraphs: true })`; subgraphs included, each question once.
 *
 * @param taken questions whose answers were taken, although their task has no result
 */
export function openQuestions(snapshot: StateSnapshot, taken: ReadonlySet<string>): OpenQuestions {
  const asked: PendingQuestion[] = [];
  const answered: string[] = [];
  collect(snapshot, asked, answered);
  const pending = asked.filter(({ interruptId }) => !taken.has(interruptId));
  return { pending, answered: [...answered, ...taken] };
}

/** LangGraph keeps the interrupts of a finished task in its list; that it has a result tells. */
function collect(snapshot: StateSnapshot, pending: PendingQuestion[], answered: string[]): void {
  for (const task of snapshot.tasks) {
    if (task.result !== undefined) {
      answered.push(...identified(task.interrupts).map(({ id }) => id));
      continue;
    }
    const inner = nested(task);
    if (inner === undefined) pending.push(...identified(task.interrupts).map(asQuestion));
    else collect(inner, pending, answered);
  }
}

/** A subgraph's questions stand in its own state and again at its parent's task. */
function nested(task: Task): StateSnapshot | undefined {
  const state = task.state;
  return state !== undefined && "tasks" in state && state.tasks.length > 0 ? state : undefined;
}

function identified(interrupts: readonly Interrupt[]): (Interrupt & { id: string })[] {
  return interrupts.filter((one): one is Interrupt & { id: string } => typeof one.id === "string");
}

function asQuestion({ id, value }: Interrupt & { id: string }): PendingQuestion {
  return { interruptId: id, approvalIds: approvalIds(value), waitIds: waitsIn(value).map((wait) => wait.id), value };
}

/** The ids in the payload of one of our questions. */
export function approvalIds(value: unknown): string[] {
  const approvals = (value as { approvals?: unknown } | null | undefined)?.approvals;
  if (!Array.isArray(approvals)) return [];
  return approvals
    .map((entry: { id?: unknown } | null) => entry?.id)
    .filter((id): id is string => typeof id === "string");
}
