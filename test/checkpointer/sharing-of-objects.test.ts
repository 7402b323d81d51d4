import { HumanMessage } from "@langchain/core/messages";
import { Send } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { LOOP, checkpointOf, openSaver, thread } from "./harness.js";

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
