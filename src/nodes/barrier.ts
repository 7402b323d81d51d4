import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { neverStored, underExit } from "../checkpointer/durability.js";
import { systemClock } from "../shared/clock.js";
import type { RunningTask } from "../shared/langgraph.js";
import { storeOf } from "../store/home.js";
import type { Ledger } from "./ledger.js";

/** SlimSaver knows by itself what it has stored and synced. */
interface KnowsDurability {
  whenDurable(config: RunnableConfig, options: { sync: boolean }): Promise<void>;
}

const PATIENCE_MS = 10_000;
const POLL_MS = 5;

/** Tasks whose checkpoints were found in a saver of another kind; they do not change while the task runs. */
const found = new WeakSet<object>();

/**
 * Waits until the checkpoints that name this visit are stored: before that, a crash would bring the visit back under
 * another id. Without a checkpointer there is nothing to wait for.
 *
 * @param config where LangGraph's own was not handed on
 * @param ledger the caller's next synced commit, if it goes to the saver's own database: it syncs the checkpoints too
 * @param keyed the caller is found again by a key of the business, not by its visit: levels that keep no checkpoints
 *   (`checkpointer: false`) are left out
 * @throws NotDurableError under `durability: "exit"`, or when a checkpoint does not appear in time
 */
export async function barrier(
  task: RunningTask,
  config: RunnableConfig = task.config,
  ledger?: Ledger,
  keyed = false,
): Promise<void> {
  const { checkpointer, threadId, checkpointMap, scratchpad } = task;
  if (checkpointer === undefined) return;
  if (task.durability === "exit") throw underExit(threadId);
  const levels = keyed ? await keptLevels(checkpointer, task) : checkpointMap;
  if (knowsDurability(checkpointer)) {
    const handedOn = config.configurable?.checkpoint_map === undefined ? task.config : config;
    const configurable = { ...handedOn.configurable, checkpoint_map: levels };
    await checkpointer.whenDurable(keyed ? { ...handedOn, configurable } : handedOn, {
      sync: storeOf(checkpointer) !== ledger?.store,
    });
    return;
  }
  if (found.has(scratchpad)) return;
  await Promise.all(Object.entries(levels).map(([ns, id]) => untilReadable(checkpointer, threadId, ns, id)));
  if (levels === checkpointMap) found.add(scratchpad);
}

type Levels = Readonly<Record<string, string>>;

/** Levels of tasks that were looked at before. */
const kept = new WeakMap<object, Levels>();

/** The levels that have checkpoints. LangGraph hands a graph without a checkpointer that of the graph around it. */
async function keptLevels(
  saver: BaseCheckpointSaver,
  { threadId, checkpointMap, scratchpad }: RunningTask,
): Promise<Levels> {
  const known = kept.get(scratchpad);
  if (known !== undefined) return known;
  const levels: Record<string, string> = {};
  for (const [ns, id] of Object.entries(checkpointMap)) {
    const configurable = { thread_id: threadId, checkpoint_ns: ns };
    if (ns === "" || (await saver.getTuple({ configurable })) !== undefined) levels[ns] = id;
  }
  kept.set(scratchpad, levels);
  return levels;
}

/** Whether a saver can be waited for without reading it again and again. */
export function knowsDurability(saver: object): saver is KnowsDurability {
  return "whenDurable" in saver && typeof saver.whenDurable === "function";
}

/** Real time, not the ledger's clock: this waits for a database, and a test's clock does not move it. */
async function untilReadable(saver: BaseCheckpointSaver, threadId: string, ns: string, id: string): Promise<void> {
  const configurable = { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id };
  const until = systemClock.now() + PATIENCE_MS;
  while ((await saver.getTuple({ configurable })) === undefined) {
    if (systemClock.now() > until) throw neverStored(threadId, ns, id, PATIENCE_MS);
    await systemClock.sleep(POLL_MS);
  }
}
