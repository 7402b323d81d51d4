import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, MemorySaver, MessagesAnnotation, START, StateGraph, interrupt } from "@langchain/langgraph";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { describe, expect, it } from "vitest";
import { ImportMismatchError, importThreads } from "../../src/checkpointer/index.js";
import { InvalidInputError } from "../../src/shared/errors.js";
import { openSaver, thread } from "./harness.js";

const inner = new StateGraph(MessagesAnnotation)
  .addNode("say", () => ({ messages: [new AIMessage("from within")] }))
  .addEdge(START, "say");

/** Two turns, a subgraph and a question in each. */
const graph = new StateGraph(MessagesAnnotation)
  .addNode("inner", inner.compile())
  .addNode("ask", () => ({ messages: [new AIMessage(`answered ${interrupt<string, string>("go on?")}`)] }))
  .addEdge(START, "inner")
  .addEdge("inner", "ask");

async function fill(saver: BaseCheckpointSaver): Promise<void> {
  const app = graph.compile({ checkpointer: saver });
  for (const name of ["a", "b"]) {
    await app.invoke({ messages: [new HumanMessage(`hello from ${name}`)] }, thread(name));
    await app.invoke(new Command({ resume: "yes" }), thread(name));
    await app.invoke({ messages: [new HumanMessage("once more")] }, thread(name));
  }
  const [, , early] = await historyOf(saver, "a");
  await app.updateState(early?.config ?? {}, { messages: [new HumanMessage("a fork")] });
}

async function historyOf(saver: BaseCheckpointSaver, name: string) {
  const tuples = [];
  for await (const tuple of saver.list({ configurable: { thread_id: name } })) tuples.push(tuple);
  return tuples;
}

const backwards = <T extends object>(record: T): T => Object.fromEntries(Object.entries(record).reverse()) as T;

/** As a store does that keeps JSON in columns of a database: channels, nodes and parts come in the order of the store. */
class Reordering extends MemorySaver {
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await super.getTuple(config);
    if (tuple === undefined) return undefined;
    const { channel_values, channel_versions, versions_seen } = tuple.checkpoint;
    const parts = {
      channel_values: backwards(channel_values),
      channel_versions: backwards(channel_versions),
      versions_seen: backwards(versions_seen),
    };
    return { ...tuple, checkpoint: backwards({ ...tuple.checkpoint, ...parts }) };
  }
}

const sources: [string, () => BaseCheckpointSaver][] = [
  ["SqliteSaver", () => SqliteSaver.fromConnString(":memory:")],
  ["MemorySaver", () => new MemorySaver()],
  ["another SlimSaver", () => openSaver()],
  ["a checkpointer that names channels in an order of its own", () => new Reordering()],
];

describe.each(sources)("importThreads from %s (R55)", (_name, open) => {
  it("brings every checkpoint of every namespace, and the threads go on where they were", async () => {
    const [from, to] = [open(), openSaver()];
    await fill(from);
    const report = await importThreads(from, to);
    for (const name of ["a", "b"]) {
      const [theirs, ours] = [await historyOf(from, name), await historyOf(to, name)];
      expect(ours.map(({ checkpoint }) => checkpoint.id).sort()).toEqual(
        theirs.map(({ checkpoint }) => checkpoint.id).sort(),
      );
    }
    expect(report).toMatchObject({ threads: 2, alreadyThere: 0 });
    expect((await to.position("b"))?.state).toBe("waiting");
    expect((await to.listThreads({ state: "waiting" })).threads.map(({ threadId }) => threadId)).toContain("b");
    const done = await graph.compile({ checkpointer: to }).invoke(new Command({ resume: "of course" }), thread("b"));
    expect(done.messages.map((message: BaseMessage) => message.text)).toEqual([
      "hello from b",
      "from within",
      "answered yes",
      "once more",
      "from within",
      "answered of course",
    ]);
  });

  it("goes on where it was broken off, and brings only the threads that it was asked for", async () => {
    const [from, to] = [open(), openSaver()];
    await fill(from);
    const whole = (await historyOf(from, "a")).length;
    const brokenOff = importThreads(from, to, {
      onProgress: () => {
        throw new Error("broken off");
      },
    });
    await expect(brokenOff).rejects.toThrow("broken off");
    const progress: string[] = [];
    const report = await importThreads(from, to, {
      threads: ["a"],
      onProgress: ({ thread: name }) => progress.push(name),
    });
    expect(report.checkpoints + report.alreadyThere).toBe(whole);
    expect(progress).toEqual(["a"]);
    expect(await importThreads(from, to, { threads: ["a"] })).toEqual({
      threads: 1,
      checkpoints: 0,
      alreadyThere: whole,
    });
  });
});

describe("importThreads and bad input", () => {
  it("a checkpoint that reads differently is taken out again, and said", async () => {
    const [from, to] = [new MemorySaver(), openSaver()];
    await fill(from);
    const getTuple = from.getTuple.bind(from);
    let reads = 0;
    from.getTuple = async (config) => {
      const tuple = await getTuple(config);
      if ((reads += 1) < 4) return tuple;
      // A class whose JSON is not what it holds: it cannot come back as it was.
      if (tuple !== undefined) Object.assign(tuple.checkpoint.channel_values, { odd: { toJSON: () => Math.random() } });
      return tuple;
    };
    await expect(importThreads(from, to)).rejects.toThrow(ImportMismatchError);
    const kept = [...(await historyOf(to, "a")), ...(await historyOf(to, "b"))];
    expect(kept).toHaveLength(3);
    const { thread_id: name, checkpoint_ns: ns, checkpoint_id: newest } = kept[0]?.config.configurable ?? {};
    const head = await to.getTuple({ configurable: { thread_id: name as string, checkpoint_ns: ns as string } });
    expect(head?.checkpoint.id).toBe(newest);
  });

  it("a target that is no SlimSaver", async () => {
    await expect(importThreads(new MemorySaver(), new MemorySaver() as never)).rejects.toThrow(InvalidInputError);
  });

  it("a thread id that cannot be one", async () => {
    await expect(importThreads(new MemorySaver(), openSaver(), { threads: [""] })).rejects.toThrow(/thread_id/);
  });
});
