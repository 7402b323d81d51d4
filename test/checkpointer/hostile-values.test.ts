import { AIMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "../../src/checkpointer/codec.js";
import { UnstorableValueError } from "../../src/checkpointer/index.js";
import { InvalidInputError } from "../../src/shared/errors.js";
import { LOOP, checkpointOf, databaseOf, openSaver, thread } from "./harness.js";

const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
};

function ring(length: number): object {
  const first: { next?: object } = {};
  first.next = nested(length, (next) => (next === 1 ? { next: first } : { next })) as object;
  return first;
}

describe("a value that cannot be stored is refused by name, and the thread stays readable", () => {
  it.each<[string, () => unknown, RegExp]>([
    ["nesting of 20,000 sets", () => nested(20_000, (inner) => new Set([inner])), /nested more than 400/],
    ["a ring of 20,000 objects", () => ring(20_000), /contains itself \(a cycle\)/],
    [
      "a getter that throws",
      () => ({
        ok: 1,
        get bad() {
          throw new TypeError("boom");
        },
      }),
      /"v"\.bad .*boom/,
    ],
    ["a toJSON that throws", () => new Unwilling(), /not today/],
    ["a proxy of a map", () => ({ m: new Proxy(new Map(), {}) }), /"v"\.m .*incompatible/],
    [
      "a function far into a long list",
      () => [...Array.from({ length: 200_000 }, () => 0), () => 1],
      /\[200000\].*function/,
    ],
    ["a message whose id is no text", () => new AIMessage({ content: "", id: 5n as never }), /id is a bigint/],
  ])("%s", async (_name, make, reason) => {
    const saver = openSaver();
    const good = checkpointOf({ v: 1 });
    await saver.put(thread("t"), good, LOOP, good.channel_versions);
    const bad = checkpointOf({ v: make() });
    const refused = saver.put(thread("t", good.id), bad, LOOP, bad.channel_versions);
    await expect(refused).rejects.toThrow(UnstorableValueError);
    await expect(refused).rejects.toThrow(reason);
    expect((await saver.getTuple(thread("t")))?.checkpoint.id).toBe(good.id);
  });

  it("and what is stored at the deepest can be read", () => {
    const deepest = nested(500, (inner) => ({ inner }));
    expect(parse(stringify(deepest))).toEqual(deepest);
  });
});

describe("a message comes back whatever was set on it", () => {
  it.each(["response_metadata", "additional_kwargs", "tool_calls"])("%s", (field) => {
    for (const value of [null, "text", 5]) {
      const message = Object.assign(new AIMessage("x"), { [field]: value });
      expect((parse(stringify([message])) as BaseMessage[])[0]).toBeInstanceOf(AIMessage);
    }
  });

  it("and one that was made from a spread of another does not grow with each load", () => {
    const text = (message: unknown): string => JSON.stringify(message);
    const made = copyOf(new AIMessage("x"));
    const once = parse(stringify(made));
    expect(text(once)).toBe(text(made));
    expect(stringify(parse(stringify(once)))).toBe(stringify(made));
  });
});

describe("an error comes back", () => {
  it.each(["toString", "constructor", "__proto__", ""])("when its name is %j", (name) => {
    const error = Object.assign(new Error("m"), { name });
    const back = parse(stringify(error)) as Error;
    expect([back.name, back.message, JSON.stringify(back)]).toEqual([name, "m", JSON.stringify(error)]);
  });

  it("with the errors that it gathers, and a cause that stays hidden", () => {
    const back = parse(stringify(new AggregateError([new RangeError("a")], "both", { cause: 1 }))) as AggregateError;
    expect(back.errors).toEqual([new RangeError("a")]);
    expect([back.cause, Object.keys(back)]).toEqual([1, []]);
  });

  it("with a message that is no text", () => {
    const error = new Error();
    Object.assign(error, { message: { cents: 5n } });
    expect((parse(stringify(error)) as Error).message).toEqual({ cents: 5n });
  });
});

it("a boxed primitive comes back as what JSON makes of it", () => {
  expect(parse(stringify([new String("x"), new Number(5), new Boolean(false)]))).toEqual(["x", 5, false]);
});

describe("names that every object has", () => {
  it.each(["constructor", "toString", "__proto__"])(
    "a channel called %s keeps its value and its writes",
    async (name) => {
      const saver = openSaver();
      const checkpoint = checkpointOf({});
      const values = JSON.parse(`{"${name}": [1]}`) as Record<string, unknown>;
      const config = await saver.put(thread("t"), { ...checkpoint, channel_values: values }, LOOP, {});
      await saver.putWrites(config, [[name, 2]], "task");
      const tuple = await saver.getTuple(config);
      expect(JSON.stringify(tuple?.checkpoint.channel_values)).toBe(JSON.stringify(values));
      expect(tuple?.pendingWrites).toEqual([["task", name, 2]]);
    },
  );
});

it("versions that are no whole numbers come back as they were", async () => {
  const saver = openSaver();
  const versions = { a: Number.NaN, b: "00001.x", c: 1.5, d: Infinity };
  const checkpoint = { ...checkpointOf({ a: 1, b: 2 }), channel_versions: versions, versions_seen: { n: versions } };
  await saver.put(thread("t"), checkpoint, LOOP, versions);
  const stored = (await saver.getTuple(thread("t")))?.checkpoint;
  expect([stored?.channel_versions, stored?.versions_seen]).toEqual([versions, { n: versions }]);
});

it("an id with half a character in it is refused: it would be stored as the id of another thread", async () => {
  const saver = openSaver();
  const checkpoint = checkpointOf({ a: 1 });
  await expect(saver.put(thread("t\ud800"), checkpoint, LOOP, undefined)).rejects.toThrow(/lone surrogate/);
  await expect(saver.putWrites(thread("t", "c"), [["a\udfff", 1]], "task")).rejects.toThrow(InvalidInputError);
  expect(await saver.getTuple(thread("t\ufffd"))).toBeUndefined();
});

it("a question that holds a BigInt, and a channel that holds a map, can be read as a position", async () => {
  const saver = openSaver();
  const checkpoint = checkpointOf({ prices: new Map([["a", 1n]]), todos: [{ cents: 5n }] });
  const config = await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
  await saver.putWrites(config, [["__interrupt__", [{ id: "i", value: { cents: 7n } }]]], "task");
  const position = await saver.position("t");
  expect(position?.waitingFor[0]?.what).toBe('{"cents":"7"}');
  expect(position?.references).toContainEqual({ kind: "channel", channel: "prices", items: 1, newest: undefined });
});

it("loading a thread and storing it again adds no object", async () => {
  const saver = openSaver();
  const messages = [copyOf(new AIMessage("x".repeat(99))), new AIMessage("y".repeat(99))];
  const first = checkpointOf({ messages });
  await saver.put(thread("t"), first, LOOP, first.channel_versions);
  const count = (): unknown => databaseOf(saver).get("SELECT count(*) AS n FROM waypoint_objects");
  const before = count();
  for (let parent = first, turn = 0; turn < 3; turn += 1) {
    const values = (await saver.getTuple(thread("t")))?.checkpoint.channel_values ?? {};
    const next = checkpointOf(values);
    await saver.put(thread("t", parent.id), next, LOOP, next.channel_versions);
    parent = next;
  }
  expect(count()).toEqual(before);
});

class Unwilling {
  toJSON(): never {
    throw new Error("not today");
  }
}

/** As people make them: `new AIMessage({ ...message })`. */
function copyOf(message: AIMessage): AIMessage {
  return new AIMessage(Object.fromEntries(Object.entries(message)));
}
