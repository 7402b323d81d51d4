import { hash } from "node:crypto";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CorruptObjectError } from "../../src/checkpointer/index.js";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { ObjectTable } from "../../src/store/sqlite/objects.js";
import { PackTable } from "../../src/store/sqlite/packs.js";
import { LOOP, checkpointOf, databaseOf, openSaver, temporaryFolder, thread } from "./harness.js";

const temporaryFile = (): string => join(temporaryFolder(), "packs.db");

const said = (at: number, words = 150): string =>
  Array.from({ length: words }, (_, word) => ((at * 7919 + word * 104_729) % 5_000).toString(36)).join(" ");

const talk = (from: number, count: number, words?: number): BaseMessage[] =>
  Array.from({ length: count }, (_, at) => new HumanMessage({ content: said(from + at, words), id: `m${from + at}` }));

/** Puts growing lists of messages on a thread. */
function writer(saver: SlimSaver, name: string): (messages: readonly BaseMessage[]) => Promise<void> {
  let parent: string | undefined;
  return async (messages) => {
    const checkpoint = checkpointOf({ messages: [...messages] });
    await saver.put(thread(name, parent), checkpoint, LOOP, checkpoint.channel_versions);
    parent = checkpoint.id;
  };
}

async function grown(saver: SlimSaver, name: string, messages: readonly BaseMessage[], by = 10): Promise<void> {
  const put = writer(saver, name);
  for (let length = by; length <= messages.length; length += by) await put(messages.slice(0, length));
}

async function contents(saver: SlimSaver, name: string): Promise<unknown[]> {
  const tuple = await saver.getTuple(thread(name));
  return (tuple?.checkpoint.channel_values.messages as BaseMessage[]).map(({ content }) => content);
}

const contentsOf = (messages: readonly BaseMessage[]): unknown[] => messages.map(({ content }) => content);
const packsIn = (saver: SlimSaver): number => new PackTable(databaseOf(saver)).sizes().size;
const packed = (saver: SlimSaver): number =>
  databaseOf(saver).get<{ n: number }>("SELECT count(*) AS n FROM waypoint_objects WHERE codec > 0")!.n;

/** Of the text in each pack. */
function lengths(saver: SlimSaver): number[] {
  const packs = new PackTable(databaseOf(saver));
  return [...packs.sizes().keys()].map((id) => [...packs.members(id)!.values()].join("").length);
}

function expectUsual(found: readonly number[]): void {
  expect(found.length).toBeGreaterThan(3);
  for (const length of found) {
    expect(length).toBeGreaterThanOrEqual(48_000);
    expect(length).toBeLessThan(64_000);
  }
}

/** Whatever is said in any object, and in any pack, whether an object knows it or not. */
function everything(saver: SlimSaver): string {
  const database = databaseOf(saver);
  const table = new ObjectTable(database, { tenant: "" });
  const ids = database.all<{ id: number }>("SELECT id FROM waypoint_objects").map(({ id }) => id);
  const packs = new PackTable(database);
  const inPacks = [...packs.sizes().keys()].flatMap((id) => [
    ...(packs.members(id) ?? new Map<number, string>()).values(),
  ]);
  return [...ids.map((id) => (table.read(id) as { text: string }).text), ...inPacks].join("\n");
}

describe("what is said in a thread is packed", () => {
  it("whenever 48 KB of it have gathered, and takes much less room than alone", async () => {
    const saver = openSaver();
    await grown(saver, "long", talk(0, 400));
    await grown(saver, "short", talk(9_000, 20));
    expectUsual(lengths(saver));
    expect(packed(saver)).toBeGreaterThan(300);
    const sizes = [...new PackTable(databaseOf(saver)).sizes().values()];
    const alone = databaseOf(saver).get<{ n: number }>(
      "SELECT avg(length(data)) AS n FROM waypoint_objects WHERE codec = -1 AND length(data) > 200",
    )!.n;
    for (const { bytes, members } of sizes) expect(bytes / members).toBeLessThan(alone * 0.85);
    expect(await contents(saver, "long")).toEqual(contentsOf(talk(0, 400)));
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
  });

  it("by processes that bring but a turn each", async () => {
    const file = temporaryFile();
    const messages = talk(0, 120);
    let parent: string | undefined;
    for (let length = 2; length <= messages.length; length += 2) {
      const saver = openSaver(file);
      const checkpoint = checkpointOf({ messages: messages.slice(0, length) });
      await saver.put(thread("t", parent), checkpoint, LOOP, checkpoint.channel_versions);
      parent = checkpoint.id;
      await saver.close();
    }
    const saver = openSaver(file);
    expect(packed(saver)).toBeGreaterThan(60);
    expect(await contents(saver, "t")).toEqual(contentsOf(messages));
  });

  it("also when it all comes at once, in packs of the usual size", async () => {
    const saver = openSaver();
    await writer(saver, "t")(talk(0, 400));
    expectUsual(lengths(saver));
    expect(packed(saver)).toBeGreaterThan(300);
    expect(await contents(saver, "t")).toEqual(contentsOf(talk(0, 400)));
  });

  it("but not with what is large, which stays by itself", async () => {
    const saver = openSaver();
    const large = new HumanMessage({ content: said(0, 20_000), id: "large" });
    await writer(saver, "t")([large, ...talk(1, 3)]);
    expect(packsIn(saver)).toBe(0);
    expect(await contents(saver, "t")).toEqual(contentsOf([large, ...talk(1, 3)]));
  });

  it("and nothing of a put that failed", async () => {
    const saver = openSaver();
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const checkpoint = checkpointOf({ messages: talk(0, 200), cycle });
    await expect(saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions)).rejects.toThrow("cycle");
    await grown(saver, "t", talk(500, 200));
    expect(await contents(saver, "t")).toEqual(contentsOf(talk(500, 200)));
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
  });
});

