import { HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { Send } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { ObjectTable } from "../../src/store/sqlite/objects.js";
import { LOOP, checkpointOf, databaseOf, openSaver, thread } from "./harness.js";

/** Puts checkpoints one behind the other on a thread. */
function writer(saver: SlimSaver, name: string): (values: Record<string, unknown>) => Promise<void> {
  let parent: string | undefined;
  let step = 0;
  return async (values) => {
    step += 1;
    const checkpoint = checkpointOf(values, step);
    await saver.put(thread(name, parent), checkpoint, LOOP, checkpoint.channel_versions);
    parent = checkpoint.id;
  };
}

async function valuesOf(saver: SlimSaver, name: string): Promise<Record<string, unknown>> {
  return (await saver.getTuple(thread(name)))?.checkpoint.channel_values ?? {};
}

const objectsIn = async (saver: SlimSaver): Promise<number> => (await saver.stats()).objects;

const sentence = (at: number): string =>
  Array.from({ length: 60 }, (_, word) => ((at * 7919 + word * 104_729) % 5_000).toString(36)).join(" ");

describe("a piece of luggage is stored once, and a change writes what changed", () => {
  const file = (at: number, text = sentence(at)): object => ({ content: [text, text, text], modified_at: `day ${at}` });
  const files = (): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`/src/file-${at}.ts`, file(at)]));

  it.each<[string, (all: Record<string, unknown>) => Record<string, unknown>]>([
    ["in a channel", (all) => ({ files: all })],
    ["within another value", (all) => ({ work: { files: all } })],
    ["in what is sent to a node", (all) => ({ sends: [new Send("node", { files: all })] })],
    ["in a Map", (all) => ({ files: new Map(Object.entries(all)) })],
  ])("a record of 2,000 entries %s: one entry and one page of it", async (_name, valuesWith) => {
    const saver = openSaver();
    const put = writer(saver, "t");
    const all = files();
    await put(valuesWith(all));
    const before = await saver.stats();
    all["/src/file-777.ts"] = file(777, "changed ".repeat(200));
    await put(valuesWith({ ...all }));
    const after = await saver.stats();
    expect(after.objects - before.objects).toBeLessThanOrEqual(6);
    expect(after.objectBytes - before.objectBytes).toBeLessThan(before.objectBytes / 100);
    expect(await valuesOf(saver, "t")).toStrictEqual(valuesWith(all));
  });

  it("a key more or less in a record leaves the pages behind it as they are", async () => {
    const saver = openSaver();
    const put = writer(saver, "t");
    const all = files();
    await put({ files: all });
    const before = await objectsIn(saver);
    Reflect.deleteProperty(all, "/src/file-3.ts");
    await put({ files: { ...all } });
    expect((await objectsIn(saver)) - before).toBeLessThanOrEqual(6);
  });

  it("the same large text in many messages and channels", async () => {
    const saver = openSaver();
    const image = Buffer.alloc(200_000, 7).toString("base64");
    const content = [{ type: "image_url", image_url: { url: image } }];
    const messages = Array.from({ length: 12 }, (_, at) => new HumanMessage({ content, id: `m${at}` }));
    await writer(saver, "t")({ messages, image, kept: { deep: [image] } });
    const { objectBytes } = await saver.stats();
    expect(objectBytes).toBeLessThan(image.length);
    expect((await valuesOf(saver, "t")).image).toBe(image);
  });
});

describe("the dictionary of a thread", () => {
  const talk = (from: number, count: number): BaseMessage[] =>
    Array.from({ length: count }, (_, at) => new HumanMessage({ content: sentence(from + at), id: `m${from + at}` }));

  async function grown(saver: SlimSaver, name: string, messages: readonly BaseMessage[]): Promise<void> {
    const put = writer(saver, name);
    for (let length = 10; length <= messages.length; length += 10) await put({ messages: messages.slice(0, length) });
  }

  const dictionaries = (saver: SlimSaver): number[] =>
    databaseOf(saver)
      .all<{ dictionary: number }>("SELECT dictionary FROM waypoint_threads WHERE dictionary IS NOT NULL")
      .map(({ dictionary }) => dictionary);

  const texts = (saver: SlimSaver): string => {
    const database = databaseOf(saver);
    const table = new ObjectTable(database, { tenant: "" });
    const ids = database.all<{ id: number }>("SELECT id FROM waypoint_objects");
    return ids.map(({ id }) => (table.read(id) as { text: string }).text).join();
  };

  it("is made once a thread has grown, and halves what comes after", async () => {
    const saver = openSaver();
    await grown(saver, "long", talk(0, 400));
    await grown(saver, "short", talk(9_000, 20));
    expect(dictionaries(saver)).toHaveLength(1);
    const [sizes] = databaseOf(saver).all<{ without: number; with: number }>(
      `SELECT avg(length(data)) FILTER (WHERE codec = -1 AND length(data) > 100) AS without,
              avg(length(data)) FILTER (WHERE codec > 0 AND length(data) > 100) AS "with" FROM waypoint_objects`,
    );
    expect(sizes!.with).toBeLessThan(sizes!.without * 0.8);
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
  });

  it("goes with its thread: what others share is read without it, and nothing that was said is left", async () => {
    const saver = openSaver();
    const messages = talk(0, 400);
    await grown(saver, "deleted", messages);
    const shared = messages.slice(300, 340);
    await writer(saver, "other")({ messages: shared });
    await saver.deleteThread("deleted");
    expect(dictionaries(saver)).toEqual([]);
    const left = (await valuesOf(saver, "other")).messages as BaseMessage[];
    expect(left.map(({ content }) => content)).toEqual(shared.map(({ content }) => content));
    const said = texts(saver);
    for (const { content } of messages) {
      const text = content as string;
      const isShared = shared.some((one) => one.content === text);
      expect(said.includes(text)).toBe(isShared);
    }
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
  });

  it("stays while its thread does, however much is pruned", async () => {
    const saver = openSaver();
    const put = writer(saver, "t");
    const messages = talk(0, 400);
    for (let length = 40; length <= 400; length += 40) await put({ messages: messages.slice(0, length) });
    await put({ messages: messages.slice(-4) });
    await saver.prune({ keep: "latest" });
    expect(dictionaries(saver)).toHaveLength(1);
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
    await put({ messages: messages.slice(-8) });
    expect((await valuesOf(saver, "t")).messages).toHaveLength(8);
  });
});
