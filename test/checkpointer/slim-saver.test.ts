import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CorruptObjectError,
  NotADatabaseError,
  SchemaVersionError,
  SlimSaver,
  StaleCheckpointError,
  StoreClosedError,
  StoreUnavailableError,
  ThreadIdError,
  UnstorableValueError,
} from "../../src/checkpointer/index.js";
import { InvalidInputError, WaypointError } from "../../src/shared/errors.js";
import { ObjectTable } from "../../src/store/sqlite/objects.js";
import { LOOP, checkpointOf, databaseOf, openSaver, temporaryFolder, thread } from "./harness.js";

const echo = new StateGraph(MessagesAnnotation)
  .addNode("echo", ({ messages }) => ({ messages: [new AIMessage(`heard ${messages.at(-1)?.text ?? ""}`)] }))
  .addEdge(START, "echo");

describe("SlimSaver", () => {
  it("continues a conversation in a new process over the same file", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const first = SlimSaver.fromConnString(file);
    await echo.compile({ checkpointer: first }).invoke({ messages: [new HumanMessage("one")] }, thread("t"));
    await first.close();
    const second = openSaver(file);
    const result = await echo
      .compile({ checkpointer: second })
      .invoke({ messages: [new HumanMessage("two")] }, thread("t"));
    expect(result.messages.map((message: BaseMessage) => message.text)).toEqual([
      "one",
      "heard one",
      "two",
      "heard two",
    ]);
  });

  it("stores a message once: its write, its channel and all later checkpoints share it", async () => {
    const saver = openSaver();
    const app = echo.compile({ checkpointer: saver });
    const text = "a text that is nowhere else ".repeat(20);
    await app.invoke({ messages: [new HumanMessage(text)] }, thread("t"));
    for (let turn = 0; turn < 12; turn += 1) await app.invoke({ messages: [new HumanMessage(`${turn}`)] }, thread("t"));
    expect(objectsHolding(saver, `"${text}"`)).toBe(1);
  });

  it("stores a large channel that nobody touches once (R2)", async () => {
    const saver = openSaver();
    const blob = Buffer.alloc(300_000, "x").toString("base64");
    let parent: string | undefined;
    const values: Record<string, unknown> = { blob, count: 0 };
    for (let step = 0; step < 50; step += 1) {
      const checkpoint = checkpointOf(values, 1);
      checkpoint.channel_values.count = step;
      checkpoint.channel_versions.count = step + 1;
      const newVersions = step === 0 ? { blob: 1, count: 1 } : { count: step + 1 };
      await saver.put(thread("t", parent), checkpoint, LOOP, newVersions);
      parent = checkpoint.id;
    }
    expect(objectsHolding(saver, blob)).toBe(1);
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ blob, count: 49 });
  });

  it("gives out nothing that it shares: what a caller changes is not what is loaded next", async () => {
    const saver = openSaver();
    const checkpoint = checkpointOf({
      messages: Array.from(
        { length: 20 },
        (_, index) => new AIMessage({ content: [{ type: "text", text: `${index}` }], id: `m${index}` }),
      ),
      files: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, { lines: [index] }])),
    });
    await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    const before = JSON.stringify((await saver.getTuple(thread("t")))?.checkpoint);
    const loaded = (await saver.getTuple(thread("t")))?.checkpoint.channel_values as {
      messages: AIMessage[];
      files: Record<string, { lines: number[] }>;
    };
    for (const message of loaded.messages) {
      (message.content as { text: string }[])[0] = { text: "changed" };
      message.additional_kwargs.x = 1;
    }
    loaded.files.f3?.lines.push(99);
    loaded.messages.length = 1;
    expect(JSON.stringify((await saver.getTuple(thread("t")))?.checkpoint)).toBe(before);
  });

  it("stores a value that was changed in place as changed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(29), fc.nat(6), fc.string()), { maxLength: 12 }), async (changes) => {
        const saver = SlimSaver.fromConnString(":memory:");
        const messages = Array.from({ length: 30 }, (_, index) => message(index));
        let checkpoint = checkpointOf({ messages });
        await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
        for (const change of changes) {
          mutate(messages, change);
          const next = checkpointOf({ messages: [...messages] });
          await saver.put(thread("t", checkpoint.id), next, LOOP, next.channel_versions);
          checkpoint = next;
          const stored = (await saver.getTuple(thread("t")))?.checkpoint.channel_values.messages;
          expect(JSON.stringify(stored)).toBe(JSON.stringify(messages));
        }
        await saver.close();
      }),
      { numRuns: 60 },
    );
  });

  it("gives back arrays and records of any length", async () => {
    const saver = openSaver();
    let parent: string | undefined;
    for (const length of [0, 1, 7, 8, 9, 16, 255, 256, 257, 264, 300, 2_100]) {
      const checkpoint = checkpointOf({
        list: Array.from({ length }, (_, index) => ({ index })),
        record: Object.fromEntries(Array.from({ length }, (_, index) => [`key ${index}`, "v".repeat(index % 3)])),
      });
      await saver.put(thread("t", parent), checkpoint, LOOP, checkpoint.channel_versions);
      parent = checkpoint.id;
      expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual(checkpoint.channel_values);
    }
  });

  it("keeps an unchanged channel when a checkpoint is copied beside its own parent", async () => {
    const saver = openSaver();
    const first = checkpointOf({ a: "one" }, 1);
    await saver.put(thread("t"), first, LOOP, { a: 1 });
    const second = checkpointOf({ a: "two" }, 2);
    await saver.put(thread("t", first.id), second, LOOP, { a: 2 });
    const copy = { ...checkpointOf({ a: "two" }, 2) };
    await saver.put(thread("t", first.id), copy, { ...LOOP, source: "fork" }, {});
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ a: "two" });
  });

  it("two forks of one checkpoint each read what they wrote (R17)", async () => {
    const saver = openSaver();
    const base = checkpointOf({ who: "base" }, 1);
    await saver.put(thread("t"), base, LOOP, { who: 1 });
    const ids: [string, string][] = [];
    for (const who of ["left", "right"]) {
      const fork = checkpointOf({ who }, 2);
      await saver.put(thread("t", base.id), fork, { ...LOOP, source: "fork" }, { who: 2 });
      ids.push([fork.id, who]);
    }
    for (const [id, who] of ids) {
      expect((await saver.getTuple(thread("t", id)))?.checkpoint.channel_values).toEqual({ who });
    }
  });

  it("refuses a checkpoint whose parent is no longer the head, and stores nothing of it", async () => {
    const saver = openSaver();
    const base = checkpointOf({ a: 0 });
    await saver.put(thread("t"), base, LOOP, base.channel_versions);
    const winner = checkpointOf({ a: "winner" });
    await saver.put(thread("t", base.id), winner, LOOP, winner.channel_versions);
    const loser = checkpointOf({ a: "a value of the loser that is long enough to be an object".repeat(40) });
    const refused = saver.put(thread("t", base.id), loser, LOOP, loser.channel_versions);
    await expect(refused).rejects.toThrow(StaleCheckpointError);
    await expect(refused).rejects.toMatchObject({ code: "STALE_CHECKPOINT", details: { threadId: "t" } });
    expect(await saver.getTuple(thread("t", loser.id))).toBeUndefined();
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ a: "winner" });
    expect(objectsHolding(saver, "a value of the loser")).toBe(0);
  });

  it("with concurrency off, stores it and moves the head", async () => {
    const saver = openSaver(":memory:", { concurrency: "off" });
    const base = checkpointOf({ a: 0 });
    await saver.put(thread("t"), base, LOOP, base.channel_versions);
    for (const a of [1, 2]) {
      const child = checkpointOf({ a });
      await saver.put(thread("t", base.id), child, LOOP, child.channel_versions);
    }
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ a: 2 });
  });

  it("a checkpoint that cannot be stored leaves the one before it in place", async () => {
    const saver = openSaver();
    const good = checkpointOf({ messages: [message(1)], note: "good" });
    await saver.put(thread("t"), good, LOOP, good.channel_versions);
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const bad = checkpointOf({ messages: [message(1), message(2)], note: cyclic });
    const refused = saver.put(thread("t", good.id), bad, LOOP, bad.channel_versions);
    await expect(refused).rejects.toThrow(UnstorableValueError);
    await expect(refused).rejects.toThrow(/Channel "note"\.self .*cycle/);
    expect((await saver.getTuple(thread("t")))?.checkpoint.id).toBe(good.id);
    const next = checkpointOf({ messages: [message(1), message(2)], note: "better" });
    await saver.put(thread("t", good.id), next, LOOP, next.channel_versions);
    expect(JSON.stringify((await saver.getTuple(thread("t")))?.checkpoint.channel_values)).toBe(
      JSON.stringify(next.channel_values),
    );
  });

  it("gives pending writes back in the order of task path, task and index", async () => {
    const saver = openSaver();
    const checkpoint = checkpointOf({ a: 1 });
    const config = await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    await saver.putWrites(config, [["a", "late"]], "task-a", "~__pregel_pull, z");
    await saver.putWrites(config, [["a", "input"]], "task-z");
    await saver.putWrites(
      config,
      [
        ["a", "early 0"],
        ["a", "early 1"],
      ],
      "task-b",
      "~__pregel_pull, b",
    );
    const writes = (await saver.getTuple(config))?.pendingWrites?.map(([, , value]) => value);
    expect(writes).toEqual(["input", "early 0", "early 1", "late"]);
  });

  it("takes writes before their checkpoint, keeps the first regular write and the last control write", async () => {
    const saver = openSaver();
    const id = uuid6(0);
    await saver.putWrites(thread("t", id), [["a", "first"]], "task");
    await saver.putWrites(thread("t", id), [["a", "second"]], "task");
    await saver.putWrites(thread("t", id), [["__interrupt__", "old"]], "task");
    await saver.putWrites(thread("t", id), [["__interrupt__", "new"]], "task");
    await saver.putWrites(thread("t", id), [["u", undefined]], "other");
    await saver.put(thread("t"), { ...checkpointOf({ a: 1 }), id }, LOOP, undefined);
    expect((await saver.getTuple(thread("t")))?.pendingWrites).toEqual([
      ["other", "u", undefined],
      ["task", "__interrupt__", "new"],
      ["task", "a", "first"],
    ]);
  });

  it("a writer is not held up by a reader that paused in the middle of a list (R9)", async () => {
    const saver = openSaver();
    let parent: string | undefined;
    for (let step = 0; step < 5; step += 1) {
      const checkpoint = checkpointOf({ step });
      await saver.put(thread("t", parent), checkpoint, LOOP, checkpoint.channel_versions);
      parent = checkpoint.id;
    }
    const listed = saver.list(thread("t"));
    await listed.next();
    const next = checkpointOf({ step: 5 });
    await saver.put(thread("t", parent), next, LOOP, next.channel_versions);
    const second = (await listed.next()) as IteratorResult<CheckpointTuple, undefined>;
    expect(second.value?.checkpoint.channel_values).toEqual({ step: 3 });
  });

  it("filters by metadata literally: keys with dots, nested values, null and missing differ (R44, R45)", async () => {
    const saver = openSaver();
    const metadata = { ...LOOP, "a.b": "v", nested: { x: 1, y: [2] }, nothing: null };
    const checkpoint = checkpointOf({ a: 1 });
    await saver.put(thread("t"), checkpoint, metadata, checkpoint.channel_versions);
    const count = async (filter: Record<string, unknown>): Promise<number> =>
      (await all(saver.list(thread("t"), { filter }))).length;
    expect(await count({ "a.b": "v" })).toBe(1);
    expect(await count({ nested: { y: [2], x: 1 } })).toBe(1);
    expect(await count({ "nested.x": 1 })).toBe(0);
    expect(await count({ nothing: null })).toBe(1);
    expect(await count({ missing: null })).toBe(0);
  });

  it("keeps ids that look alike apart, and takes any Unicode in them (R33)", async () => {
    const saver = openSaver();
    const ids = ["a/b", "a_b", "A/B", "é", "é", "a\0b", "a", "\u{1F600}", "%", "a'b; --"];
    for (const id of ids) {
      const checkpoint = checkpointOf({ id });
      await saver.put(thread(id), checkpoint, LOOP, checkpoint.channel_versions);
    }
    for (const id of ids) expect((await saver.getTuple(thread(id)))?.checkpoint.channel_values).toEqual({ id });
  });

  it("one tenant reads, lists and deletes nothing of another", async () => {
    const file = join(temporaryFolder(), "shared.db");
    const ann = openSaver(file, { tenant: "ann" });
    const bob = openSaver(file, { tenant: "bob" });
    const checkpoint = checkpointOf({ secret: "of ann" });
    await ann.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    expect(await bob.getTuple(thread("t"))).toBeUndefined();
    expect(await all(bob.list({}))).toEqual([]);
    await bob.deleteThread("t");
    expect((await ann.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ secret: "of ann" });
  });

  it("deletes a thread in all namespaces and leaves the others", async () => {
    const saver = openSaver();
    for (const [id, ns] of [
      ["gone", ""],
      ["gone", "child:1"],
      ["stays", ""],
    ] as const) {
      const config = { configurable: { thread_id: id, checkpoint_ns: ns } };
      const checkpoint = checkpointOf({ a: 1 });
      await saver.putWrites(await saver.put(config, checkpoint, LOOP, checkpoint.channel_versions), [["a", 2]], "task");
    }
    await saver.deleteThread("gone");
    const left = await all(saver.list({}));
    expect(left.map((tuple) => tuple.config.configurable?.thread_id as string)).toEqual(["stays"]);
  });
});

