import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it, vi } from "vitest";
import { aes256gcm, fileObjects, importThreads, unstorageObjects } from "../../../src/checkpointer/index.js";
import type { ObjectStore, SlimSaver, SlimSaverOptions } from "../../../src/checkpointer/index.js";
import { Child, runChild } from "../../child.js";
import { memoryStorage } from "../../store/objects/storages.js";
import { HOUR, clockAt, codeOf, errorOf } from "../artifacts/support.js";
import { LOOP, checkpointOf, databaseOf, openSaver, temporaryFolder, thread } from "../harness.js";
import { largeText } from "./large-text.js";
import { filesIn, placeOf, places, store, valuesOf } from "./place.js";

const STORER = new URL("./fixtures/storer.ts", import.meta.url);

describe.each([
  ["a folder", () => fileObjects(temporaryFolder()), {}],
  ["a folder, sealed", () => fileObjects(temporaryFolder()), { encryption: aes256gcm(randomBytes(32)) }],
  ["unstorage in memory", () => unstorageObjects(memoryStorage()), {}],
] as const)("large pieces in %s", (_name, make, options) => {
  function open(): { saver: SlimSaver; again: () => SlimSaver } {
    const file = join(temporaryFolder(), "agent.db");
    const given: SlimSaverOptions = { ...options, objects: make() };
    return { saver: openSaver(file, given), again: () => openSaver(file, given) };
  }

  it("come back everywhere: values, messages, writes, lists, history, positions, copies", async () => {
    const { saver, again } = open();
    const checkpoint = checkpointOf({
      page: largeText(1),
      messages: [new HumanMessage({ id: "m", content: largeText(2) })],
      small: "small",
    });
    const config = await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    await saver.putWrites(
      config,
      [
        ["messages", largeText(3)],
        ["__interrupt__", { value: largeText(4) }],
      ],
      "task",
    );
    expect(places(saver)).toEqual({ outside: 4, large: 0 });

    const reader = again();
    const tuple = await reader.getTuple(thread("t"));
    expect(tuple?.checkpoint.channel_values).toMatchObject({ page: largeText(1), small: "small" });
    expect((tuple?.checkpoint.channel_values.messages as HumanMessage[])[0]?.content).toBe(largeText(2));
    expect(tuple?.pendingWrites?.map(([, , value]) => value)).toContainEqual(largeText(3));
    const listed = [];
    for await (const each of again().list({}, { filter: { source: "loop" } })) listed.push(each);
    expect(listed).toEqual([tuple]);
    expect(await again().position("t")).toBeDefined();
    await again().copyThread("t", "copy");
    await saver.deleteThread("t");
    expect(await valuesOf(again(), "copy")).toEqual(tuple?.checkpoint.channel_values);
    expect(await again().verify()).toMatchObject({ ok: true, unchecked: 0, broken: [] });

    const child = checkpointOf({ next: 1 });
    await saver.put(await saver.put(thread("d"), checkpoint, LOOP, checkpoint.channel_versions), child, LOOP, {});
    const history = await again().getDeltaChannelHistory({ config: thread("d"), channels: ["page"] });
    expect(history.page?.seed).toBe(largeText(1));
  });

  it("go with what refers to them, and with nothing else", async () => {
    const { saver, again } = open();
    for (const name of ["a", "b"]) await store(saver, name, { page: largeText(1), own: `${name} ${largeText(2)}` });
    expect(places(saver)).toEqual({ outside: 3, large: 0 });
    await again().deleteThread("a");
    expect(places(saver)).toEqual({ outside: 2, large: 0 });
    expect(await valuesOf(again(), "b")).toEqual({ page: largeText(1), own: `b ${largeText(2)}` });
    await again().prune({ keep: "latest" });
    expect(await again().verify()).toMatchObject({ ok: true, orphans: 0 });
    await again().deleteThread("b");
    expect(databaseOf(saver).all("SELECT * FROM waypoint_outside UNION ALL SELECT * FROM waypoint_uploads")).toEqual(
      [],
    );
  });

  it("are brought along by an import, and by a second one too", async () => {
    const from = new MemorySaver();
    const checkpoint = checkpointOf({ page: largeText(1) });
    await from.put(thread("t"), checkpoint, LOOP);
    const { saver, again } = open();
    await importThreads(from, saver);
    expect(places(saver)).toEqual({ outside: 1, large: 0 });
    expect(await importThreads(from, again())).toMatchObject({ alreadyThere: 1 });
    expect(await valuesOf(again(), "t")).toEqual({ page: largeText(1) });
  });

  it("are read for a checkpoint that comes after its writes", async () => {
    const { saver, again } = open();
    const checkpoint = checkpointOf({ small: 1 });
    await saver.putWrites(thread("t", checkpoint.id), [["__error__", { message: largeText(1) }]], "task");
    expect(places(saver).outside).toBe(1);
    await again().put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    expect((await again().listThreads({ state: "failed" })).threads).toHaveLength(1);
    expect(await again().prune({ keep: "latest", olderThan: "0s" })).toMatchObject({ checkpoints: 0 });
  });
});

