import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { Annotation, Command, MessagesAnnotation, START, StateGraph, interrupt } from "@langchain/langgraph";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CorruptObjectError, SlimSaver, StaleCheckpointError } from "../../src/checkpointer/index.js";
import { InvalidInputError, WaypointError } from "../../src/shared/errors.js";
import { effect } from "../../src/nodes/index.js";
import { runChild } from "../child.js";
import { compactId } from "../../src/store/sqlite/compact-id.js";
import { LOOP, checkpointOf, databaseOf, openSaver, temporaryFolder, thread } from "./harness.js";

const WRITER = new URL("./fixtures/writer.ts", import.meta.url);

/** A chain of checkpoints whose messages grow, newest last. */
async function chain(saver: SlimSaver, name: string, length: number): Promise<string[]> {
  const ids: string[] = [];
  const messages: HumanMessage[] = [];
  for (let step = 0; step < length; step += 1) {
    messages.push(
      new HumanMessage({ id: `${name}-${step}`, content: `${name} says a sentence of its own, number ${step}` }),
    );
    const checkpoint = checkpointOf({ messages: [...messages] });
    const config = await saver.put(
      thread(name, ids.at(-1)),
      checkpoint,
      { ...LOOP, step },
      checkpoint.channel_versions,
    );
    await saver.putWrites(config, [["messages", `write ${step}`]], "task");
    ids.push(checkpoint.id);
  }
  return ids;
}

async function idsOf(saver: SlimSaver, name: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { checkpoint } of saver.list(thread(name))) ids.unshift(checkpoint.id);
  return ids;
}

async function textsOf(saver: SlimSaver, name: string): Promise<string[]> {
  const messages = (await saver.getTuple(thread(name)))?.checkpoint.channel_values.messages as HumanMessage[];
  return messages.map(({ text }) => text);
}

const rowsOf = async (saver: SlimSaver): Promise<number> => (await saver.stats()).checkpoints;

const objectCount = (saver: SlimSaver): number =>
  databaseOf(saver).get<{ n: number }>("SELECT count(*) AS n FROM waypoint_objects")?.n ?? -1;

