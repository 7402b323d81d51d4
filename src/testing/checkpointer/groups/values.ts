import { Document } from "@langchain/core/documents";
import { AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, Send } from "@langchain/langgraph";
import { same, works } from "../../claims.js";
import type { Group } from "../../suite.js";
import { at, idOf, read, store } from "../checkpoints.js";
import type { Trial } from "../trial.js";

type Check = Group<Trial>["checks"][string];

/** Values that a state may hold. Each is made anew for every use, so that nothing is compared with itself. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  "empty values": () => [null, false, 0, "", [], {}],
  "undefined in records and lists": () => ({ there: undefined, list: [1, undefined, 3] }),
  "NaN and the infinities": () => [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  "negative zero": () => [-0, 0],
  BigInt: () => [0n, -5n, 2n ** 200n],
  "the extremes of numbers": () => [Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, Number.MAX_VALUE, 0.1 + 0.2],
  Date: () => [new Date(0), new Date("2024-02-29T12:34:56.789Z"), new Date(-1)],
  Map: () =>
    new Map<unknown, unknown>([
      ["a", 1],
      [2, new Map([["nested", [true]]])],
      [{ key: 1 }, null],
    ]),
  Set: () => new Set<unknown>(["a", 2, null, [3], new Set([4])]),
  RegExp: () => [/a+b/giu, /\/"'/],
  "Error, with class, cause and properties": () =>
    Object.assign(new RangeError("too far", { cause: { limit: 7 } }), { code: "E_FAR", at: [1] }),
  "Uint8Array, every byte": () => Uint8Array.from({ length: 256 }, (_, byte) => byte),
  "Buffer, every byte": () => Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte)),
  "an empty Uint8Array": () => new Uint8Array(0),
  ArrayBuffer: () => Uint8Array.from([0, 127, 128, 255]).buffer,
  "typed arrays": () => [
    Int8Array.from([-128, 127]),
    new Uint8ClampedArray([0, 255]),
    Int16Array.from([-32768, 32767]),
    Uint16Array.from([0, 65535]),
    Int32Array.from([-1, 2 ** 31 - 1]),
    Uint32Array.from([0, 2 ** 32 - 1]),
    Float32Array.from([0.5, -1]),
    Float64Array.from([0.1, Number.NaN, -0]),
    BigInt64Array.from([-1n, 2n ** 62n]),
    BigUint64Array.from([0n, 2n ** 63n]),
  ],
  "a view of a part of a larger buffer": () => Uint8Array.from([9, 1, 2, 9]).subarray(1, 3),
  "texts of every kind": () => ["\u0000", "a\u0000b", "\u2028", "\u{1F600}", "é", "e\u0301", "\uFEFF", "\\u0000", '"'],
  "lone surrogates": () => ["\ud800", "a\udfffb"],
  "keys of every kind": () => ({ "": 1, "a.b": 2, "a b": 3, "\u0000": 4, "\u{1F600}": 5, $ref: 6, "~": 7, "%": 8 }),
  Send: () => [new Send("worker", { n: 1, at: "x" })],
  Command: () => [new Command({ goto: ["next"], update: { a: [1] } })],
  Document: () => [new Document({ pageContent: "text", metadata: { page: 1 }, id: "d" })],
};

const MESSAGES: Readonly<Record<string, () => BaseMessage>> = {
  HumanMessage: () => new HumanMessage({ content: [{ type: "text", text: "hi" }], id: "m1", name: "Ann" }),
  "AIMessage with tool calls": () =>
    new AIMessage({
      id: "m2",
      content: "",
      tool_calls: [{ name: "pay", args: { cents: 5, to: { iban: "X" } }, id: "c1", type: "tool_call" }],
    }),
  SystemMessage: () => new SystemMessage({ content: "be brief", id: "m3" }),
  "ToolMessage with an artifact": () =>
    new ToolMessage({ id: "m4", content: "ok", tool_call_id: "c1", status: "error", artifact: { rows: [[1, "a"]] } }),
  RemoveMessage: () => new RemoveMessage({ id: "m5" }),
};

/** The value comes back from a channel, from deep inside one, and from a write. */
function comesBack(kind: string, make: () => unknown): Check {
  return async ({ saver, thread }) => {
    const place = { thread: thread() };
    const store_ = () => store(saver, place, { whole: make(), nested: [{ deep: make() }], beside: "text" });
    const config = await works(store_, `put refuses a state that holds ${kind}.`);
    await works(
      () =>
        saver.putWrites(
          config,
          [
            ["whole", make()],
            ["nested", { deep: make() }],
          ],
          "task",
        ),
      `putWrites refuses ${kind}.`,
    );
    const { checkpoint, pendingWrites } = await works(
      () => read(saver, place),
      `A state that holds ${kind} cannot be read.`,
    );
    const { whole, nested, beside } = checkpoint.channel_values;
    same(whole, make(), `As the value of a channel, ${kind} does not come back as it was.`);
    same(nested, [{ deep: make() }], `Inside a channel, ${kind} does not come back as it was.`);
    same(beside, "text", `A channel beside ${kind} is changed.`);
    const expected = [
      ["task", "whole", make()],
      ["task", "nested", { deep: make() }],
    ];
    same(pendingWrites, expected, `As a write, ${kind} does not come back as it was.`);
  };
}

