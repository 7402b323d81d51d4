import { randomBytes } from "node:crypto";
import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it, vi } from "vitest";
import { importThreads } from "../../../src/checkpointer/index.js";
import type { ObjectStore, SlimSaver, SlimSaverOptions } from "../../../src/checkpointer/index.js";
import { systemClock } from "../../../src/shared/clock.js";
import { Child } from "../../child.js";
import { HOUR, clockAt, codeOf } from "../artifacts/support.js";
import { LOOP, checkpointOf, databaseOf, openSaver, thread } from "../harness.js";
import { largeText } from "./large-text.js";
import { filesIn, placeOf, places, store, valuesOf } from "./place.js";
import type { Place } from "./place.js";

const STORER = new URL("./fixtures/storer.ts", import.meta.url);

describe("with objectsAbove 0", () => {
  const all = (place: Place): SlimSaverOptions => ({ objects: place.objects, objectsAbove: 0 });
  const insideLeaves = (saver: SlimSaver): number =>
    databaseOf(saver).get<{ n: number }>(
      `SELECT count(*) AS n FROM waypoint_objects o LEFT JOIN waypoint_outside w ON w.object = o.id
       WHERE w.object IS NOT NULL AND typeof(o.data) = 'blob'`,
    )?.n ?? 0;

  async function longThread(saver: SlimSaver, name: string, length: number): Promise<HumanMessage[]> {
    const messages = Array.from(
      { length },
      (_, index) => new HumanMessage({ id: `${name} ${index}`, content: `${name} says ${index} ${"x".repeat(300)}` }),
    );
    let config = thread(name);
    for (const end of [1, length / 2, length]) {
      const checkpoint = checkpointOf({ messages: messages.slice(0, end), count: end });
      config = await saver.put(config, checkpoint, Object.assign({ end }, LOOP), checkpoint.channel_versions);
    }
    return messages;
  }

  it("long lists, which are read many pieces at a time, come back from a fresh process", async () => {
    const place = placeOf();
    const saver = openSaver(place.file, all(place));
    const messages = await longThread(saver, "t", 200);
    expect(places(saver).outside).toBeGreaterThan(200);
    expect(insideLeaves(saver)).toBe(0);
    const reader = openSaver(place.file, { objects: place.objects });
    expect((await valuesOf(reader, "t"))?.messages).toEqual(messages);
    const listed = [];
    for await (const { metadata } of reader.list({}, { filter: { end: 100 } })) listed.push(metadata);
    expect(listed).toMatchObject([{ end: 100 }]);
  });

  it("is measured, copied, imported, pruned and checked like any other", async () => {
    const place = placeOf();
    const saver = openSaver(place.file, all(place));
    const messages = await longThread(saver, "t", 40);
    await saver.putWrites(
      thread("t", (await saver.getTuple(thread("t")))?.checkpoint.id),
      [["a", "b"]],
      "task",
      "path",
    );
    const fresh = (): SlimSaver => openSaver(place.file, all(place));
    expect(await fresh().stats({ threadId: "t" })).toMatchObject({ checkpoints: 3, writes: 1 });
    await fresh().copyThread("t", "u");
    const other = placeOf();
    const target = openSaver(other.file, all(other));
    expect(await importThreads(fresh(), target)).toMatchObject({ threads: 2, checkpoints: 6, unreadable: [] });
    for (const name of ["t", "u"])
      expect((await valuesOf(openSaver(other.file, all(other)), name))?.messages).toEqual(messages);
    expect(await fresh().prune({ keep: "latest" })).toMatchObject({ checkpoints: 4 });
    expect((await valuesOf(fresh(), "u"))?.messages).toEqual(messages);
    expect(await fresh().verify()).toMatchObject({ ok: true, unchecked: 0, orphans: 0 });
    for (const name of ["t", "u"]) await fresh().deleteThread(name);
    expect(filesIn(place.dir)).toEqual([]);
  });

  it("a list that is under way while others delete leaves out what is gone, and calls nothing damaged", async () => {
    const place = placeOf();
    const saver = openSaver(place.file, all(place));
    for (let count = 0; count < 30; count += 1)
      await store(saver, `t${count}`, { page: `text ${count} ${"y".repeat(200)}` });
    const deleter = openSaver(place.file, all(place));
    let deleted = false;
    const meeting: ObjectStore = {
      put: (key, bytes) => place.objects.put(key, bytes),
      delete: (key) => place.objects.delete(key),
      list: (prefix) => place.objects.list(prefix),
      get: async (key) => {
        if (!deleted) {
          deleted = true;
          await deleter.deleteThread("t0");
          for (let count = 10; count < 20; count += 1) await deleter.deleteThread(`t${count}`);
        }
        return place.objects.get(key);
      },
    };
    const found = [];
    for await (const { config } of openSaver(place.file, { objects: meeting }).list({}))
      found.push(config.configurable?.thread_id);
    expect(found.sort()).toEqual((await deleter.listThreads()).threads.map(({ threadId }) => threadId).sort());
  });

  it("a read goes on from the checkpoint that was the newest when it began", async () => {
    const place = placeOf();
    const writer = openSaver(place.file, all(place));
    await store(writer, "t", { page: "first ".repeat(50) });
    const seen = await writer.getTuple(thread("t"));
    let moved = false;
    const meeting: ObjectStore = {
      put: (key, bytes) => place.objects.put(key, bytes),
      delete: (key) => place.objects.delete(key),
      list: (prefix) => place.objects.list(prefix),
      get: async (key) => {
        if (!moved) {
          moved = true;
          const next = checkpointOf({ page: "second ".repeat(50) });
          await writer.put(seen?.config ?? {}, next, LOOP, next.channel_versions);
        }
        return place.objects.get(key);
      },
    };
    const reader = openSaver(place.file, { objects: meeting });
    expect((await reader.getTuple(thread("t")))?.checkpoint.id).toBe(seen?.checkpoint.id);
    expect(await valuesOf(reader, "t")).toEqual({ page: "second ".repeat(50) });
  });
});

