import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  interrupt,
} from "@langchain/langgraph";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { ImportMismatchError, importThreads } from "../../src/checkpointer/index.js";
import type { Progress } from "../../src/checkpointer/index.js";
import { InvalidInputError } from "../../src/shared/errors.js";
import { usePostgres } from "../postgres.js";
import { LOOP, checkpointOf, openSaver, thread } from "./harness.js";
import { STORIES } from "./import-graphs.js";

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

const postgres = usePostgres();

async function openPostgres(): Promise<BaseCheckpointSaver> {
  const saver = PostgresSaver.fromConnString(await postgres.database());
  onTestFinished(() => saver.end());
  await saver.setup();
  return saver;
}

const sources: [string, () => BaseCheckpointSaver | Promise<BaseCheckpointSaver>][] = [
  ["SqliteSaver", () => SqliteSaver.fromConnString(":memory:")],
  ["PostgresSaver", openPostgres],
  ["MemorySaver", () => new MemorySaver()],
  ["another SlimSaver", () => openSaver()],
  ["a checkpointer that names channels in an order of its own", () => new Reordering()],
];

describe.each(sources)("importThreads from %s (R55)", (_name, open) => {
  it("brings every checkpoint of every namespace, and the threads go on where they were", async () => {
    const [from, to] = [await open(), openSaver()];
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
    const [from, to] = [await open(), openSaver()];
    await fill(from);
    const whole = (await historyOf(from, "a")).length;
    const brokenOff = importThreads(from, to, {
      onProgress: () => {
        throw new Error("broken off");
      },
    });
    await expect(brokenOff).rejects.toThrow("broken off");
    const progress: Progress[] = [];
    const report = await importThreads(from, to, { threads: ["a"], onProgress: (now) => progress.push(now) });
    expect(report.checkpoints + report.alreadyThere).toBe(whole);
    expect(progress.every((now) => now.thread === "a" && now.of === 1 && now.ofCheckpoints === whole)).toBe(true);
    expect(progress.map(({ checkpoints }) => checkpoints)).toEqual(
      progress.map(({ checkpoints }) => checkpoints).sort((one, other) => one - other),
    );
    expect(progress.at(-1)).toMatchObject({ threads: 1, checkpoints: whole });
    const again = await importThreads(from, to, { threads: ["a"] });
    expect(again).toEqual({ threads: 1, checkpoints: 0, alreadyThere: whole, left: [], unreadable: [] });
  });

  it.each(Object.entries(STORIES))("%s: what is brought over ends as it would have where it was", async (id, story) => {
    const [from, to] = [await open(), openSaver()];
    await story.begin(from, id);
    const before = await historyOf(from, id);
    await importThreads(from, to);
    const brought = await historyOf(to, id);
    expect(brought.map(inPlain).sort()).toEqual(before.map(inPlain).sort());
    expect((await to.verify()).ok).toBe(true);
    const ended = await story.finish(to, id);
    expect(ended).toEqual(await story.finish(from, id));
    expect(await to.position(id)).toMatchObject({ state: "done" });
  });
});

