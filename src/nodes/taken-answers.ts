import type { StateSnapshot } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { CONTROL, interruptIdOf, scheduledNodes } from "../shared/langgraph.js";

/** Where the failed tasks of one level are looked for. */
interface Level {
  readonly checkpointer: BaseCheckpointSaver;
  readonly threadId: string;
  readonly ns: string;
  /** The nodes that these tasks may be runs of. */
  readonly names: readonly string[];
}

/**
 * Ids of the questions whose answers were taken by tasks that failed after that. LangGraph goes on showing them as open, and
 * gives a second answer to whatever the task asks next.
 */
export async function takenAnswers(
  checkpointer: BaseCheckpointSaver | undefined,
  threadId: string,
  { tasks }: StateSnapshot,
): Promise<Set<string>> {
  if (checkpointer === undefined || tasks.every(({ error }) => error === undefined)) return new Set();
  return new Set(await takenAt({ checkpointer, threadId, ns: "", names: tasks.map(({ name }) => name) }));
}

async function takenAt(level: Level): Promise<string[]> {
  const { checkpointer, threadId, ns } = level;
  const tuple = await checkpointer.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: ns } });
  if (tuple === undefined) return [];
  const { checkpoint, pendingWrites = [] } = tuple;
  const names = [...new Set([...level.names, ...scheduledNodes(checkpoint)])];
  const failed = pendingWrites.filter(([, channel]) => channel === CONTROL.error).map(([task]) => task);
  const taken = failed.flatMap((task) => {
    const answers = pendingWrites.filter(([owner, channel]) => owner === task && channel === CONTROL.resume);
    const count = answers.flatMap(([, , value]) => value).length;
    return names.map((name) => ({ ns: below(ns, name, task), count }));
  });
  const nested = await Promise.all(taken.map((task) => takenAt({ ...level, ns: task.ns, names: [] })));
  return [...taken.flatMap((task) => idsOf(task.ns, task.count)), ...nested.flat()];
}

/** Of the first `count` questions of a task. */
function idsOf(ns: string, count: number): string[] {
  return Array.from({ length: count }, (_, answered) => interruptIdOf(ns, answered) ?? []).flat();
}

function below(ns: string, name: string, task: string): string {
  return ns === "" ? `${name}:${task}` : `${ns}|${name}:${task}`;
}