describe("a pack goes with what is in it", () => {
  it("when its thread is deleted: what others share is there, and nothing else that was said is left", async () => {
    const saver = openSaver();
    const messages = talk(0, 400);
    await grown(saver, "deleted", messages);
    const shared = messages.slice(300, 340);
    await writer(saver, "other")(shared);
    await saver.deleteThread("deleted");
    expect(await contents(saver, "other")).toEqual(contentsOf(shared));
    const left = everything(saver);
    for (const message of messages) expect(left.includes(message.content as string)).toBe(shared.includes(message));
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
    await saver.deleteThread("other");
    expect([packsIn(saver), (await saver.stats()).objects]).toEqual([0, 0]);
  });

  it("when pruning leaves part of it: the part moves into another", async () => {
    const saver = openSaver();
    const messages = talk(0, 400);
    await grown(saver, "t", messages, 40);
    const before = packed(saver);
    const put = writer(saver, "u");
    await put(messages.filter((_, at) => at % 5 !== 0));
    await saver.deleteThread("t");
    expect(packed(saver)).toBeGreaterThan(before / 2);
    expect(await contents(saver, "u")).toEqual(contentsOf(messages.filter((_, at) => at % 5 !== 0)));
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
  });

  it("and a rehearsal moves nothing", async () => {
    const saver = openSaver();
    await grown(saver, "t", talk(0, 200), 40);
    await writer(saver, "u")(talk(0, 30));
    const rows = (): unknown[] => databaseOf(saver).all("SELECT id, codec FROM waypoint_objects ORDER BY id");
    const before = rows();
    await saver.prune({ keep: "latest", dryRun: true });
    expect(rows()).toEqual(before);
    await grown(saver, "v", talk(700, 200), 40);
    expect(await contents(saver, "v")).toEqual(contentsOf(talk(700, 200)));
    expect(await contents(saver, "t")).toEqual(contentsOf(talk(0, 200)));
  });

  it("in any order of growing, sharing, pruning and deleting", async () => {
    const names = ["a", "b", "c"] as const;
    const step = fc.record({
      what: fc.constantFrom("grow", "share", "prune", "delete"),
      name: fc.constantFrom(...names),
      from: fc.constantFrom(...names),
      count: fc.integer({ min: 1, max: 90 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const saver = openSaver();
        const held = new Map<string, BaseMessage[]>();
        let next = 0;
        for (const { what, name, from, count } of steps) {
          const own = held.get(name) ?? [];
          if (what === "delete") {
            await saver.deleteThread(name);
            held.delete(name);
          } else if (what === "prune") await saver.prune({ keep: "latest" });
          else {
            const more = what === "grow" ? talk(next, count) : (held.get(from) ?? []).slice(-count);
            next += count;
            const messages = [...own.slice(what === "share" ? own.length : 0), ...more];
            if (messages.length === 0) continue;
            const parent = (await saver.getTuple(thread(name)))?.config.configurable?.checkpoint_id as
              string | undefined;
            const checkpoint = checkpointOf({ messages });
            await saver.put(thread(name, parent), checkpoint, LOOP, checkpoint.channel_versions);
            held.set(name, messages);
          }
          for (const [kept, messages] of held) expect(await contents(saver, kept)).toEqual(contentsOf(messages));
        }
        await saver.prune({ keep: "latest" });
        const left = everything(saver);
        const alive = new Set([...held.values()].flat().map(({ content }) => content as string));
        for (let at = 0; at < next; at += 1) expect(left.includes(said(at))).toBe(alive.has(said(at)));
        expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
        await saver.close();
      }),
      { numRuns: 25 },
    );
  });
});

describe("a pack that somebody changed is loud", () => {
  const other = deflateRawSync(Buffer.from("1 2\n{}\n{}"));

  it.each<[string, Buffer | string]>([
    ["gone", ""],
    ["cut short", Buffer.from([1, 2, 3])],
    ["no bytes", "text"],
    ["with another text", Buffer.concat([Buffer.alloc(16), other])],
    ["with another text and its hash", Buffer.concat([hash("sha256", "1 2\n{}\n{}", "buffer").subarray(0, 16), other])],
  ])("%s", async (what, data) => {
    const file = temporaryFile();
    const saver = openSaver(file);
    await grown(saver, "t", talk(0, 200));
    await saver.close();
    const opened = openSaver(file);
    if (what === "gone") databaseOf(opened).run("DELETE FROM waypoint_packs");
    else databaseOf(opened).run("UPDATE waypoint_packs SET data = ?", data);
    await expect(opened.getTuple(thread("t"))).rejects.toThrow(CorruptObjectError);
    expect((await opened.verify()).ok).toBe(false);
    await expect(opened.prune({ keep: "latest" })).rejects.toThrow(CorruptObjectError);
  });
});
