import { Annotation, entrypoint, START, StateGraph, task } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { SlimSaver } from "../../src/checkpointer/index.js";
import { effect } from "../../src/nodes/index.js";

/** One outside call; it takes no time, so that what is measured is what stands around it. */
export type Call = (id: string) => Promise<string>;

export interface Contender {
  readonly label: string;
  /** Makes a run that does so many calls one after the other, each once, in one thread of a database file. */
  open(file: string, call: Call): { run(thread: string, calls: number): Promise<number>; close(): Promise<void> };
}

/**
 * What is compared. Another durable engine that can be embedded is one more entry, on a file of its own with
 * `synchronous = FULL`; none is among this project's packages.
 */
export const CONTENDERS = {
  bare: {
    label: "bare call in a node",
    open: (file, call) => onSlim(file, (saver) => graph(saver, call)),
  },
  task: {
    label: "task(), SlimSaver",
    open: (file, call) => onSlim(file, (saver) => flow(saver, call)),
  },
  taskSqlite: {
    label: "task(), SqliteSaver",
    open: (file, call) => onSqlite(file, "NORMAL", (saver) => flow(saver, call)),
  },
  taskSynced: {
    label: "task(), SqliteSaver, synced",
    open: (file, call) => onSqlite(file, "FULL", (saver) => flow(saver, call)),
  },
  effect: {
    label: "effect()",
    open: (file, call) => {
      const act = effect<{ id: string }, string>({ name: "bench-act", key: ({ id }) => id, run: ({ id }) => call(id) });
      return onSlim(file, (saver) => graph(saver, (id, config) => act({ id }, config as never)));
    },
  },
} as const satisfies Record<string, Contender>;

export type ContenderName = keyof typeof CONTENDERS;
export const CONTENDER_NAMES = Object.keys(CONTENDERS) as ContenderName[];

type Run = (thread: string, calls: number) => Promise<number>;

function onSlim(file: string, make: (saver: BaseCheckpointSaver) => Run): ReturnType<Contender["open"]> {
  const saver = SlimSaver.fromConnString(file);
  return { run: make(saver), close: () => saver.close() };
}

function onSqlite(
  file: string,
  synchronous: "NORMAL" | "FULL",
  make: (saver: BaseCheckpointSaver) => Run,
): ReturnType<Contender["open"]> {
  const saver = SqliteSaver.fromConnString(file);
  saver.db.pragma(`synchronous = ${synchronous}`);
  return { run: make(saver), close: async () => void saver.db.close() };
}

const State = Annotation.Root({ calls: Annotation<number>, done: Annotation<number> });

function graph(checkpointer: BaseCheckpointSaver, call: (id: string, config: object) => Promise<string>): Run {
  const app = new StateGraph(State)
    .addNode("work", async ({ calls }, config) => {
      let done = 0;
      for (const id of idsOf(String(config.configurable?.thread_id), calls)) {
        await call(id, config);
        done += 1;
      }
      return { done };
    })
    .addEdge(START, "work")
    .compile({ checkpointer });
  return async (thread, calls) => (await app.invoke({ calls }, { configurable: { thread_id: thread } })).done;
}

function flow(checkpointer: BaseCheckpointSaver, call: Call): Run {
  const step = task("step", call);
  const app = entrypoint(
    { name: "flow", checkpointer },
    async ({ thread, calls }: { thread: string; calls: number }) => {
      let done = 0;
      for (const id of idsOf(thread, calls)) {
        await step(id);
        done += 1;
      }
      return done;
    },
  );
  return async (thread, calls) => await app.invoke({ thread, calls }, { configurable: { thread_id: thread } });
}

function idsOf(thread: string, calls: number): string[] {
  return Array.from({ length: calls }, (_, index) => `${thread}-${index}`);
}
