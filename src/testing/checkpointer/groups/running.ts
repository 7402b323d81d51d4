import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Command, MessagesAnnotation, START, Send, StateGraph, interrupt, isInterrupted } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { CONTROL } from "../../../shared/langgraph.js";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { at, read } from "../checkpoints.js";
import { GRAPHS, Log } from "../graphs.js";
import type { Trial } from "../trial.js";

type Check = Group<Trial>["checks"][string];

const DURABILITIES = ["sync", "async", "exit"] as const;
const COMPLETE = ["start", "before", "ask: yes", "after"];

/** Asks, and answers; then the state is what the nodes made, and no node but the asking one ran twice. */
function asksAndGoesOn(durability: (typeof DURABILITIES)[number]): Check {
  return async ({ saver, thread }) => {
    const ran: string[] = [];
    const app = GRAPHS.question((node) => void ran.push(node)).compile({ checkpointer: saver });
    const config = { ...at({ thread: thread() }), durability };
    const asked = await app.invoke({ log: ["start"] }, config);
    same(isInterrupted(asked), true, "A node that asks does not interrupt the run.");
    const { tasks, next } = await app.getState(config);
    same(next, ["ask"], "The thread does not wait at the node that asked.");
    same(
      tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value as string)),
      ["go on?"],
      "The question is not found in the stored state.",
    );
    const { log } = await app.invoke(new Command({ resume: "yes" }), config);
    same(log, COMPLETE, "A resumed run returns another state.");
    same(
      (await app.getState(config)).values,
      { log: COMPLETE },
      "The stored state differs from what the run returned.",
    );
    same(ran, ["before", "ask", "ask", "after"], "A resumed run ran other nodes than those that were left.");
  };
}

const echo = new StateGraph(MessagesAnnotation)
  .addNode("echo", ({ messages }) => ({ messages: [new AIMessage(`heard ${messages.at(-1)?.text ?? ""}`)] }))
  .addEdge(START, "echo");

const twoQuestions = (ran: string[]) =>
  new StateGraph(Log)
    .addNode("one", () => {
      ran.push("one");
      return { log: [`one ${interrupt<string, string>("one?")}`] };
    })
    .addNode("two", () => {
      ran.push("two");
      return { log: [`two ${interrupt<string, string>("two?")}`] };
    })
    .addNode("quiet", () => {
      ran.push("quiet");
      return { log: ["quiet"] };
    })
    .addEdge(START, "one")
    .addEdge(START, "two")
    .addEdge(START, "quiet");

const fanOut = new StateGraph(Log)
  .addNode("plan", () => ({ log: ["plan"] }))
  .addNode("work", (input: { item: string }) => ({ log: [interrupt<string, string>(input.item)] }))
  .addEdge(START, "plan")
  .addConditionalEdges("plan", () => ["a", "b"].map((item) => new Send("work", { item })), ["work"]);

/** An answer by the id of each question that waits. */
async function answersFor(saver: BaseCheckpointSaver, thread: string): Promise<Record<string, string>> {
  const { pendingWrites = [] } = await read(saver, { thread });
  const questions = pendingWrites.filter(([, channel]) => channel === CONTROL.interrupt);
  const asked = questions.flatMap(([, , value]) => value as { id: string; value: string }[]);
  return Object.fromEntries(asked.map(({ id, value }) => [id, `answer to ${value}`]));
}

/** Runs of graphs, with questions. */
export const running: Group<Trial> = {
  title: "runs of a graph",
  checks: {
    "a conversation goes on turn by turn, with messages that are messages": async ({ saver, thread }) => {
      const config = at({ thread: thread() });
      for (const text of ["one", "two", "three"]) {
        const app = echo.compile({ checkpointer: saver });
        await app.invoke({ messages: [new HumanMessage(text)] }, config);
      }
      const { messages } = (await echo.compile({ checkpointer: saver }).getState(config))
        .values as typeof MessagesAnnotation.State;
      same(
        messages.map(({ text }) => text),
        ["one", "heard one", "two", "heard two", "three", "heard three"],
        "Turns of a conversation are lost.",
      );
      same(
        messages.map(({ type }) => type),
        ["human", "ai", "human", "ai", "human", "ai"],
        "Messages have become something else.",
      );
    },

    ...Object.fromEntries(
      DURABILITIES.map((durability) => [
        `asks, and goes on with the answer: durability "${durability}"`,
        asksAndGoesOn(durability),
      ]),
    ),

    "tasks beside one that asks do not run again": async ({ saver, thread }) => {
      const ran: string[] = [];
      const app = twoQuestions(ran).compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: [] }, config);
      const { log } = await app.invoke(new Command({ resume: await answersFor(saver, thread()) }), config);
      same(
        log,
        ["one answer to one?", "quiet", "two answer to two?"],
        "Parallel tasks with questions return another state.",
      );
      same(
        ran.filter((node) => node === "quiet").length,
        1,
        "A task that had finished ran again: its writes were lost.",
      );
    },

    "one question is answered now, and the other later": async ({ saver, thread }) => {
      const app = twoQuestions([]).compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: [] }, config);
      for (const [id, answer] of Object.entries(await answersFor(saver, thread()))) {
        await app.invoke(new Command({ resume: { [id]: answer } }), config);
      }
      const state = await app.getState(config);
      const done = { log: ["one answer to one?", "quiet", "two answer to two?"] };
      same(state.values, done, "An answer to one of two questions is lost while the other is open.");
    },

    "sends keep their arguments over a question": async ({ saver, thread }) => {
      const app = fanOut.compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: [] }, config);
      const { log } = await app.invoke(new Command({ resume: await answersFor(saver, thread()) }), config);
      same(log, ["plan", "answer to a", "answer to b"], "Tasks that were sent lose their arguments or their order.");
    },

    "updateState changes the state, and the run goes on from it": async ({ saver, thread }) => {
      const app = GRAPHS.question(() => undefined).compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: ["start"] }, config);
      await app.updateState(config, { log: ["by hand"] }, "before");
      await app.invoke(null, config);
      const { log } = await app.invoke(new Command({ resume: "yes" }), config);
      same(
        log,
        ["start", "before", "by hand", "ask: yes", "after"],
        "A state that was changed by hand is not what the run goes on from.",
      );
    },

    "the history tells every step, newest first": async ({ saver, thread }) => {
      const app = GRAPHS.chain(() => undefined).compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: ["start"] }, config);
      const steps = [];
      for await (const { values, next } of app.getStateHistory(config))
        steps.push([(values as typeof Log.State).log.length, next]);
      same(
        steps,
        [
          [4, []],
          [3, ["third"]],
          [2, ["second"]],
          [1, ["first"]],
          [0, ["__start__"]],
        ],
        "The history of a run is another one.",
      );
    },
  },
};