describe("SlimSaver and bad input", () => {
  it.each([
    ["no thread_id", {}],
    ["an empty thread_id", { thread_id: "" }],
    ["a number as thread_id", { thread_id: 5 }],
    ["an endless thread_id", { thread_id: "x".repeat(5_000) }],
  ])("%s: says how to pass one, stores nothing", async (_name, configurable) => {
    const saver = openSaver();
    const checkpoint = checkpointOf({ a: 1 });
    const refused = saver.put({ configurable }, checkpoint, LOOP, {});
    await expect(refused).rejects.toThrow(ThreadIdError);
    await expect(refused).rejects.toThrow(/configurable: \{ thread_id/);
    await expect(
      saver.putWrites({ configurable: { ...configurable, checkpoint_id: "c" } }, [["a", 1]], "task"),
    ).rejects.toThrow(ThreadIdError);
    expect(await all(saver.list({}))).toEqual([]);
  });

  it("a graph that is run without a thread_id fails with that error", async () => {
    const app = echo.compile({ checkpointer: openSaver() });
    await expect(app.invoke({ messages: [new HumanMessage("x")] })).rejects.toThrow(ThreadIdError);
  });

  it("writes that name no checkpoint are refused", async () => {
    await expect(openSaver().putWrites(thread("t"), [["a", 1]], "task")).rejects.toThrow(InvalidInputError);
  });

  it("a path in a folder that does not exist", () => {
    const path = join(temporaryFolder(), "missing", "agent.db");
    expect(() => SlimSaver.fromConnString(path)).toThrow(StoreUnavailableError);
    expect(() => SlimSaver.fromConnString(path)).toThrow(/folder exists/);
  });

  it("a folder in place of a file", () => {
    expect(() => SlimSaver.fromConnString(temporaryFolder())).toThrow(StoreUnavailableError);
  });

  it("a file that is not a database is left as it was", async () => {
    const { readFile } = await import("node:fs/promises");
    const path = join(temporaryFolder(), "notes.txt");
    const text = "these are notes, and no database at all. ".repeat(100);
    writeFileSync(path, text);
    expect(() => SlimSaver.fromConnString(path)).toThrow(NotADatabaseError);
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it("a database of a newer schema is refused and left as it was", async () => {
    const path = join(temporaryFolder(), "newer.db");
    await SlimSaver.fromConnString(path).close();
    const handle = new Database(path);
    handle.prepare("UPDATE waypoint_meta SET value = 99 WHERE key = 'schema'").run();
    handle.close();
    expect(() => SlimSaver.fromConnString(path)).toThrow(SchemaVersionError);
    expect(() => SlimSaver.fromConnString(path)).toThrow(/version 99.*Upgrade/);
  });

  it.each(["", "mysql://db", 5 as never])("a connection string %j that it does not know", (conn) => {
    expect(() => SlimSaver.fromConnString(conn)).toThrow(InvalidInputError);
  });

  it("a saver that was closed", async () => {
    const saver = SlimSaver.fromConnString(":memory:");
    await saver.close();
    await saver.close();
    await expect(saver.getTuple(thread("t"))).rejects.toThrow(StoreClosedError);
  });

  it("an object that was tampered with is loud, and no older state is handed out", async () => {
    const saver = openSaver();
    const path = join(temporaryFolder(), "tampered.db");
    const first = SlimSaver.fromConnString(path);
    const checkpoint = checkpointOf({ messages: [new HumanMessage("a message that was stored as it was said")] });
    await first.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    await first.close();
    const handle = new Database(path);
    handle.prepare("UPDATE waypoint_objects SET data = CAST(replace(data, 'said', 'sold') AS BLOB), codec = 1").run();
    handle.close();
    await expect(openSaver(path).getTuple(thread("t"))).rejects.toThrow(CorruptObjectError);
    databaseOf(saver).run("DELETE FROM waypoint_objects");
  });

  it("every error of the package is one, from whichever copy of it", async () => {
    const error: unknown = await openSaver()
      .put({}, checkpointOf({}), LOOP, {})
      .catch((thrown: unknown) => thrown);
    expect(WaypointError.is(error)).toBe(true);
    expect(WaypointError.is(new Error("other"))).toBe(false);
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = [];
  for await (const item of items) result.push(item);
  return result;
}

function objectsHolding(saver: SlimSaver, text: string): number {
  const database = databaseOf(saver);
  const objects = new ObjectTable(database, { tenant: "" });
  const ids = database.all<{ id: number }>("SELECT id FROM waypoint_objects");
  return ids.map(({ id }) => objects.read(id)).filter((found) => typeof found === "object" && found.text.includes(text))
    .length;
}

function message(index: number): AIMessage {
  return new AIMessage({
    id: `m${index}`,
    content: `text ${index}`,
    tool_calls: [{ name: "t", args: { index, nested: { list: [index] } }, id: `c${index}` }],
  });
}

/** One in-place change of one message. */
function mutate(messages: AIMessage[], [index, what, text]: [number, number, string]): void {
  const target = messages[index] as AIMessage;
  const args = target.tool_calls?.[0]?.args as { nested: { list: unknown[] }; [key: string]: unknown };
  const changes = [
    () => (target.content = text),
    () => (target.additional_kwargs[text] = text),
    () => args.nested.list.push(text),
    () => (args.index = { "~": text }),
    () => (target.id = text === "" ? "x" : text),
    () => target.tool_calls?.push({ name: text, args: {}, id: text }),
    () => messages.splice(index, 1, message(index + 1_000)),
  ];
  changes[what]?.();
}