describe("prune", () => {
  it("keeps the newest checkpoint with all that it refers to, and removes the others with their writes", async () => {
    const saver = openSaver();
    const ids = await chain(saver, "a", 30);
    const before = await textsOf(saver, "a");
    const report = await saver.prune({ keep: "latest" });
    expect(report).toMatchObject({ checkpoints: 29, writes: 29 });
    expect(await idsOf(saver, "a")).toEqual(ids.slice(-1));
    expect(await textsOf(saver, "a")).toEqual(before);
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
  });

  it("keeps the n newest (R1)", async () => {
    const saver = openSaver();
    const ids = await chain(saver, "a", 10);
    await saver.prune({ keep: { last: 4 } });
    expect(await idsOf(saver, "a")).toEqual(ids.slice(-4));
  });

  it("leaves threads alone that it was not asked to prune", async () => {
    const saver = openSaver();
    await chain(saver, "a", 5);
    const others = await chain(saver, "b", 5);
    await saver.prune({ keep: "latest", threads: ["a"] });
    expect(await idsOf(saver, "a")).toHaveLength(1);
    expect(await idsOf(saver, "b")).toEqual(others);
  });

  it("says what it would do, and does nothing, when it is a rehearsal", async () => {
    const saver = openSaver();
    const ids = await chain(saver, "a", 10);
    const objects = objectCount(saver);
    const rehearsal = await saver.prune({ keep: "latest", dryRun: true });
    expect([await idsOf(saver, "a"), objectCount(saver)]).toEqual([ids, objects]);
    expect(await saver.prune({ keep: "latest" })).toEqual(rehearsal);
  });

  it("keeps what is younger than olderThan (R1)", async () => {
    const saver = openSaver();
    const ids = await chain(saver, "a", 5);
    expect(await saver.prune({ keep: "latest", olderThan: "1h" })).toMatchObject({ checkpoints: 0, objects: 0 });
    expect(await idsOf(saver, "a")).toEqual(ids);
  });

  it("keeps a checkpoint in which a question waits, also beside the head (R12)", async () => {
    const saver = openSaver();
    const [first] = await chain(saver, "a", 1);
    const fork = checkpointOf({ messages: [] });
    const forked = await saver.put(thread("a", first), fork, { ...LOOP, source: "fork" }, fork.channel_versions);
    await saver.putWrites(forked, [["__interrupt__", { value: "go on?" }]], "task");
    const head = checkpointOf({ messages: [] });
    await saver.put(thread("a", first), head, { ...LOOP, source: "fork" }, head.channel_versions);
    await saver.prune({ keep: "latest" });
    expect(await idsOf(saver, "a")).toEqual([fork.id, head.id]);
  });

  it("keeps the ancestors from which a DeltaChannel is rebuilt", async () => {
    const saver = openSaver();
    const counted = { ...LOOP, counters_since_delta_snapshot: { log: [1, 1] } };
    const base = checkpointOf({ log: new DeltaSnapshot(["old"]) });
    const early = checkpointOf({});
    await saver.put(thread("a"), early, LOOP, {});
    await saver.put(thread("a", early.id), base, LOOP, base.channel_versions);
    await saver.putWrites(thread("a", base.id), [["log", ["one"]]], "task");
    const middle = checkpointOf({});
    await saver.put(thread("a", base.id), middle, counted as typeof LOOP, {});
    await saver.putWrites(thread("a", middle.id), [["log", ["two"]]], "task");
    const head = checkpointOf({});
    const config = await saver.put(thread("a", middle.id), head, counted as typeof LOOP, {});
    await saver.prune({ keep: "latest" });
    expect(await idsOf(saver, "a")).toEqual([base.id, middle.id, head.id]);
    const { log } = await saver.getDeltaChannelHistory({ config, channels: ["log"] });
    expect(log?.writes.map(([, , value]) => value)).toEqual([["one"], ["two"]]);
  });

  it("with anchors, keeps the checkpoints at which a person was asked or an effect carried out", async () => {
    const saver = openSaver();
    const pay = effect({ name: "prune-anchors-pay", key: () => "once", run: () => Promise.resolve("paid") });
    const State = Annotation.Root({ log: Annotation<string> });
    const app = new StateGraph(State)
      .addNode("plan", () => ({ log: "planned" }))
      .addNode("ask", () => ({ log: interrupt<string, string>("go on?") }))
      .addNode("pay", async (_state, config) => ({ log: await pay({}, config) }))
      .addNode("end", () => ({ log: "ended" }))
      .addEdge(START, "plan")
      .addEdge("plan", "ask")
      .addEdge("ask", "pay")
      .addEdge("pay", "end")
      .compile({ checkpointer: saver });
    await app.invoke({}, thread("a"));
    await app.invoke(new Command({ resume: "yes" }), thread("a"));
    await saver.prune({ keep: "anchors" });
    const steps: (number | undefined)[] = [];
    for await (const { metadata } of saver.list(thread("a"))) steps.unshift(metadata?.step);
    expect(steps).toEqual([1, 2, 4]);
  });

  it("removes the namespaces of finished subgraph calls with the checkpoint they hang on (R16)", async () => {
    const saver = openSaver();
    const inner = new StateGraph(MessagesAnnotation)
      .addNode("say", () => ({ messages: [new HumanMessage("inner")] }))
      .addEdge(START, "say")
      .compile();
    const app = new StateGraph(MessagesAnnotation)
      .addNode("outer", inner)
      .addEdge(START, "outer")
      .compile({ checkpointer: saver });
    for (let turn = 0; turn < 3; turn += 1) await app.invoke({ messages: [new HumanMessage("x")] }, thread("a"));
    const namespaces = async (): Promise<Set<unknown>> => {
      const found = new Set<unknown>();
      for await (const { config } of saver.list({ configurable: { thread_id: "a" } }))
        found.add(config.configurable?.checkpoint_ns);
      return found;
    };
    expect((await namespaces()).size).toBe(4);
    await saver.prune({ keep: "latest" });
    expect([...(await namespaces())]).toEqual([""]);
    const done = await app.invoke({ messages: [new HumanMessage("still here")] }, thread("a"));
    expect(done.messages.length).toBeGreaterThan(4);
  });

  it("never removes what a kept checkpoint refers to, however threads fork and share", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2), fc.nat(40), fc.boolean()), { minLength: 1, maxLength: 25 }),
        fc.constantFrom("latest" as const, { last: 2 }, { last: 5 }),
        async (steps, keep) => {
          const saver = SlimSaver.fromConnString(":memory:");
          const heads: (string | undefined)[] = [undefined, undefined, undefined];
          const truth = new Map<string, unknown>();
          for (const [which, length, mayFork] of steps) {
            const list = Array.from(
              { length },
              (_, index) => new HumanMessage({ id: `${index}`, content: `shared sentence ${index}` }),
            );
            const checkpoint = checkpointOf({ list, note: `note of ${which} `.repeat(length) });
            const source = mayFork ? "fork" : "loop";
            await saver.put(
              thread(`t${which}`, heads[which]),
              checkpoint,
              { ...LOOP, source },
              checkpoint.channel_versions,
            );
            heads[which] = checkpoint.id;
            truth.set(checkpoint.id, JSON.stringify(checkpoint.channel_values));
          }
          await saver.prune({ keep });
          for await (const { checkpoint } of saver.list({})) {
            expect(JSON.stringify(checkpoint.channel_values)).toBe(truth.get(checkpoint.id));
          }
          expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
          await saver.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  it("removes nothing that other processes refer to while they write", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const saver = openSaver(file);
    const names = ["a", "b", "c"];
    const writers = names.map((name) => runChild(WRITER, { file, thread: name, checkpoints: 150 }));
    const ended = Promise.all(writers);
    const writing = { on: true };
    void ended.finally(() => (writing.on = false));
    let removed = 0;
    while (writing.on) {
      removed += (await saver.prune({ keep: { last: 2 } })).checkpoints;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await ended).map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      names.map(() => ({ code: 0, stderr: "" })),
    );
    expect(removed).toBeGreaterThan(0);
    expect(await saver.verify()).toMatchObject({ ok: true });
    for (const name of names) {
      expect((await saver.getTuple(thread(name)))?.checkpoint.channel_values.step).toBe(149);
    }
  });

  it("a process that knew an object which another one has collected stores it again", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const [mine, other] = [openSaver(file), openSaver(file)];
    const messages = [new HumanMessage({ id: "m", content: "a sentence that is said, deleted and said again" })];
    const first = checkpointOf({ messages });
    await mine.put(thread("gone"), first, LOOP, first.channel_versions);
    await other.deleteThread("gone");
    const again = checkpointOf({ messages });
    await mine.put(thread("new"), again, LOOP, again.channel_versions);
    expect(await other.verify()).toMatchObject({ ok: true });
    expect(await textsOf(openSaver(file), "new")).toEqual([messages[0]?.text]);
  });

  it.each([undefined, "all", { last: 0 }, { last: 1.5 }])("refuses keep: %j and removes nothing", async (keep) => {
    const saver = openSaver();
    const ids = await chain(saver, "a", 3);
    await expect(saver.prune({ keep: keep as never })).rejects.toThrow(InvalidInputError);
    await expect(saver.prune({ keep: "latest", olderThan: "soon" as never })).rejects.toThrow(InvalidInputError);
    await expect(saver.prune({ keep: "latest", threads: [""] })).rejects.toThrow(/thread_id/);
    expect(await idsOf(saver, "a")).toEqual(ids);
  });
});

