import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "../../src/checkpointer/codec.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";

const LEVELS = 20_000;

type Wrap = (inner: unknown, level: number) => unknown;

const nested = (wrap: Wrap): unknown => {
  let value: unknown = "innermost";
  for (let level = 0; level < LEVELS; level += 1) value = wrap(value, level);
  return value;
};

const WAYS: [string, Wrap, (outer: never) => unknown][] = [
  ["objects", (inner) => ({ before: 1, inner, after: 2 }), ({ inner }: { inner: unknown }) => inner],
  ["lists", (inner) => [inner], ([inner]: unknown[]) => inner],
  [
    "objects in lists in maps",
    (inner, level) => (level % 3 === 0 ? { inner } : level % 3 === 1 ? [inner] : new Map([["inner", inner]])),
    (outer: unknown): unknown =>
      Array.isArray(outer) ? outer[0] : outer instanceof Map ? outer.get("inner") : (outer as { inner: unknown }).inner,
  ],
  [
    "long records",
    (inner) => ({ ...Object.fromEntries(Array.from({ length: 3 }, (_, at) => [`k${at}`, at])), inner }),
    ({ inner }: { inner: unknown }) => inner,
  ],
];

function unwrapped(value: unknown, unwrap: (outer: never) => unknown): { levels: number; innermost: unknown } {
  let levels = 0;
  let inner = value;
  while (typeof inner === "object" && inner !== null) {
    inner = unwrap(inner as never);
    levels += 1;
  }
  return { levels, innermost: inner };
}

describe(`nesting of ${LEVELS} levels comes back whole`, () => {
  it.each(WAYS)("in a text: %s", (_name, wrap, unwrap) => {
    expect(unwrapped(parse(stringify(nested(wrap))), unwrap)).toEqual({ levels: LEVELS, innermost: "innermost" });
  });

  it.each(WAYS)("in a channel, a message and a write, also in another process: %s", async (_name, wrap, unwrap) => {
    const file = join(temporaryFolder(), "agent.db");
    const first = openSaver(file);
    const messages = [
      new HumanMessage("deep"),
      new AIMessage({ content: "", response_metadata: { deep: nested(wrap) } }),
    ];
    const checkpoint = checkpointOf({ deep: nested(wrap), messages });
    const config = await first.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    await first.putWrites(config, [["deep", nested(wrap)]], "task");
    await first.close();

    const saver = openSaver(file);
    const tuple = await saver.getTuple(thread("t"));
    const values = tuple?.checkpoint.channel_values as { deep: unknown; messages: AIMessage[] };
    const found = [values.deep, values.messages[1]?.response_metadata.deep, tuple?.pendingWrites?.[0]?.[2]];
    for (const value of found) {
      expect(unwrapped(value, unwrap)).toEqual({ levels: LEVELS, innermost: "innermost" });
    }
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
  });

  it("keeps the order of keys around what is cut off", () => {
    const back = parse(stringify(nested((inner) => ({ before: 1, inner, after: 2 })))) as Record<string, unknown>;
    let level: unknown = back;
    while (typeof level === "object" && level !== null) {
      expect(Object.keys(level).join()).toBe("before,inner,after");
      level = (level as { inner: unknown }).inner;
    }
  });
});