/** The message comes back as an instance of its class with the same fields, also inside a `Send` and a `Command`. */
function messageComesBack(kind: string, make: () => BaseMessage): Check {
  return async ({ saver, thread }) => {
    const place = { thread: thread() };
    const holders = () => ({
      messages: [make()],
      send: new Send("worker", { messages: [make()] }),
      command: new Command({ goto: "next", update: { messages: [make()] } }),
    });
    const config = await store(saver, place, holders());
    await saver.putWrites(config, Object.entries(holders()), "task");
    const { checkpoint, pendingWrites = [] } = await read(saver, place);
    const written = Object.fromEntries(pendingWrites.map(([, channel, value]) => [channel, value]));
    for (const [where, found] of [
      ["a channel", checkpoint.channel_values],
      ["a write", written],
    ] as const) {
      const { messages, send, command } = found as ReturnType<typeof holders>;
      sameMessage(messages[0], make(), `${kind} in ${where}`);
      sameMessage(send.args.messages[0], make(), `${kind} inside a Send in ${where}`);
      const update = command.update as { messages: BaseMessage[] };
      sameMessage(update.messages[0], make(), `${kind} inside a Command in ${where}`);
    }
  };
}

function sameMessage(found: BaseMessage | undefined, expected: BaseMessage, what: string): void {
  const className = (value: unknown): unknown => (value as object | undefined)?.constructor.name;
  same(className(found), className(expected), `${what} comes back as something else than a message of its class.`);
  same(JSON.stringify(found), JSON.stringify(expected), `${what} comes back with other fields.`);
}

/** A node may write `undefined`; LangGraph stores that as the value of a write. */
async function undefinedComesBack({ saver, thread }: Trial): Promise<void> {
  const place = { thread: thread() };
  const config = await store(saver, place, { a: 1 });
  await works(() => saver.putWrites(config, [["a", undefined]], "task"), "putWrites refuses a write of undefined.");
  const { pendingWrites } = await works(() => read(saver, place), "A write of undefined makes the thread unreadable.");
  same(pendingWrites, [["task", "a", undefined]], "A write of undefined does not come back.");
}

async function keyOrderStays({ saver, thread }: Trial): Promise<void> {
  const place = { thread: thread() };
  const value = { z: 1, a: { y: 2, b: [{ q: 1, c: 2 }] } };
  await store(saver, place, { value });
  const { channel_values: values } = (await read(saver, place)).checkpoint;
  same(JSON.stringify(values.value), JSON.stringify(value), "The keys of a record come back in another order.");
}

async function sharedIsNoCycle({ saver, thread }: Trial): Promise<void> {
  const place = { thread: thread() };
  const shared = { a: [1] };
  const value = { left: shared, right: [shared, shared] };
  await store(saver, place, { value });
  const { channel_values: values } = (await read(saver, place)).checkpoint;
  same(values.value, value, "One object that is referred to twice is not a cycle: it comes back in both places.");
}

async function versionsOfMessagesStay({ saver, thread }: Trial): Promise<void> {
  const place = { thread: thread() };
  const texts = ["draft", "final"];
  let parent: string | undefined;
  const ids: string[] = [];
  for (const [index, text] of texts.entries()) {
    const stored = await store(
      saver,
      { ...place, id: parent },
      { messages: [new AIMessage({ id: "m", content: text })] },
      { version: index + 1 },
    );
    parent = idOf(stored);
    ids.push(parent);
  }
  for (const [index, id] of ids.entries()) {
    const tuple = await saver.getTuple(at({ ...place, id }));
    const [message] = (tuple?.checkpoint.channel_values.messages ?? []) as AIMessage[];
    same(
      message?.content,
      texts[index],
      "A message that was changed under the same id is changed in older checkpoints too.",
    );
  }
}

/** What comes back is what was stored. */
export const values: Group<Trial> = {
  title: "values",
  checks: {
    ...Object.fromEntries(Object.entries(VALUES).map(([kind, make]) => [`keeps ${kind}`, comesBack(kind, make)])),
    ...Object.fromEntries(
      Object.entries(MESSAGES).map(([kind, make]) => [
        `keeps messages, also in Send and Command: ${kind}`,
        messageComesBack(kind, make),
      ]),
    ),
    "keeps a write of undefined": undefinedComesBack,
    "keeps the order of keys": keyOrderStays,
    "keeps one object in several places": sharedIsNoCycle,
    "keeps a message as it was at each checkpoint": versionsOfMessagesStay,
  },
};
