import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { MessagesAnnotation, StateSnapshot } from "@langchain/langgraph";
import { answerTask } from "../child.js";
import { compileLoop } from "../growth/graph.js";
import type { Loop } from "../growth/graph.js";
import { SAVERS } from "../growth/savers.js";
import type { BenchSaver, SaverName } from "../growth/savers.js";
import { Stopwatch } from "../stopwatch.js";
import type { ForkKind } from "./fork-kinds.js";

type State = typeof MessagesAnnotation.State;

/** Forks a finished thread from old checkpoints spread over its history, in a process that has not seen it. */
export interface ForkTask {
  readonly saver: SaverName;
  readonly file: string;
  readonly thread: string;
  readonly kind: ForkKind;
  readonly forks: number;
}

export interface ForkAnswer {
  /** All forks; finding the old checkpoints does not count. */
  readonly ms: number;
  /** Of each fork: messages where it began, and where it ended. */
  readonly messages: (readonly [before: number, after: number])[];
}

/** What is said in a fork: little, so that what a fork costs by itself is what is measured. */
const TEXT = "another way";

await answerTask(async ({ saver: name, file, thread, kind, forks }: ForkTask): Promise<ForkAnswer> => {
  const saver: BenchSaver = SAVERS[name];
  const watch = new Stopwatch();
  const { checkpointer, close } = saver.open(file);
  const app = compileLoop(checkpointer, saver.channel, () => TEXT);
  const messages: [number, number][] = [];
  for (const config of await oldCheckpoints(app, thread, kind, forks)) {
    const before = await count(app, config);
    const forked = await watch.time(() => fork(app, config, kind));
    messages.push([before, await count(app, forked)]);
  }
  await close();
  return { ms: watch.ms, messages };
});

/** Evenly spread over the history: where a turn was over, or where the model was about to give its last answer. */
async function oldCheckpoints(app: Loop, thread: string, kind: ForkKind, wanted: number): Promise<RunnableConfig[]> {
  const found: RunnableConfig[] = [];
  for await (const state of app.getStateHistory(threadConfig(thread))) {
    if (fits(state, kind)) found.push(state.config);
  }
  const old = found.slice(1);
  return Array.from({ length: wanted }, (_, index) => old[Math.floor((index * old.length) / wanted)]!);
}

function fits(state: StateSnapshot, kind: ForkKind): boolean {
  if (kind === "updateState") return state.next.length === 0;
  return state.next[0] === "model" && ToolMessage.isInstance((state.values as State).messages.at(-1));
}

/** Where the fork ended. */
async function fork(app: Loop, config: RunnableConfig, kind: ForkKind): Promise<RunnableConfig> {
  if (kind === "updateState") return app.updateState(config, { messages: [new HumanMessage(TEXT)] });
  await app.invoke(null, config);
  return threadConfig((config.configurable as { thread_id: string }).thread_id);
}

async function count(app: Loop, config: RunnableConfig): Promise<number> {
  const state = await app.getState(config);
  return (state.values as State).messages.length;
}

function threadConfig(thread: string) {
  return { configurable: { thread_id: thread } };
}