/** What a tuple holds, as text; the keys of records in whatever order a saver keeps them. */
function inPlain({ config, parentConfig, checkpoint, metadata, pendingWrites }: CheckpointTuple): string {
  const { channel_values: values, channel_versions: versions, id } = checkpoint;
  const where = {
    ns: config.configurable?.checkpoint_ns as unknown,
    parent: parentConfig?.configurable?.checkpoint_id as unknown,
  };
  return JSON.stringify({ id, where, values, versions, metadata, pendingWrites }, (_key, item: unknown) => {
    if (item instanceof Map || item instanceof Set) return Array.from(item as Iterable<unknown>);
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

describe("importThreads and what has happened on either side", () => {
  const sqlite = (): SqliteSaver => SqliteSaver.fromConnString(":memory:");
  const app = (checkpointer: BaseCheckpointSaver) => graph.compile({ checkpointer });

  it("a thread that runs have continued here is left as it is, and said", async () => {
    const [from, to] = [sqlite(), openSaver()];
    await fill(from);
    await importThreads(from, to);
    await app(to).invoke(new Command({ resume: "here" }), thread("b"));
    const head = (await to.getTuple(thread("b")))?.checkpoint.id;
    const done = (await to.position("b"))?.state;
    await app(from).invoke(new Command({ resume: "there" }), thread("b"));
    const report = await importThreads(from, to);
    expect(report).toMatchObject({ threads: 1, checkpoints: 0, left: [{ thread: "b", why: "moved-on" }] });
    expect((await to.getTuple(thread("b")))?.checkpoint.id).toBe(head);
    const { threads } = await to.listThreads();
    expect(threads.find(({ threadId }) => threadId === "b")).toMatchObject({ state: done });
  });

  it("an import that has nothing to bring leaves the list of threads as it is", async () => {
    const [from, to] = [sqlite(), openSaver()];
    await fill(from);
    await importThreads(from, to);
    await app(to).invoke(new Command({ resume: "here" }), thread("b"));
    const before = await to.listThreads();
    await importThreads(from, to);
    expect(await to.listThreads()).toEqual(before);
  });

  it("a thread that was deleted here comes back when it is named, and not otherwise", async () => {
    const [from, to] = [sqlite(), openSaver()];
    await fill(from);
    await importThreads(from, to);
    await to.deleteThread("b");
    expect(await importThreads(from, to)).toMatchObject({ threads: 1, left: [{ thread: "b", why: "deleted" }] });
    expect(await to.getTuple(thread("b"))).toBeUndefined();
    expect(await importThreads(from, to, { threads: ["b"] })).toMatchObject({ threads: 1, left: [] });
    expect((await to.position("b"))?.state).toBe("waiting");
  });

  it("what was pruned here comes back without setting the thread back", async () => {
    const [from, to] = [sqlite(), openSaver()];
    await fill(from);
    const { checkpoints } = await importThreads(from, to);
    const head = (await to.getTuple(thread("b")))?.checkpoint.id;
    const pruned = await to.prune({ keep: "latest" });
    const again = await importThreads(from, to);
    expect(again).toMatchObject({ checkpoints: pruned.checkpoints, alreadyThere: checkpoints - pruned.checkpoints });
    expect((await to.getTuple(thread("b")))?.checkpoint.id).toBe(head);
  });

  it("a thread that is not there is said", async () => {
    const [from, to] = [sqlite(), openSaver()];
    await fill(from);
    const report = await importThreads(from, to, { threads: ["a", "nobody", "a"] });
    expect(report).toMatchObject({ threads: 1, left: [{ thread: "nobody", why: "missing" }] });
  });

  it("an empty SqliteSaver and a PostgresSaver without tables have no threads, and get no tables", async () => {
    const from = sqlite();
    expect(await importThreads(from, openSaver())).toMatchObject({ threads: 0, checkpoints: 0 });
    const unset = PostgresSaver.fromConnString(await postgres.database());
    onTestFinished(() => unset.end());
    await expect(importThreads(unset, openSaver())).rejects.toThrow(/checkpoints/);
  });
});

describe("importThreads and what the other checkpointer has lost", () => {
  const State = Annotation.Root({ amount: Annotation<bigint | number> });
  const counting = (amount: bigint | number, checkpointer: BaseCheckpointSaver) =>
    new StateGraph(State)
      .addNode("count", () => ({ amount }))
      .addNode("ask", () => ({ amount: interrupt<string, number>("how much?") }))
      .addEdge(START, "count")
      .addEdge("count", "ask")
      .compile({ checkpointer });

  it("a thread whose newest checkpoint SqliteSaver cannot read is left out, and the others are brought", async () => {
    const [from, to] = [SqliteSaver.fromConnString(":memory:"), openSaver()];
    await counting(1, from).invoke({}, thread("fine"));
    // SqliteSaver stores a text in the place of a checkpoint that holds a BigInt.
    await counting(1n, from)
      .invoke({}, thread("lost"))
      .catch(() => undefined);
    const report = await importThreads(from, to);
    expect(report).toMatchObject({ threads: 1, left: [{ thread: "lost", why: "unreadable" }] });
    expect(report.unreadable).toMatchObject([{ thread: "lost", ns: "" }]);
    expect(report.unreadable[0]?.reason).toMatch(/unable to serialize/);
    expect(await to.getTuple(thread("lost"))).toBeUndefined();
    expect((await to.position("fine"))?.state).toBe("waiting");
  });

  it("an older checkpoint that cannot be read is a hole in the history, and said", async () => {
    const [from, to] = [SqliteSaver.fromConnString(":memory:"), openSaver()];
    await counting(1, from).invoke({}, thread("t"));
    const [, second] = await historyOf(from, "t");
    const broken = JSON.stringify({ lc: 1, type: "constructor", id: ["evil", "Class"], kwargs: {} });
    from.db.prepare("UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = ?").run(broken, second?.checkpoint.id);
    const report = await importThreads(from, to);
    expect(report).toMatchObject({ threads: 1, left: [], unreadable: [{ thread: "t", id: second?.checkpoint.id }] });
    expect(await historyOf(to, "t")).toHaveLength((await countIn(from)) - 1);
    const ended = await counting(1, to).invoke(new Command({ resume: 7 }), thread("t"));
    expect(ended.amount).toBe(7);
  });

  it("a database that does not answer is an error, not a lost checkpoint", async () => {
    const [from, to] = [SqliteSaver.fromConnString(":memory:"), openSaver()];
    await counting(1, from).invoke({}, thread("t"));
    const closing = importThreads(from, to, { onProgress: () => void from.db.close() });
    await expect(closing).rejects.toThrow(/not open/);
  });

  async function countIn(from: SqliteSaver): Promise<number> {
    const { count } = from.db.prepare("SELECT count(*) AS count FROM checkpoints").get() as { count: number };
    return Promise.resolve(count);
  }
});

describe("importThreads and order", () => {
  it("writes come back in the order in which they were given, whatever the tasks are called", async () => {
    const [from, to] = [new MemorySaver(), openSaver()];
    const checkpoint = checkpointOf({ log: [] });
    await from.put(thread("t"), checkpoint, LOOP);
    const at = thread("t", checkpoint.id);
    await from.putWrites(at, [["log", "second"]], "a-task", "~2");
    await from.putWrites(
      at,
      [
        ["log", "first"],
        ["log", "first too"],
      ],
      "z-task",
      "~1",
    );
    await importThreads(from, to);
    const order = ["first", "first too", "second"];
    expect((await from.getTuple(at))?.pendingWrites?.map(([, , value]) => value)).toEqual(order);
    expect((await to.getTuple(at))?.pendingWrites?.map(([, , value]) => value)).toEqual(order);
    // And once more from there, with the paths that it has now.
    const third = openSaver();
    await importThreads(to, third);
    expect((await third.getTuple(at))?.pendingWrites?.map(([, , value]) => value)).toEqual(order);
  });

  it("sends of before format 4, which stand in the parent's writes, come along", async () => {
    const [from, to] = [SqliteSaver.fromConnString(":memory:"), openSaver()];
    const parent = { ...checkpointOf({ log: [] }), v: 1 };
    const child = { ...checkpointOf({ log: [] }), v: 1 };
    await from.put(thread("t"), parent, LOOP);
    await from.putWrites(thread("t", parent.id), [["__pregel_tasks", new Send("work", { n: 1 })]], "task");
    await from.put(thread("t", parent.id), child, LOOP);
    await importThreads(from, to);
    const [theirs, ours] = [await from.getTuple(thread("t", child.id)), await to.getTuple(thread("t", child.id))];
    expect(theirs?.checkpoint.channel_values.__pregel_tasks).toHaveLength(1);
    expect(JSON.stringify(ours?.checkpoint.channel_values)).toBe(JSON.stringify(theirs?.checkpoint.channel_values));
  });
});

describe("importThreads and bad input", () => {
  it("a checkpoint that reads differently is not stored, and said", async () => {
    const [from, to] = [new MemorySaver(), openSaver()];
    await fill(from);
    const getTuple = from.getTuple.bind(from);
    let reads = 0;
    from.getTuple = async (config) => {
      const tuple = await getTuple(config);
      if ((reads += 1) < 8) return tuple;
      // A class whose JSON is not what it holds: it cannot come back as it was.
      if (tuple !== undefined) Object.assign(tuple.checkpoint.channel_values, { odd: { toJSON: () => Math.random() } });
      return tuple;
    };
    await expect(importThreads(from, to)).rejects.toThrow(ImportMismatchError);
    const kept = [...(await historyOf(to, "a")), ...(await historyOf(to, "b"))];
    expect(kept.length).toBeGreaterThan(0);
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