it("objectsAbove says from which size, of artifacts as well; what is no size is refused", async () => {
  const { file, dir, objects } = placeOf();
  const saver = openSaver(file, { objects, objectsAbove: 500 });
  await store(saver, "t", { short: randomBytes(150).toString("hex"), long: randomBytes(900).toString("hex") });
  expect(filesIn(dir)).toHaveLength(1);
  await saver.putArtifact(randomBytes(500), { threadId: "t" });
  expect(filesIn(dir)).toHaveLength(1);
  await saver.putArtifact(randomBytes(501), { threadId: "t" });
  expect(filesIn(dir)).toHaveLength(2);
  for (const objectsAbove of [-1, 0.5, Number.NaN, "64k"])
    expect(() => openSaver(file, { objects, objectsAbove: objectsAbove as number })).toThrow(/objectsAbove must be/);
});

it("compact brings outside what could not be brought, removes what nothing needs, and makes the file small", async () => {
  const { file, dir, objects } = placeOf();
  await store(openSaver(file), "kept", { page: largeText(9) }); // inside, and stays there
  const refusing: ObjectStore = {
    get: (key) => objects.get(key),
    list: (prefix) => objects.list(prefix),
    put: () => Promise.reject(new Error("no space left")),
    delete: () => Promise.reject(new Error("no space left")),
  };
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  await store(openSaver(file, { objects: refusing }), "t", { page: largeText(1) });
  warn.mockRestore();
  const saver = openSaver(file, { objects, clock: clockAt(Date.now() + 2 * HOUR) });
  await store(saver, "gone", { page: largeText(2) });
  expect(await codeOf(openSaver(file, { objects: refusing }).deleteThread("gone"))).toBe("OBJECTS_UNAVAILABLE");
  const before = (await saver.stats()).fileBytes;
  await saver.compact();
  expect(places(saver)).toEqual({ outside: 1, large: 1 });
  expect(filesIn(dir)).toHaveLength(1);
  expect((await saver.stats()).fileBytes).toBeLessThan(before);
});

it("two processes that store and delete the same while a third prunes lose nothing, and leave nothing behind", async () => {
  const { file, dir, objects } = placeOf();
  const pruner = openSaver(file, { objects, clock: { ...systemClock, now: () => systemClock.now() + 2 * HOUR } });
  const names = (who: string): string[] => Array.from({ length: 24 }, (_, index) => `${who}-${index}`);
  const children = ["a", "b"].map((who) =>
    Child.start(STORER, { file, dir, die: "never", threads: names(who), contents: 3, deleteEven: true }).ended(),
  );
  let left = 2;
  for (const child of children) void child.then(() => (left -= 1));
  while (left > 0) {
    await pruner.prune({ keep: "latest" });
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await Promise.all(children)).map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  await pruner.prune({ keep: "latest" });
  const reader = openSaver(file, { objects });
  for (const name of [...names("a"), ...names("b")]) {
    const index = Number(name.slice(2));
    const wanted = index % 2 === 0 ? undefined : { page: largeText(index % 3) };
    expect(await valuesOf(reader, name)).toEqual(wanted);
  }
  expect(await reader.verify()).toMatchObject({ ok: true, orphans: 0 });
  expect(places(reader)).toEqual({ outside: 3, large: 0 });
  expect(filesIn(dir)).toHaveLength(3);
}, 60_000);
