import { Document } from "@langchain/core/documents";
import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { Command, MemorySaver, Send } from "@langchain/langgraph";
import { DeltaSnapshot, JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { Classes } from "../../src/checkpointer/classes.js";
import { CorruptObjectError, UnstorableValueError } from "../../src/checkpointer/index.js";
import { WaypointSerde } from "../../src/checkpointer/serde.js";
import { InvalidInputError } from "../../src/shared/errors.js";
import { SchemaVersionError } from "../../src/store/errors.js";
import { anyValue } from "./any-value.js";
import { LOOP, checkpointOf, openSaver, thread } from "./harness.js";

const jsonPlus = new JsonPlusSerializer();
const serde = new WaypointSerde();

const readJson = (data: unknown): unknown => serde.loads("json", JSON.stringify(data));

/** Keys that neither of the two takes for a mark. */
const key = fc.string().filter((text) => !["__proto__", "lc", "__lc_escaped__"].includes(text));
const text = fc.string({ unit: "grapheme" });
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const plainRecord = fc.dictionary(key, json, { maxKeys: 3, noNullPrototype: true });
const call = fc.record({ name: text, args: plainRecord, id: text, type: fc.constant("tool_call" as const) });

const message = fc.oneof(
  fc
    .record({ content: text, id: text, name: fc.option(text, { nil: undefined }) }, { requiredKeys: ["content"] })
    .map((fields) => new HumanMessage(fields as { content: string })),
  fc
    .record({ content: text, tool_calls: fc.array(call, { maxLength: 2 }), additional_kwargs: plainRecord })
    .map((fields) => new AIMessage(fields)),
  fc.record({ content: text, id: text, response_metadata: plainRecord }).map((fields) => new AIMessageChunk(fields)),
  fc
    .record({ content: text, tool_call_id: text, artifact: json, status: fc.constantFrom("error", "success") })
    .map((fields) => new ToolMessage(fields as never)),
  text.map((content) => new SystemMessage(content)),
  text.map((id) => new RemoveMessage({ id })),
  fc.tuple(text, text).map(([content, role]) => new ChatMessage(content, role)),
  fc.tuple(text, text).map(([content, name]) => new FunctionMessage({ content, name })),
);

/** What JsonPlus writes without loss. */
const holdable = fc.letrec((tie) => ({
  leaf: fc.oneof(
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
    fc.constantFrom(null, true, undefined),
    fc.uint8Array({ maxLength: 20 }),
    fc.constantFrom(/a+b/giu, /"\/\\/),
    text.map((reason) => new Error(reason)),
    message,
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    tie("leaf"),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
    fc.array(fc.tuple(tie("leaf"), tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 3 }).map((members) => new Set(members)),
    tie("value").map((value) => new DeltaSnapshot(value)),
  ),
})).value;

describe("what JsonPlus wrote", () => {
  it("is read as JsonPlus reads it", async () => {
    await fc.assert(
      fc.asyncProperty(holdable, async (value) => {
        const [type, data] = await jsonPlus.dumpsTyped(value);
        const expected: unknown = await jsonPlus.loadsTyped(type, data);
        const found = serde.loads(type, data);
        expect(found).toStrictEqual(expected);
        expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 500 },
    );
  });

  const kinds: [string, unknown, unknown?][] = [
    ["a Set", new Set([1, new Set(["a"])])],
    ["a Map", new Map<unknown, unknown>([["a", new Map([[{ k: 1 }, undefined]])]])],
    ["a RegExp", /x"\/y/dgu],
    ["an Error, of which it keeps the message", new RangeError("far"), new Error("far")],
    ["bytes", Uint8Array.from({ length: 256 }, (_, byte) => byte)],
    ["bytes within a value", { bytes: new Uint8Array([0, 255]) }],
    ["undefined", undefined],
    ["undefined within a value", { a: undefined, list: [undefined, 1] }],
    ["a snapshot", new DeltaSnapshot([new HumanMessage("x")])],
    ["a Send, which it writes as data", new Send("n", { a: 1 }), { node: "n", args: { a: 1 } }],
    [
      "a Command, which it writes as data",
      new Command({ goto: "n" }),
      { lg_name: "Command", update: undefined, resume: undefined, goto: ["n"] },
    ],
    [
      "a document, which it writes as data",
      new Document({ pageContent: "p", metadata: { a: 1 } }),
      { pageContent: "p", metadata: { a: 1 }, id: undefined },
    ],
    ["messages", [new HumanMessage("a"), new AIMessage({ content: "b", id: "1" }), new RemoveMessage({ id: "2" })]],
  ];
  it.each(kinds)("holds %s", async (_name, value, expected = value) => {
    const [type, data] = await jsonPlus.dumpsTyped(value);
    expect(serde.loads(type, data)).toStrictEqual(expected);
    expect(serde.loads(type, new TextDecoder().decode(data))).toStrictEqual(
      type === "json" ? expected : expect.anything(),
    );
    expect(await serde.loadsTyped(type, data)).toStrictEqual(await jsonPlus.loadsTyped(type, data));
  });

  it("holds documents and messages as LangChain for Python writes them", () => {
    const of = (id: string[], kwargs: object): object => ({ lc: 1, type: "constructor", id, kwargs });
    const document = of(["langchain", "schema", "document", "Document"], { page_content: "p", metadata: { a: 1 } });
    const human = of(["langchain", "schema", "messages", "HumanMessage"], { content: "hi", type: "human" });
    expect(readJson(document)).toEqual(new Document({ pageContent: "p", metadata: { a: 1 } }));
    expect(readJson(human)).toBeInstanceOf(HumanMessage);
  });

  it("holds data of which LangChain says that they are data, within a message", async () => {
    const artifact = {
      evil: { lc: 1, type: "constructor", id: ["evil", "X"], kwargs: {} },
      wrapped: [{ __lc_escaped__: { a: 1 } }, { lc: 2, type: "undefined" }],
    };
    const [type, data] = await jsonPlus.dumpsTyped([new ToolMessage({ content: "", tool_call_id: "c", artifact })]);
    await expect(jsonPlus.loadsTyped(type, data)).rejects.toThrow();
    expect((serde.loads(type, data) as ToolMessage[])[0]?.artifact).toStrictEqual(artifact);
  });

  it("may be nested as deep as it likes", () => {
    const levels = 20_000;
    const nested = `${'[{"a":'.repeat(levels)}{"lc":2,"type":"undefined"}${"}]".repeat(levels)}`;
    let inner = serde.loads("json", nested);
    let depth = 0;
    for (; Array.isArray(inner); depth += 1) inner = (inner as { a: unknown }[])[0]?.a;
    expect([depth, inner]).toEqual([levels, undefined]);
  });

  const core = (name: string): object => ({
    lc: 1,
    type: "constructor",
    id: ["langchain_core", ...name.split("/")],
    kwargs: {},
  });
  const call2 = (id: unknown, args: unknown, method: unknown = null): object => ({
    lc: 2,
    type: "constructor",
    id,
    method,
    args,
    kwargs: {},
  });
  const inert: [string, unknown][] = [
    ["a class that nobody has", { lc: 1, type: "constructor", id: ["evil", "X"], kwargs: { a: 1 } }],
    ["a prompt", core("prompts/prompt/PromptTemplate")],
    ["a tool", core("tools/DynamicTool")],
    ["a tracer", core("tracers/tracer_langchain/LangChainTracer")],
    ["a runnable", core("runnables/RunnableSequence")],
    ["a message class that is none", core("messages/toString")],
    [
      "a message class without fields",
      { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"] },
    ],
    ["a message class with odd fields", { ...core("messages/HumanMessage"), kwargs: [1] }],
    ["a secret", { lc: 1, type: "secret", id: ["HOME"] }],
    ["what is not implemented", { lc: 1, type: "not_implemented", id: ["x"] }],
    ["a mark with nothing behind it", { lc: 1 }],
    ["another mark with nothing behind it", { lc: 2 }],
    ["Function", call2(["Function"], ["return process"])],
    ["a Map of no pairs", call2(["Map"], [[1]])],
    ["a Set of nothing", call2(["Set"], [])],
    ["a method of Set", call2(["Set"], [[1]], "constructor")],
    ["a RegExp that is none", call2(["RegExp"], ["(", ""])],
    ["bytes that are none", call2(["Uint8Array"], [[256]])],
    ["an Error without a text", call2(["Error"], [{ a: 1 }])],
    ["an odd id", call2("Set", [[1]])],
    ["an escape where nothing is escaped", { __lc_escaped__: { a: 1 } }],
    ["a form of its own that it is not", { "waypoint:serde": "x", value: { "~": 1 } }],
  ];
  it.each(inert)("leaves %s as data, alone and within others", (_name, data) => {
    expect(readJson(data)).toStrictEqual(data);
    expect(readJson({ nested: [data] })).toStrictEqual({ nested: [data] });
  });

  it("comes back also where a constructor does not take the fields", () => {
    const odd = { ...core("messages/AIMessage"), kwargs: { content: 5, tool_calls: "none" } };
    expect(readJson(odd)).toMatchObject({ content: 5, tool_calls: "none" });
  });

  it("keeps a key __proto__ as a key", () => {
    const found = serde.loads("json", '{"__proto__":{"isAdmin":true},"a":{"__proto__":{"lc":2,"type":"undefined"}}}');
    expect((found as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    expect(Object.keys(found as object)).toEqual(["__proto__", "a"]);
    expect("isAdmin" in {}).toBe(false);
    const kwargs = JSON.parse('{"content":"x","__proto__":{"evil":1}}') as object;
    expect((readJson({ ...core("messages/HumanMessage"), kwargs }) as { evil?: number }).evil).toBeUndefined();
  });

  it("is damage where it is no JSON, and unknown where its type is", () => {
    expect(() => serde.loads("json", "")).toThrow(CorruptObjectError);
    expect(() => serde.loads("json", '{"a"')).toThrow(CorruptObjectError);
    expect(() => serde.loads("msgpack", "x")).toThrow(InvalidInputError);
  });
});

describe("what it writes itself", () => {
  it("comes back, for values of all kinds, under one type", async () => {
    await fc.assert(
      fc.asyncProperty(anyValue, async (value) => {
        const [type, data] = await serde.dumpsTyped(value);
        expect(type).toBe("json");
        expect(await serde.loadsTyped(type, data)).toStrictEqual(value);
        expect(serde.loads(type, new TextDecoder().decode(data))).toStrictEqual(value);
      }),
      { numRuns: 300 },
    );
  });

  it("is plain JSON for plain data, so that databases can look into it", () => {
    const data = { source: "loop", step: 1, parents: { "": "x" }, list: [1, null, { "a.b": true }] };
    expect(new TextDecoder().decode(serde.dumps(data))).toBe(JSON.stringify(data));
  });

  it.each<[string, unknown]>([
    [
      "a mark of LangChain's",
      { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: {} },
    ],
    ["a mark of JsonPlus's", [{ lc: 2, type: "undefined" }]],
    ["its own mark", { "waypoint:serde": 1, value: { "~": ["u"] } }],
    ["a tag of the codec's", { "~": ["u"] }],
    ["a key __proto__", JSON.parse('{"__proto__":{"isAdmin":true}}')],
  ])("leaves data that look like %s as they are", (_name, data) => {
    expect(serde.loads("json", serde.dumps(data))).toStrictEqual(data);
  });

  it("is refused where it could not come back", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => serde.dumps(cycle)).toThrow(UnstorableValueError);
    expect(() => serde.loads("json", '{"waypoint:serde":2,"value":1}')).toThrow(SchemaVersionError);
    expect(() => serde.loads("json", '{"waypoint:serde":1,"value":{"~":["?"]}}')).toThrow(CorruptObjectError);
  });

  it("may be nested as deep as it likes", () => {
    let value: unknown = 7n;
    for (let level = 0; level < 20_000; level += 1) value = [value];
    let back = serde.loads("json", serde.dumps(value));
    while (Array.isArray(back)) [back] = back as unknown[];
    expect(back).toBe(7n);
  });

  it("gives instances of the classes that the application registered", async () => {
    class Money {
      constructor(readonly cents: number) {}
    }
    const own = new WaypointSerde(new Classes([{ name: "Money", class: Money }]));
    expect(own.loads("json", own.dumps([new Money(5)]))).toEqual([new Money(5)]);
    const saver = openSaver(":memory:", { classes: [{ name: "Money", class: Money }] });
    expect(saver.serde).toBeInstanceOf(WaypointSerde);
    expect(await saver.serde.loadsTyped("json", own.dumps(new Money(7)))).toEqual(new Money(7));
  });

  it.each([
    ["MemorySaver", () => new MemorySaver(serde)],
    [
      "SqliteSaver",
      () => {
        const { db } = SqliteSaver.fromConnString(":memory:");
        onTestFinished(() => void db.close());
        return new SqliteSaver(db, serde);
      },
    ],
  ])("makes %s lossless, filters included", async (_name, create) => {
    const saver: BaseCheckpointSaver = create();
    const values = {
      big: 7n,
      bytes: new Uint8Array([0, 128, 255]),
      evil: { lc: 1, type: "constructor", id: ["evil"] },
    };
    const checkpoint = checkpointOf(values);
    const config = await saver.put(thread("t"), checkpoint, LOOP, {});
    await saver.putWrites(config, Object.entries(values), "task");
    for await (const tuple of saver.list(thread("t"), { filter: { source: "loop" } })) {
      expect(tuple.checkpoint.channel_values).toStrictEqual(values);
      expect(tuple.pendingWrites).toStrictEqual(Object.entries(values).map(([name, value]) => ["task", name, value]));
    }
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values).toStrictEqual(values);
  });
});
