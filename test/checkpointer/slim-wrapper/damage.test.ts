import { describe, expect, it } from "vitest";
import { HumanMessage } from "@langchain/core/messages";
import { CorruptObjectError, ObjectsUnavailableError, aes256gcm, slim } from "../../../src/checkpointer/index.js";
import { SchemaVersionError } from "../../../src/store/errors.js";
import type { SlimOptions } from "../../../src/checkpointer/index.js";
import { InvalidInputError } from "../../../src/shared/errors.js";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { CountedObjects, INNERS, longText, sqlite, store, tupleOf, valuesOf } from "./harness.js";

const encryption = aes256gcm(new Uint8Array(32).fill(1));

describe.each(INNERS)("damage, around %s", (_name, inner) => {
  const damages: [string, (objects: CountedObjects, key: string) => Promise<void>, "missing" | "corrupt"][] = [
    ["is missing", (objects, key) => objects.delete(key), "missing"],
    ["is empty", (objects, key) => objects.put(key, new Uint8Array(0)), "corrupt"],
    ["is another one", async (objects, key) => objects.put(key, (await objects.get(objects.keys[0]!))!), "corrupt"],
    ["has a changed byte", (objects, key) => changeByte(objects, key), "corrupt"],
  ];
  for (const options of [{}, { encryption }] as Partial<SlimOptions>[]) {
    const sealed = options.encryption === undefined ? "" : " and sealed";
    it.each(damages)(
      `an object that %s${sealed} is said to be so, with thread, checkpoint and key`,
      async (_n, damage, what) => {
        const objects = new CountedObjects();
        const saver = inner();
        const wrapper = slim(saver, { objects, ...options });
        const older = await store(wrapper, { messages: [new HumanMessage(longText(1))] });
        const id = older.configurable?.checkpoint_id as string;
        const config = await store(wrapper, { messages: [new HumanMessage(longText(2))] }, { parent: id });
        const key = objects.keys.at(-1)!;
        await damage(objects, key);
        const reader = slim(saver, { objects, ...options });
        const error = await valuesOf(reader).catch((thrown: unknown) => thrown as CorruptObjectError);
        expect(error).toBeInstanceOf(CorruptObjectError);
        const checkpointId = config.configurable?.checkpoint_id as string;
        expect(error).toMatchObject({ details: { threadId: "t", checkpointNs: "", checkpointId, key, what } });
        expect((error as Error).message).toContain(key);
        expect((await reader.getTuple(older))?.checkpoint.channel_values.messages).toHaveLength(1);
      },
    );
  }

  it("an object store that fails leaves the thread as it was, and the next attempt stores all that is needed", async () => {
    const objects = new CountedObjects();
    const saver = inner();
    let broken = false;
    const wrapper = slim(saver, {
      objects: {
        put: async (key, bytes) => {
          if (broken) throw new ObjectsUnavailableError("The disk is full.");
          await objects.put(key, bytes);
        },
        get: (key) => objects.get(key),
        delete: (key) => objects.delete(key),
        list: (prefix) => objects.list(prefix),
      },
    });
    const messages = [new HumanMessage(longText(1))];
    await store(wrapper, { messages });
    const before = await tupleOf(saver);
    const stored = objects.puts.length;
    broken = true;
    messages.push(new HumanMessage(longText(2)));
    const config = before.config;
    await expect(store(wrapper, { messages })).rejects.toThrow(ObjectsUnavailableError);
    await expect(wrapper.putWrites(config, [["messages", messages]], "task")).rejects.toThrow(ObjectsUnavailableError);
    expect(await tupleOf(saver)).toEqual(before);
    broken = false;
    await store(wrapper, { other: "thing" }, { name: "other" });
    expect(objects.puts).toHaveLength(stored);
    await store(wrapper, { messages });
    expect(await valuesOf(slim(saver, { objects }))).toEqual({ messages });
  });
});

/** In the middle, so that it is part of the content. */
async function changeByte(objects: CountedObjects, key: string): Promise<void> {
  const bytes = (await objects.get(key))!;
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  await objects.put(key, bytes);
}

describe("stubs that were tampered with", () => {
  const forgeries: [string, unknown][] = [
    ["refers to a number", { "waypoint:slim": 1, tree: '{"~":1}' }],
    ["refers to no hash", { "waypoint:slim": 1, tree: '{"~":"../../etc/passwd"}' }],
    ["has an unknown tag", { "waypoint:slim": 1, tree: '{"~":["?"]}' }],
    ["has a list without pages", { "waypoint:slim": 1, tree: '{"~":["l",3,null,[]]}' }],
    ["is no JSON", { "waypoint:slim": 1, tree: '{"~' }],
    ["has nothing", { "waypoint:slim": 1 }],
    ["has no format", { "waypoint:slim": "1", tree: "1" }],
  ];
  it.each(forgeries)("a stub that %s is damage", async (_name, stub) => {
    const inner = sqlite();
    await store(inner, { a: stub });
    await expect(valuesOf(slim(inner, { objects: new CountedObjects() }))).rejects.toThrow(CorruptObjectError);
  });

  it("a stub of a newer format is said to be one", async () => {
    const inner = sqlite();
    await store(inner, { a: { "waypoint:slim": 2, tree: "1" } });
    await expect(valuesOf(slim(inner, { objects: new CountedObjects() }))).rejects.toThrow(SchemaVersionError);
  });
});

describe("options of slim", () => {
  const objects = new CountedObjects();
  it.each<[string, unknown, unknown]>([
    ["no saver", undefined, { objects }],
    ["something that is no saver", { put: 1 }, { objects }],
    ["no options", sqlite, undefined],
    ["no objects", sqlite, {}],
    ["objects that are none", sqlite, { objects: {} }],
    ["a tenant that is none", sqlite, { objects, tenant: 1 }],
    ["an encryption that is none", sqlite, { objects, encryption: { seal: 1 } }],
    ["classes that are none", sqlite, { objects, classes: [{}] }],
  ])("%s is refused", (_name, inner, options) => {
    const saver = (typeof inner === "function" ? (inner as typeof sqlite)() : inner) as BaseCheckpointSaver;
    expect(() => slim(saver, options as SlimOptions)).toThrow(InvalidInputError);
  });

  it("what the inner saver has beside LangGraph's interface is handed on", async () => {
    const calls: string[] = [];
    const inner = Object.assign(sqlite(), {
      setup: () => calls.push("setup"),
      close: () => calls.push("close"),
      prune: () => calls.push("prune"),
    });
    const wrapper = slim(inner, { objects }) as BaseCheckpointSaver & Partial<Record<string, () => unknown>>;
    wrapper.setup?.();
    wrapper.prune?.();
    wrapper.close?.();
    expect([calls, wrapper.copyThread]).toEqual([["setup", "prune", "close"], undefined]);
    expect(wrapper.getNextVersion(3)).toBe(4);
    expect(JSON.stringify({ wrapper })).toBe('{"wrapper":"[SlimWrapper]"}');
  });
});
