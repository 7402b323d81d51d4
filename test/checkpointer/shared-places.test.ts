import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Send } from "@langchain/langgraph";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "../../src/checkpointer/codec.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";

/** Which places of a value hold the same object: the first path of each, by path. */
function aliases(root: unknown): Map<string, string> {
  const first = new Map<object, string>();
  const found = new Map<string, string>();
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return;
    const known = first.get(node);
    if (known !== undefined) {
      found.set(path, known);
      return;
    }
    first.set(node, path);
    if (node instanceof Map)
      [...(node as Map<unknown, unknown>)].flat().forEach((child, at) => visit(child, `${path}<${at}>`));
    else if (node instanceof Set) [...(node as Set<unknown>)].forEach((child, at) => visit(child, `${path}<${at}>`));
    else for (const [key, child] of Object.entries(node)) visit(child, `${path}.${key}`);
  };
  visit(root, "");
  return found;
}

/** Nested values in which some objects stand at several places. */
const shared = fc
  .tuple(
    fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 6 }),
    fc.array(fc.nat(), { minLength: 1, maxLength: 60 }),
  )
  .map(([leaves, draws]) => {
    const made: unknown[] = [...leaves];
    for (const at of draws) {
      const [a, b] = [made[at % made.length], made[Math.floor(at / 7) % made.length]];
      const ways = [() => [a, b], () => ({ a, b }), () => new Map([[a, b]]), () => new Set([a, b]), () => new Date(at)];
      made.push(ways[at % ways.length]!());
    }
    return made.slice(-20);
  });

describe("an object that stands at several places of a value", () => {
  it("stands at the same places of what comes back, and at no other", () => {
    fc.assert(
      fc.property(shared, (value) => {
        const back = parse(stringify(value));
        expect(back).toStrictEqual(value);
        expect(aliases(back)).toEqual(aliases(value));
      }),
      { numRuns: 500 },
    );
  });

  it("also in a channel and a write, and in another process", async () => {
    await fc.assert(
      fc.asyncProperty(shared, async (value) => {
        const file = join(temporaryFolder(), "agent.db");
        const first = openSaver(file);
        const checkpoint = checkpointOf({ value });
        const config = await first.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
        await first.putWrites(config, [["value", value]], "task");
        await first.close();
        const saver = openSaver(file);
        const tuple = await saver.getTuple(thread("t"));
        for (const back of [tuple?.checkpoint.channel_values.value, tuple?.pendingWrites?.[0]?.[2]]) {
          expect(back).toStrictEqual(value);
          expect(aliases(back)).toEqual(aliases(value));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("may be a message, or stand within one, or within what is sent to a node", async () => {
    const saver = openSaver();
    const call = { args: { list: [1] } };
    const message = new AIMessage({ content: "twice", response_metadata: { call, again: call } });
    const messages = [...Array.from({ length: 20 }, (_, at) => new HumanMessage(`said ${at}`)), message, message];
    const checkpoint = checkpointOf({ messages, sends: [new Send("node", { call, again: call })] });
    await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    const values = (await saver.getTuple(thread("t")))?.checkpoint.channel_values as {
      messages: AIMessage[];
      sends: { args: { call: unknown; again: unknown } }[];
    };
    expect(values.messages[21]).toBe(values.messages[20]);
    expect(values.messages[19]).not.toBe(values.messages[18]);
    const back = values.messages[20]!.response_metadata;
    expect(back.again).toBe(back.call);
    expect(back.call).toEqual(call);
    expect(values.sends[0]!.args.again).toBe(values.sends[0]!.args.call);
  });

  it("is not shared with what was read before, or with what is stored", async () => {
    const saver = openSaver();
    const one = { n: 1 };
    const checkpoint = checkpointOf({ value: [one, one] });
    await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    const read = async (): Promise<{ n: number }[]> =>
      (await saver.getTuple(thread("t")))?.checkpoint.channel_values.value as { n: number }[];
    const first = await read();
    first[0]!.n = 2;
    expect(first[1]!.n).toBe(2);
    expect(await read()).toEqual([{ n: 1 }, { n: 1 }]);
  });
});
