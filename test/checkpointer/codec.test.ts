import { Document } from "@langchain/core/documents";
import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, Send } from "@langchain/langgraph";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "../../src/checkpointer/codec.js";
import { UnstorableValueError } from "../../src/checkpointer/index.js";
import { anyValue } from "./any-value.js";

const roundTrip = (value: unknown): unknown => parse(stringify(value));

describe("codec", () => {
  it("gives back what it was given, for nested values of all kinds", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(roundTrip(value)).toStrictEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it("keeps the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(roundTrip(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each([
    [
      "a marker of LangChain's",
      { lc: 1, type: "constructor", id: ["langchain_core", "messages", "SystemMessage"], kwargs: {} },
    ],
    ["an unknown class of LangChain's", { lc: 1, type: "constructor", id: ["evil", "X"], kwargs: { a: 1 } }],
    ["a snapshot marker", { lc: 2, type: "delta_snapshot", value: [1] }],
    ["a marker of our own", { "~": ["n", "NaN"] }],
    ["a reference of our own", { "~": 1 }],
    ["an escaped marker", { "~~": ["n", "NaN"], "~": 1 }],
  ])("leaves data that looks like %s as it is", (_name, data) => {
    const back = roundTrip({ nested: [data] });
    expect(back).toStrictEqual({ nested: [data] });
  });

  it("keeps an own key __proto__ without touching any prototype", () => {
    const back = roundTrip(JSON.parse('{"__proto__": {"isAdmin": true}}')) as Record<string, unknown>;
    expect(Object.keys(back)).toEqual(["__proto__"]);
    expect(back.isAdmin).toBeUndefined();
  });

  const messages: [string, BaseMessage][] = [
    ["human", new HumanMessage({ content: [{ type: "text", text: "hi" }], id: "1", name: "Ann" })],
    [
      "ai",
      new AIMessage({ content: "", tool_calls: [{ name: "pay", args: { cents: 5 }, id: "c1", type: "tool_call" }] }),
    ],
    [
      "ai with usage",
      new AIMessage({ content: "x", usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } } as never),
    ],
    [
      "ai chunk",
      new AIMessageChunk({
        content: "x",
        tool_call_chunks: [{ name: "p", args: "{", index: 0, type: "tool_call_chunk" }],
      }),
    ],
    ["system", new SystemMessage("be brief")],
    [
      "tool",
      new ToolMessage({ content: "ok", tool_call_id: "c1", status: "error", artifact: { raw: new Uint8Array([255]) } }),
    ],
    ["remove", new RemoveMessage({ id: "1" })],
  ];
  it.each(messages)("gives back a %s message of the same class and with the same fields", (_name, message) => {
    const back = roundTrip([message]) as BaseMessage[];
    expect(back[0]?.constructor).toBe(message.constructor);
    expect(JSON.stringify(back[0])).toBe(JSON.stringify(message));
    expect(back[0]).toEqual(message);
  });

  it("sees what was set on a message after it was made", () => {
    const message = new AIMessage("draft");
    message.content = "final";
    message.name = "writer";
    message.response_metadata = { model: "m" };
    expect(roundTrip(message)).toMatchObject({ content: "final", name: "writer", response_metadata: { model: "m" } });
  });

  it("gives back Send, Command, DeltaSnapshot and Document as themselves", () => {
    const value = {
      send: new Send("worker", { messages: [new HumanMessage("x")] }),
      command: new Command({ goto: "next", update: { a: 1 } }),
      snapshot: new DeltaSnapshot([1, 2]),
      document: new Document({ pageContent: "text", metadata: { page: 1 } }),
    };
    const back = roundTrip(value) as typeof value;
    expect(back.send).toBeInstanceOf(Send);
    expect(back.command).toBeInstanceOf(Command);
    expect(back.snapshot).toBeInstanceOf(DeltaSnapshot);
    expect(back.document).toBeInstanceOf(Document);
    expect((back.send.args as { messages: unknown[] }).messages[0]).toBeInstanceOf(HumanMessage);
    expect(back.command.toJSON()).toEqual(value.command.toJSON());
    expect([back.send, back.snapshot, back.document]).toEqual([value.send, value.snapshot, value.document]);
  });

  it("keeps class, message, cause and properties of an error", () => {
    const error = Object.assign(new RangeError("too far", { cause: { code: 7 } }), { limit: 3n });
    const back = roundTrip(error) as typeof error;
    expect(back).toBeInstanceOf(RangeError);
    expect(back).toMatchObject({ name: "RangeError", message: "too far", cause: { code: 7 }, limit: 3n });
  });

  it("turns an instance of an unknown class into plain data", () => {
    class Money {
      constructor(readonly cents: number) {}
    }
    expect(roundTrip({ price: new Money(5), at: new URL("https://a.example/") })).toStrictEqual({
      price: { cents: 5 },
      at: "https://a.example/",
    });
  });

  it("refuses a cycle and names its place", () => {
    const state: Record<string, unknown> = { list: [{ ok: 1 }, { deep: {} }] };
    ((state.list as Record<string, unknown>[])[1] as { deep: Record<string, unknown> }).deep.self = state;
    expect(() => stringify(state, "State")).toThrow(UnstorableValueError);
    expect(() => stringify(state, "State")).toThrow(/State\.list\[1\]\.deep\.self .*cycle/);
  });

  it("refuses a function in an array, and leaves out one that is a property", () => {
    expect(() => stringify({ steps: [() => 1] })).toThrow(/\.steps\[0\].*function/);
    expect(roundTrip({ a: 1, run: () => 1 })).toStrictEqual({ a: 1 });
  });

  it("does not take one object in two places for a cycle", () => {
    const shared = { a: [1] };
    expect(roundTrip({ x: shared, y: [shared, shared] })).toStrictEqual({ x: shared, y: [shared, shared] });
  });
});
