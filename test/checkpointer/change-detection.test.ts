import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "../../src/checkpointer/codec.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";
import { join } from "node:path";

type Loose = Record<string, unknown>;

interface State extends Record<string, unknown> {
  messages: BaseMessage[];
  log: unknown[];
  files: Record<string, unknown>;
  data: Loose;
}

/** What a mutation is made from: numbers that choose, a text, and a value. */
interface Draw {
  readonly at: number;
  readonly way: number;
  readonly text: string;
  readonly value: unknown;
}

const draw = fc.record({
  at: fc.nat(1000),
  way: fc.nat(1000),
  // Under this key an assignment would change the prototype.
  text: fc.string({ maxLength: 12 }).filter((text) => text !== "__proto__"),
  value: fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown[]>(undefined, Number.NaN, -0, 0, 7n),
    fc.date({ noInvalidDate: true }),
    fc.array(fc.nat(9), { maxLength: 3 }).map((members) => new Set(members)),
    fc.string({ minLength: 1100, maxLength: 1200 }),
  ),
});

function pick<T>(items: readonly T[], { at }: Draw): T | undefined {
  return items[at % Math.max(1, items.length)];
}

function remove(from: Loose, key: string): void {
  Reflect.deleteProperty(from, key);
}

const onMessage: ((message: Loose, draw: Draw) => void)[] = [
  (message, { text }) => (message.content = text),
  (message, { text }) => (message.content = [{ type: "text", text }]),
  (message, { text }) => {
    const [block] = Array.isArray(message.content) ? (message.content as Loose[]) : [];
    if (block !== undefined) block.text = text;
  },
  (message, { text }) => (message.id = text),
  (message) => (message.id = undefined),
  (message, { text }) => (message.name = text),
  (message, { text, value }) => ((message.additional_kwargs as Loose)[text] = value),
  (message, { text, value }) => ((message.response_metadata as Loose)[text] = { nested: [value] }),
  (message) => {
    for (const key of Object.keys(message.response_metadata as Loose)) remove(message.response_metadata as Loose, key);
  },
  (message, { text, value }) => {
    const calls = (message.tool_calls ?? []) as Loose[];
    calls.push({ name: text, args: { value }, id: text, type: "tool_call" });
    message.tool_calls = calls;
  },
  (message, { text, value }) => {
    const [call] = (message.tool_calls ?? []) as { args: Loose }[];
    if (call !== undefined) call.args[text] = value;
  },
  (message, { value }) => (message.usage_metadata = { input_tokens: value }),
  (message, { value }) => (message.artifact = { held: value }),
  (message, { text, value }) => ((message.lc_kwargs as Loose)[`x-${text}`] = value),
  (message, { text }) => remove(message.lc_kwargs as Loose, `x-${text}`),
  (message) => delete message.name,
  (message, { text }) => ((message.lc_kwargs as Loose).name = text),
];

const onState: ((state: State, draw: Draw) => void)[] = [
  ({ messages }, { text }) => messages.push(new HumanMessage(text)),
  ({ messages }, { text }) =>
    messages.push(new AIMessage({ content: text, tool_calls: [{ name: "t", args: { text }, id: text }] })),
  ({ messages }, { text }) => messages.push(new ToolMessage({ content: text, tool_call_id: text, id: text })),
  ({ messages }, { at }) => messages.splice(at % 12, 1),
  ({ messages }, { at, text }) => messages.splice(at % 12, 0, new AIMessage(text)),
  ({ messages }, { at, way }) => {
    const [from, to] = [at % messages.length, way % messages.length];
    if (messages.length > 1) [messages[from], messages[to]] = [messages[to]!, messages[from]!];
  },
  ({ messages }, given) => {
    const again = pick(messages, given);
    if (again !== undefined && messages.length < 24) messages.push(again);
  },
  ({ log }, { value }) => log.push({ value }),
  ({ log }, { at, value }) => (log[at % 14] = value),
  ({ log }, given) => {
    const entry = pick(log, given);
    if (typeof entry === "object" && entry !== null && "value" in entry) entry.value = given.text;
  },
  ({ log }, given) => {
    const again = pick(log, given);
    if (log.length < 24) log.push(again);
  },
  ({ log }, { at }) => log.splice(at % 14, 1),
  ({ files }, { at, value }) => (files[`file-${at % 120}`] = { value }),
  ({ files }, { at }) => remove(files, `file-${at % 120}`),
  ({ files }, { at, text }) => {
    const file = files[`file-${at % 120}`] as Loose | undefined;
    if (file !== undefined) file.value = text;
  },
  ({ data }, { text, value }) => (data[text] = { value, again: value }),
  ({ data }, { text }) => remove(data, text),
];

function mutate(state: State, given: Draw): void {
  const message = pick(state.messages, given);
  const onOne = given.way % (onMessage.length + onState.length);
  if (onOne >= onMessage.length) onState[onOne - onMessage.length]!(state, given);
  else if (message !== undefined) onMessage[onOne]!(message as unknown as Loose, given);
}

function firstState(): State {
  const messages = Array.from({ length: 11 }, (_, at) => new HumanMessage({ content: `said ${at}`, id: `id-${at}` }));
  const files = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`file-${at}`, { value: at }]));
  return { messages, log: Array.from({ length: 10 }, (_, at) => ({ value: at })), files, data: {} };
}

const MUTATIONS = 10_000;
const IN_A_RUN = 100;

describe("a value that was changed in place", () => {
  it(
    `is stored as changed: ${MUTATIONS} random mutations of messages, lists and records`,
    { timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(draw, { minLength: IN_A_RUN, maxLength: IN_A_RUN, size: "max" }), async (draws) => {
          const file = join(temporaryFolder(), "agent.db");
          const saver = openSaver(file);
          let state = firstState();
          let parent: string | undefined;
          for (const [step, given] of draws.entries()) {
            mutate(state, given);
            const checkpoint = checkpointOf({ ...state }, step + 1);
            await saver.put(thread("t", parent), checkpoint, LOOP, checkpoint.channel_versions);
            parent = checkpoint.id;
            const expected = stringify(state);
            const read = (await saver.getTuple(thread("t")))?.checkpoint.channel_values as State;
            expect(stringify(read)).toBe(expected);
            // A run that is resumed goes on with what was read; one that runs on, with what it has.
            if (given.at % 3 === 0) state = read;
            if (step % 25 !== 0) continue;
            const other = openSaver(file);
            expect(stringify((await other.getTuple(thread("t")))?.checkpoint.channel_values)).toBe(expected);
            await other.close();
          }
        }),
        // To find a shorter failure takes longer than to look at this one.
        { numRuns: MUTATIONS / IN_A_RUN, endOnFailure: true },
      );
    },
  );
});
