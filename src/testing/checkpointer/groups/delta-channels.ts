import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MessagesDeltaValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { at } from "../checkpoints.js";
import type { Trial } from "../trial.js";

/** Two supersteps a turn, each of which adds a message; the state is kept as what was added, not as the whole. */
const echo = new StateGraph(new StateSchema({ messages: MessagesDeltaValue }))
  .addNode("hear", ({ messages }) => ({ messages: [new AIMessage(`heard ${lastOf(messages)}`)] }))
  .addNode("say", ({ messages }) => ({ messages: [new AIMessage(`said ${lastOf(messages)}`)] }))
  .addEdge(START, "hear")
  .addEdge("hear", "say");

function lastOf(messages: unknown): string {
  return (messages as BaseMessage[]).at(-1)?.text ?? "";
}

const compiled = (saver: BaseCheckpointSaver) => echo.compile({ checkpointer: saver });
type App = ReturnType<typeof compiled>;

const messagesOf = (values: unknown): unknown => (values as { messages?: unknown }).messages;
const textsOf = (messages: unknown): string[] => (messages as BaseMessage[]).map(({ text }) => text);

async function say(app: App, text: string, config: RunnableConfig): Promise<string[]> {
  return textsOf((await app.invoke({ messages: [new HumanMessage(text)] }, config)).messages);
}

async function stored(app: App, config: RunnableConfig): Promise<string[]> {
  return textsOf(messagesOf((await app.getState(config)).values));
}

/** Channels that are rebuilt from the writes of a checkpoint's ancestors. */
export const deltaChannels: Group<Trial> = {
  title: "DeltaChannels",
  checks: {
    "are rebuilt turn by turn": async ({ saver, thread }) => {
      const app = compiled(saver);
      const config = at({ thread: thread() });
      const expected: string[] = [];
      for (const text of ["one", "two", "three"]) {
        expected.push(text, `heard ${text}`, `said heard ${text}`);
        same(await say(app, text, config), expected, "A run over a DeltaChannel returns another state.");
        same(await stored(compiled(saver), config), expected, "A DeltaChannel is not rebuilt as the run left it.");
      }
    },

    "of two forks of one checkpoint each hold what their own run returned": async ({ saver, thread }) => {
      const app = compiled(saver);
      const config = at({ thread: thread() });
      await say(app, "base", config);
      const base = (await app.getState(config)).config;
      const forked = [];
      for (const who of ["left", "right"]) {
        const fork = await app.updateState(base, { messages: [new HumanMessage(who)] }, "say");
        const returned = await say(app, `${who} again`, fork);
        forked.push([(await app.getState(config)).config, returned, who] as const);
      }
      for (const [head, returned, who] of forked) {
        same(await stored(app, head), returned, "The writes of one fork are mixed into the other.");
        const own = returned.filter((text) => text === who || text === `${who} again`);
        same(own, [who, `${who} again`], "A fork of a DeltaChannel has lost its own messages.");
      }
      same(
        await stored(app, base),
        ["base", "heard base", "said heard base"],
        "Forking has changed the checkpoint that was forked.",
      );
    },

    "show every step of the history as it was": async ({ saver, thread }) => {
      const app = compiled(saver);
      const config = at({ thread: thread() });
      await say(app, "one", config);
      await say(app, "two", config);
      const lengths = [];
      for await (const { values } of app.getStateHistory(config))
        lengths.push(textsOf(messagesOf(values) ?? []).length);
      same(lengths, [6, 5, 4, 3, 3, 2, 1, 0], "The history of a DeltaChannel is another one.");
    },
  },
};