describe("deleteThread", () => {
  it("forgets the objects that only the thread used, and no other", async () => {
    const saver = openSaver();
    await chain(saver, "a", 10);
    const before = objectCount(saver);
    await chain(saver, "b", 10);
    await saver.deleteThread("b");
    expect(objectCount(saver)).toBe(before);
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
    expect(await textsOf(saver, "a")).toHaveLength(10);
  });

  it("a run of before the deletion brings nothing back (R14), and the thread may begin anew", async () => {
    const saver = openSaver();
    const [first] = await chain(saver, "a", 1);
    await saver.deleteThread("a");
    const late = checkpointOf({ messages: [] });
    await expect(saver.put(thread("a", first), late, LOOP, late.channel_versions)).rejects.toThrow(
      StaleCheckpointError,
    );
    await expect(saver.putWrites(thread("a", first), [["messages", 1]], "task")).rejects.toThrow(/was deleted/);
    const nested = { configurable: { thread_id: "a", checkpoint_ns: "node:1" } };
    await expect(saver.put(nested, late, { ...LOOP, source: "input" }, {})).rejects.toThrow(StaleCheckpointError);
    expect(await saver.getTuple(thread("a"))).toBeUndefined();
    expect(await chain(saver, "a", 2)).toHaveLength(2);
    expect(await textsOf(saver, "a")).toHaveLength(2);
  });

  it("keeps what the ledger knows, so that a deletion cannot open a payment again", async () => {
    const saver = openSaver();
    let calls = 0;
    const pay = effect({
      name: "delete-thread-pay",
      key: () => "order-7",
      run: () => Promise.resolve((calls += 1)),
    });
    const app = new StateGraph(Annotation.Root({ paid: Annotation<number> }))
      .addNode("pay", async (_state, config) => ({ paid: await pay({}, config) }))
      .addEdge(START, "pay")
      .compile({ checkpointer: saver });
    await app.invoke({}, thread("a"));
    await saver.deleteThread("a");
    await app.invoke({}, thread("a"));
    expect(calls).toBe(1);
  });
});