it("an image that stands in many messages and checkpoints is one file (R5)", async () => {
  const { file, dir, objects } = placeOf();
  const saver = openSaver(file, { objects });
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${largeText(1)}` } };
  const messages = Array.from({ length: 10 }, (_, index) => new HumanMessage({ id: `m${index}`, content: [image] }));
  let config = thread("t");
  for (let count = 1; count <= 10; count += 1) {
    const checkpoint = checkpointOf({ messages: messages.slice(0, count) });
    config = await saver.put(config, checkpoint, LOOP, checkpoint.channel_versions);
  }
  expect(filesIn(dir)).toHaveLength(1);
  expect(places(saver)).toEqual({ outside: 1, large: 0 });
  expect((await valuesOf(openSaver(file, { objects }), "t"))?.messages).toEqual(messages);
});

it("a saver without the place says what is missing, and reads whatever needs it not", async () => {
  const { file, objects } = placeOf();
  const saver = openSaver(file, { objects });
  await store(saver, "large", { page: largeText(1) });
  await store(saver, "small", { page: "small" });
  const without = openSaver(file);
  for (const call of [without.getTuple(thread("large")), without.position("large")]) {
    const error = await errorOf(call);
    expect([error.code, error.message]).toEqual(["OBJECTS_UNAVAILABLE", expect.stringContaining("option objects")]);
    expect(error.details.objectId).toEqual(expect.any(Number));
  }
  expect(await valuesOf(without, "small")).toEqual({ page: "small" });
  expect((await without.listThreads()).threads).toHaveLength(2);
  expect(await without.verify()).toMatchObject({ ok: true, unchecked: 1 });
  expect(await without.stats()).toMatchObject({ checkpoints: 2 });
  await without.prune({ keep: "latest" });
  expect(await valuesOf(openSaver(file, { objects }), "large")).toEqual({ page: largeText(1) });
  await without.deleteThread("large"); // its file goes with a prune that knows the place
  expect(await openSaver(file, { objects }).prune({ keep: "latest" })).toMatchObject({ leftovers: 1 });
});

it.each([
  ["missing", (path: string) => rmSync(path), "missing"],
  ["changed", (path: string) => writeFileSync(path, "something else"), "corrupt"],
  ["empty", (path: string) => writeFileSync(path, ""), "corrupt"],
])("a payload that is %s is loud, and verify names it", async (_what, harm, what) => {
  for (const options of [{}, { encryption: aes256gcm(randomBytes(32)) }]) {
    const { file, dir, objects } = placeOf();
    await store(openSaver(file, { ...options, objects }), "t", { page: largeText(1) });
    filesIn(dir).forEach(harm);
    const saver = openSaver(file, { ...options, objects });
    const error = await errorOf(saver.getTuple(thread("t")));
    expect(error.code).toMatch(/^(CORRUPT_OBJECT|DECRYPTION_FAILED)$/);
    const report = await saver.verify();
    expect(report).toMatchObject({ ok: false, broken: [{ what }] });
  }
});

it("payloads that change places are refused", async () => {
  const { file, dir, objects } = placeOf();
  const saver = openSaver(file, { objects });
  for (const number of [1, 2]) await store(saver, `t${number}`, { page: largeText(number) });
  expect(filesIn(dir)).toHaveLength(2);
  databaseOf(saver).run(
    "UPDATE waypoint_objects SET data = (SELECT max(key) FROM waypoint_outside) WHERE typeof(data) = 'text'",
  );
  const codes = await Promise.all(
    ["t1", "t2"].map((name) =>
      valuesOf(openSaver(file, { objects }), name).then(
        () => "read",
        (error: unknown) => (error as { code: string }).code,
      ),
    ),
  );
  expect(codes.sort()).toEqual(["CORRUPT_OBJECT", "read"]);
});

it("a place that cannot be written costs a warning and no checkpoint, and prune brings later what stayed", async () => {
  const { file, objects } = placeOf();
  let broken = true;
  const moody: ObjectStore = {
    get: (key) => objects.get(key),
    delete: (key) => objects.delete(key),
    list: (prefix) => objects.list(prefix),
    put: (key, bytes) => (broken ? Promise.reject(new Error("no space left")) : objects.put(key, bytes)),
  };
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const clock = clockAt(Date.parse("2026-01-01"));
  const saver = openSaver(file, { objects: moody, clock });
  await store(saver, "t", { page: largeText(1) });
  expect(warn).toHaveBeenCalledWith(expect.stringContaining("no space left"), { code: "WAYPOINT_OBJECTS_UNAVAILABLE" });
  warn.mockRestore();
  expect(places(saver)).toEqual({ outside: 0, large: 1 });
  expect(await valuesOf(openSaver(file), "t")).toEqual({ page: largeText(1) });
  expect(await codeOf(saver.prune({ keep: "latest" }))).toBe("OBJECTS_UNAVAILABLE");
  broken = false;
  clock.forward(2 * HOUR);
  await saver.prune({ keep: "latest" });
  expect(places(saver)).toEqual({ outside: 1, large: 0 });
  expect(await valuesOf(openSaver(file, { objects }), "t")).toEqual({ page: largeText(1) });
});

it("a put that needs a piece which cannot be brought stores nothing, and is made good when it can", async () => {
  const { file, objects } = placeOf();
  const checkpoint = checkpointOf({ small: 1 });
  await openSaver(file, { objects }).putWrites(
    thread("t", checkpoint.id),
    [["__error__", { message: largeText(1) }]],
    "task",
  );
  const unreadable: ObjectStore = {
    get: () => Promise.reject(new Error("out of reach")),
    put: (key, bytes) => objects.put(key, bytes),
    delete: (key) => objects.delete(key),
    list: (prefix) => objects.list(prefix),
  };
  const saver = openSaver(file, { objects: unreadable });
  const put = saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
  expect(await codeOf(put)).toBe("OBJECTS_UNAVAILABLE");
  expect(await saver.getTuple(thread("t"))).toBeUndefined();
  const again = openSaver(file, { objects });
  await again.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
  expect(await valuesOf(again, "t")).toEqual({ small: 1 });
});

it.each(["before the payload", "after the payload"] as const)(
  "a process that is killed %s loses nothing, and leaves nothing behind",
  async (die) => {
    const { file, dir, objects } = placeOf();
    const { signal } = await runChild(STORER, { file, dir, die, threads: ["t"] });
    expect(signal).toBe("SIGKILL");
    const clock = clockAt(Date.now() + 2 * HOUR);
    const saver = openSaver(file, { objects, clock });
    expect(await valuesOf(saver, "t")).toEqual({ page: largeText(0) });
    expect(places(saver)).toEqual({ outside: 0, large: 1 });
    await saver.prune({ keep: "latest" });
    expect(places(saver)).toEqual({ outside: 1, large: 0 });
    expect(filesIn(dir)).toHaveLength(1);
    expect(databaseOf(saver).all("SELECT * FROM waypoint_uploads")).toEqual([]);
    expect(await valuesOf(openSaver(file, { objects }), "t")).toEqual({ page: largeText(0) });
  },
);

it("two processes that store the same keep one of it, and a third reads meanwhile", async () => {
  const { file, dir, objects } = placeOf();
  const reader = openSaver(file, { objects });
  const names = (who: string): string[] => Array.from({ length: 6 }, (_, index) => `${who}-${index}`);
  const children = ["a", "b"].map((who) =>
    Child.start(STORER, { file, dir, die: "never", threads: names(who) }).ended(),
  );
  let left = 2;
  for (const child of children) void child.then(() => (left -= 1));
  while (left > 0) {
    for await (const { checkpoint, config } of reader.list({})) {
      const index = Number(String(config.configurable?.thread_id).slice(2));
      expect(checkpoint.channel_values).toEqual({ page: largeText(index) });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await Promise.all(children)).map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  await reader.prune({ keep: "latest" });
  expect(places(reader)).toEqual({ outside: 6, large: 0 });
  expect(filesIn(dir)).toHaveLength(6);
  expect(await reader.verify()).toMatchObject({ ok: true });
}, 60_000);

it("without a place nothing of it is there: no table, no large value outside", async () => {
  const saver = openSaver();
  await store(saver, "t", { page: largeText(1) });
  expect(databaseOf(saver).all("SELECT name FROM sqlite_master WHERE name = 'waypoint_outside'")).toEqual([]);
  expect(places(saver)).toEqual({ outside: 0, large: 1 });
});
