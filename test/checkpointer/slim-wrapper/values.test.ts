import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnstorableValueError, importThreads, slim } from "../../../src/checkpointer/index.js";
import { anyValue } from "../any-value.js";
import { LOOP, checkpointOf, thread } from "../checkpoints.js";
import { openSaver } from "../harness.js";
import { CountedObjects, INNERS, longText, store, tupleOf, valuesOf } from "./harness.js";

describe.each(INNERS)("slim around %s", (_name, inner) => {
  it("gives back values of all kinds, from channels and writes, to who stored them and to others", async () => {
    const objects = new CountedObjects();
    const saver = inner();
    let threads = 0;
    await fc.assert(
      fc.asyncProperty(anyValue, async (value) => {
        const name = `t${(threads += 1)}`;
        const wrapper = slim(saver, { objects });
        const config = await store(wrapper, { value, list: Array.from({ length: 20 }, () => value) }, { name });
        await wrapper.putWrites(config, [["value", value]], "task");
        for (const reader of [wrapper, slim(saver, { objects })]) {
          const { checkpoint, pendingWrites } = await tupleOf(reader, name);
          expect(checkpoint.channel_values).toStrictEqual({ value, list: Array.from({ length: 20 }, () => value) });
          expect(pendingWrites).toStrictEqual([["task", "value", value]]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("stores what was changed in place as changed", async () => {
    const objects = new CountedObjects();
    const saver = inner();
    const wrapper = slim(saver, { objects });
    await store(wrapper, { messages: Array.from({ length: 30 }, (_, at) => new HumanMessage(longText(at, 2000))) });
    await fc.assert(
      fc.asyncProperty(fc.nat(29), fc.string(), async (at, text) => {
        const before = await tupleOf(wrapper);
        const messages = before.checkpoint.channel_values.messages as BaseMessage[];
        messages[at]!.content = text;
        const next = checkpointOf({ messages });
        await wrapper.put(before.config, next, LOOP, next.channel_versions);
        const read = (await valuesOf(slim(saver, { objects }))).messages as BaseMessage[];
        expect(JSON.stringify(read)).toBe(JSON.stringify(messages));
      }),
      { numRuns: 25 },
    );
  });

  it("hands out nothing that is shared", async () => {
    const wrapper = slim(inner(), { objects: new CountedObjects() });
    await store(wrapper, { messages: [new AIMessage("one")], data: { list: [longText(1)] } });
    const first = (await valuesOf(wrapper)) as { messages: AIMessage[]; data: { list: string[] } };
    first.messages[0]!.content = "spoiled";
    first.data.list.push("spoiled");
    const second = (await valuesOf(wrapper)) as typeof first;
    expect([second.messages[0]?.content, second.data.list]).toEqual(["one", [longText(1)]]);
  });

  it("takes data that look like its stubs for data", async () => {
    const objects = new CountedObjects();
    const saver = inner();
    const wrapper = slim(saver, { objects });
    await store(wrapper, { big: longText(2), beside: 1 });
    const raw = (await tupleOf(saver)).checkpoint.channel_values.big;
    const lookAlikes = { real: raw, forged: { "waypoint:slim": 1, tree: '{"~":"x"}' }, newer: { "waypoint:slim": 9 } };
    const config = await store(wrapper, lookAlikes, { name: "t2" });
    await wrapper.putWrites(config, [["real", raw]], "task");
    const { checkpoint, pendingWrites } = await tupleOf(slim(saver, { objects }), "t2");
    expect(checkpoint.channel_values).toStrictEqual(lookAlikes);
    expect(pendingWrites).toStrictEqual([["task", "real", raw]]);
  });

  it("gives back unchanged what the inner saver held before", async () => {
    const saver = inner();
    const values = { messages: [new HumanMessage({ content: "old", id: "1" })], data: { a: [1, { b: null }] }, n: 5 };
    const config = await store(saver, values);
    await saver.putWrites(config, [["data", { "waypoint:": 1 }]], "task");
    const wrapper = slim(saver, { objects: new CountedObjects() });
    const before = await tupleOf(saver);
    expect(await tupleOf(wrapper)).toEqual(before);
    await store(wrapper, { ...before.checkpoint.channel_values, more: 7n }, { parent: before.checkpoint.id });
    expect(await valuesOf(wrapper)).toEqual({ ...values, more: 7n });
    const listed = [];
    for await (const tuple of wrapper.list(thread("t"))) listed.push(tuple.checkpoint.channel_values);
    expect(listed).toEqual([{ ...values, more: 7n }, values]);
  });

  it("is where importThreads can bring threads from", async () => {
    const wrapper = slim(inner(), { objects: new CountedObjects() });
    const values = { messages: [new HumanMessage({ content: longText(9), id: "1" })], text: longText(10), big: 7n };
    await store(wrapper, values);
    const target = openSaver();
    expect(await importThreads(wrapper, target)).toMatchObject({ threads: 1, checkpoints: 1 });
    expect(await valuesOf(target)).toEqual(values);
  });

  it("refuses what cannot be stored, and stores nothing of it", async () => {
    const objects = new CountedObjects();
    const wrapper = slim(inner(), { objects });
    const config = await store(wrapper, { good: "yes" });
    const cycle: Record<string, unknown> = { text: longText(3) };
    cycle.self = cycle;
    await expect(store(wrapper, { good: longText(4), cycle })).rejects.toThrow(UnstorableValueError);
    await expect(
      wrapper.putWrites(
        config,
        [
          ["a", longText(5)],
          ["b", [() => 1]],
        ],
        "task",
      ),
    ).rejects.toThrow(/channel "b"/);
    await store(wrapper, { good: "still" }, { name: "other" });
    expect(objects.puts).toEqual([]);
    expect(await tupleOf(wrapper)).toMatchObject({
      checkpoint: { channel_values: { good: "yes" } },
      pendingWrites: [],
    });
  });

  it("gives writes back by path, task and index, also where the inner saver does not", async () => {
    const wrapper = slim(inner(), { objects: new CountedObjects() });
    const config = await store(wrapper, { a: 1 });
    await wrapper.putWrites(
      config,
      [
        ["a", 1],
        ["b", 2],
      ],
      "z",
      "path 1",
    );
    await wrapper.putWrites(config, [["a", 3]], "a", "path 2");
    await wrapper.putWrites(config, [["a", 4]], "m", "path 1");
    const { pendingWrites } = await tupleOf(wrapper);
    expect(pendingWrites).toEqual([
      ["m", "a", 4],
      ["z", "a", 1],
      ["z", "b", 2],
      ["a", "a", 3],
    ]);
  });
});