describe("misuse", () => {
  it.each([
    ["prune", [undefined]],
    ["prune", [{ keep: "latest", threads: "a" }]],
    ["verify", [{ threadId: 5 }]],
    ["verify", [null]],
    ["stats", [{ threadId: "" }]],
    ["listThreads", [null]],
    ["listThreads", [{ search: 5 }]],
    ["listThreads", [{ cursor: 5 }]],
    ["copyThread", ["a"]],
    ["deleteForRuns", ["run"]],
    ["deleteThread", [undefined]],
  ] as [keyof SlimSaver, unknown[]][])(
    "of %s with %j is an error of the package, and changes nothing",
    async (method, given) => {
      const saver = openSaver();
      const ids = await chain(saver, "a", 3);
      const call = saver[method] as (...given: unknown[]) => Promise<unknown>;
      const error: unknown = await call.apply(saver, given).catch((thrown: unknown) => thrown);
      expect(WaypointError.is(error)).toBe(true);
      expect(await idsOf(saver, "a")).toEqual(ids);
    },
  );
});

describe("a damaged database", () => {
  it("is not collected: what stands below a broken object may be all that a backup needs", async () => {
    const saver = openSaver();
    const ids = await chain(saver, "a", 20);
    const database = databaseOf(saver);
    const page = database.get<{ id: number }>(
      `SELECT id FROM waypoint_objects WHERE CAST(data AS TEXT) LIKE '{"~":["p"%'`,
    );
    database.run("DELETE FROM waypoint_objects WHERE id = ?", page?.id);
    const objects = objectCount(saver);
    await expect(saver.prune({ keep: "latest" })).rejects.toThrow(CorruptObjectError);
    expect([await rowsOf(saver), objectCount(saver)]).toEqual([ids.length, objects]);
  });

  it("names the checkpoint whose row cannot be read", async () => {
    const saver = openSaver();
    const ids = await chain(saver, "a", 3);
    const id = compactId(ids[1] as string);
    databaseOf(saver).run("UPDATE waypoint_checkpoints SET body = '{' WHERE id = ?", id);
    expect(await saver.verify()).toMatchObject({ ok: false, damaged: [ids[1]] });
  });
});

describe("verify, stats and compact", () => {
  it("verify names what is missing and what is damaged (R54)", async () => {
    const saver = openSaver();
    await chain(saver, "a", 3);
    expect(await saver.verify()).toMatchObject({ ok: true, broken: [], checkpoints: 3 });
    const [one, two] = databaseOf(saver).all<{ id: number }>("SELECT id FROM waypoint_objects ORDER BY id");
    databaseOf(saver).run("DELETE FROM waypoint_objects WHERE id = ?", one?.id);
    databaseOf(saver).run("UPDATE waypoint_objects SET hash = zeroblob(32) WHERE id = ?", two?.id);
    const { ok, broken } = await saver.verify({ threadId: "a" });
    expect(ok).toBe(false);
    expect(broken).toEqual(
      expect.arrayContaining([
        { objectId: one?.id, what: "missing" },
        { objectId: two?.id, what: "corrupt" },
      ]),
    );
  });

  it("stats count one thread and all of them (R54)", async () => {
    const saver = openSaver();
    await chain(saver, "a", 3);
    await chain(saver, "b", 5);
    const [all, one] = [await saver.stats(), await saver.stats({ threadId: "a" })];
    expect(all).toMatchObject({ threads: 2, namespaces: 2, checkpoints: 8, writes: 8 });
    expect(one).toMatchObject({ threads: 1, checkpoints: 3, writes: 3 });
    expect(one.objectBytes).toBeLessThan(all.objectBytes);
    expect(all.fileBytes).toBeGreaterThan(0);
  });

  it("compact gives freed pages back", async () => {
    const saver = openSaver(join(temporaryFolder(), "agent.db"));
    await chain(saver, "a", 200);
    await saver.prune({ keep: "latest" });
    const before = await saver.stats();
    await saver.compact();
    const after = await saver.stats();
    expect(before.freeBytes).toBeGreaterThan(0);
    expect(after.freeBytes).toBe(0);
    expect(after.fileBytes).toBeLessThan(before.fileBytes);
    expect(await textsOf(saver, "a")).toHaveLength(200);
  });
});
