import { HumanMessage } from "@langchain/core/messages";
import { Annotation, Command, MessagesAnnotation, START, StateGraph, interrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../src/shared/errors.js";
import { LOOP, checkpointOf, databaseOf, openSaver, thread } from "./harness.js";

const State = Annotation.Root({ mood: Annotation<string> });

/** A graph that ends, asks or throws, as its input says. */
const moody = new StateGraph(State)
  .addNode("first", () => ({}))
  .addNode("last", ({ mood }) => {
    if (mood === "ask") interrupt("go on?");
    if (mood === "throw") throw new Error("broken");
    return {};
  })
  .addEdge(START, "first")
  .addEdge("first", "last");

describe("listThreads", () => {
  it("says of each thread what position says of it", async () => {
    const saver = openSaver();
    const app = moody.compile({ checkpointer: saver });
    const paused = moody.compile({ checkpointer: saver, interruptBefore: ["last"] });
    await app.invoke({ mood: "end" }, thread("ended"));
    await app.invoke({ mood: "ask" }, thread("asked"));
    await app.invoke({ mood: "throw" }, thread("threw")).catch(() => undefined);
    await paused.invoke({ mood: "end" }, thread("stopped"));
    await app.invoke({ mood: "ask" }, thread("answered"));
    await app.invoke(new Command({ resume: "yes" }), thread("answered"));
    const { threads } = await saver.listThreads();
    const states = Object.fromEntries(threads.map(({ threadId, state }) => [threadId, state]));
    expect(states).toEqual({ ended: "done", asked: "waiting", threw: "failed", stopped: "working", answered: "done" });
    for (const { threadId, state, step } of threads) {
      expect(await saver.position(threadId)).toMatchObject({ state, step });
    }
  });

  it.each(["sync", "async", "exit"] as const)(
    "says that a thread waits, whatever order its rows come in: %s",
    async (durability) => {
      const saver = openSaver();
      const app = moody.compile({ checkpointer: saver });
      await app.invoke({ mood: "ask" }, { ...thread("asked"), durability });
      await app.invoke({ mood: "throw" }, { ...thread("threw"), durability }).catch(() => undefined);
      const { threads } = await saver.listThreads();
      expect(Object.fromEntries(threads.map(({ threadId, state }) => [threadId, state]))).toEqual({
        asked: "waiting",
        threw: "failed",
      });
    },
  );

  it("says so too when a question arrives before the checkpoint that it hangs on", async () => {
    const saver = openSaver();
    const checkpoint = checkpointOf({ "branch:to:ask": null });
    await saver.putWrites(thread("t", checkpoint.id), [["__interrupt__", { value: "go on?" }]], "task");
    await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    expect((await saver.listThreads()).threads[0]?.state).toBe("waiting");
    expect((await saver.position("t"))?.state).toBe("waiting");
  });

  it("goes on page by page, last changed first, and misses none", async () => {
    let now = 1_700_000_000_000;
    const saver = openSaver(":memory:", { clock: { now: () => (now += 5), sleep: () => Promise.resolve() } });
    const names = Array.from({ length: 25 }, (_, index) => `thread-${index}`);
    for (const name of names) {
      const checkpoint = checkpointOf({ a: 1 });
      await saver.put(thread(name), checkpoint, LOOP, checkpoint.channel_versions);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await saver.listThreads({ limit: 10, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.threads.map(({ threadId }) => threadId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(names.reverse());
  });

  it("finds by state and by a part of the id, taken literally", async () => {
    const saver = openSaver();
    for (const name of ["order-7", "order%8", "note_9"]) {
      const checkpoint = checkpointOf({ a: 1 });
      await saver.put(thread(name), checkpoint, LOOP, checkpoint.channel_versions);
    }
    const found = async (options: object): Promise<string[]> =>
      (await saver.listThreads(options)).threads.map(({ threadId }) => threadId).sort();
    expect(await found({ search: "order" })).toEqual(["order%8", "order-7"]);
    expect(await found({ search: "%" })).toEqual(["order%8"]);
    expect(await found({ state: "done" })).toHaveLength(3);
    expect(await found({ state: "waiting" })).toEqual([]);
  });

  it("shows neither deleted threads nor those of another tenant", async () => {
    const saver = openSaver();
    const checkpoint = checkpointOf({ a: 1 });
    await saver.put(thread("gone"), checkpoint, LOOP, checkpoint.channel_versions);
    await saver.deleteThread("gone");
    expect((await saver.listThreads()).threads).toEqual([]);
  });

  it.each([{ limit: 0 }, { limit: 5000 }, { limit: "ten" }, { state: "busy" }, { cursor: "!" }])(
    "refuses %j",
    async (options) => {
      await expect(openSaver().listThreads(options as never)).rejects.toThrow(InvalidInputError);
    },
  );
});

describe("copyThread", () => {
  const echo = new StateGraph(MessagesAnnotation)
    .addNode("echo", ({ messages }) => ({ messages: [new HumanMessage(`heard ${messages.at(-1)?.text ?? ""}`)] }))
    .addEdge(START, "echo");
  const say = (text: string) => ({ messages: [new HumanMessage(text)] });

  it("copies checkpoints, writes and namespaces, and both go their own way from then on", async () => {
    const saver = openSaver();
    const app = new StateGraph(MessagesAnnotation)
      .addNode("outer", echo.compile())
      .addEdge(START, "outer")
      .compile({ checkpointer: saver });
    await app.invoke(say("one"), thread("a"));
    const objects = (await saver.stats()).objects;
    await saver.copyThread("a", "b");
    expect((await saver.stats()).objects).toBe(objects);
    const [a, b] = [await saver.stats({ threadId: "a" }), await saver.stats({ threadId: "b" })];
    expect([b.checkpoints, b.writes, b.namespaces]).toEqual([a.checkpoints, a.writes, a.namespaces]);
    await app.invoke(say("two"), thread("b"));
    const texts = async (name: string): Promise<string[]> =>
      ((await saver.getTuple(thread(name)))?.checkpoint.channel_values.messages as HumanMessage[]).map(
        ({ text }) => text,
      );
    expect(await texts("a")).toEqual(["one", "heard one"]);
    expect(await texts("b")).toEqual(["one", "heard one", "two", "heard two"]);
    await saver.deleteThread("a");
    expect(await texts("b")).toHaveLength(4);
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
  });

  it("refuses to copy what is not there, or over what is, and changes nothing", async () => {
    const saver = openSaver();
    const app = echo.compile({ checkpointer: saver });
    await app.invoke(say("one"), thread("a"));
    await app.invoke(say("one"), thread("b"));
    const before = await saver.stats();
    await expect(saver.copyThread("missing", "c")).rejects.toThrow(InvalidInputError);
    await expect(saver.copyThread("a", "b")).rejects.toThrow(/already/);
    await expect(saver.copyThread("a", "")).rejects.toThrow(/thread_id/);
    expect(await saver.stats()).toEqual(before);
  });
});

describe("deleteForRuns", () => {
  it("removes what the named runs stored, and the newest that is left is the head", async () => {
    const saver = openSaver();
    const app = moody.compile({ checkpointer: saver });
    const run = (id: string) => ({ ...thread("t"), metadata: { run_id: id } });
    await app.invoke({ mood: "one" }, run("run-1"));
    const head = (await saver.getTuple(thread("t")))?.checkpoint.id;
    await app.invoke({ mood: "two" }, run("run-2"));
    await app.invoke({ mood: "other" }, { ...thread("other"), metadata: { run_id: "run-2" } });
    await saver.deleteForRuns(["run-2", "never"]);
    const left = await saver.getTuple(thread("t"));
    expect(left?.checkpoint.id).toBe(head);
    expect(left?.checkpoint.channel_values.mood).toBe("one");
    expect((await saver.listThreads()).threads.map(({ threadId, state }) => [threadId, state])).toEqual([
      ["t", "done"],
    ]);
    expect(await saver.getTuple(thread("other"))).toBeUndefined();
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
    expect(
      databaseOf(saver).all(
        "SELECT DISTINCT checkpoint FROM waypoint_writes EXCEPT SELECT id FROM waypoint_checkpoints",
      ),
    ).toEqual([]);
    const again = await app.invoke({ mood: "three" }, thread("t"));
    expect(again.mood).toBe("three");
  });

  it("with no run, or one that stored nothing, removes nothing; a wrong id is refused", async () => {
    const saver = openSaver();
    await moody.compile({ checkpointer: saver }).invoke({ mood: "one" }, thread("t"));
    const before = await saver.stats();
    await saver.deleteForRuns([]);
    await saver.deleteForRuns(["x"]);
    expect(await saver.stats()).toEqual(before);
    await expect(saver.deleteForRuns([5 as never])).rejects.toThrow(InvalidInputError);
  });
});
