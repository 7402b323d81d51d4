import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  MessagesAnnotation,
  MessagesDeltaValue,
  Send,
  START,
  StateGraph,
  StateSchema,
  interrupt,
} from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { thread } from "./harness.js";

/** A graph whose thread stops with a question; `finish` answers and says in plain data how it ended. */
export interface Story {
  begin(saver: BaseCheckpointSaver, threadId: string): Promise<unknown>;
  finish(saver: BaseCheckpointSaver, threadId: string): Promise<unknown>;
}

function texts(messages: BaseMessage[]): string[] {
  return messages.map((message) => `${message.type}: ${message.text}`);
}

const inner = new StateGraph(MessagesAnnotation)
  .addNode("first", () => ({ messages: [new AIMessage("from within")] }))
  .addNode("ask", () => ({ messages: [new AIMessage(`within: ${interrupt<string, string>("deeper?")}`)] }))
  .addEdge(START, "first")
  .addEdge("first", "ask");

/** The question is asked in a subgraph, whose first node has run. */
const subgraph: Story = (() => {
  const compiled = (checkpointer: BaseCheckpointSaver) =>
    new StateGraph(MessagesAnnotation)
      .addNode("inner", inner.compile())
      .addNode("after", () => ({ messages: [new AIMessage("after")] }))
      .addEdge(START, "inner")
      .addEdge("inner", "after")
      .compile({ checkpointer });
  return {
    begin: (saver, id) => compiled(saver).invoke({ messages: [new HumanMessage("hello")] }, thread(id)),
    async finish(saver, id) {
      const { messages } = await compiled(saver).invoke(new Command({ resume: "yes" }), thread(id));
      return texts(messages);
    },
  };
})();

/** Of three that were sent out with a message each, one asks and two are done. */
const sends: Story = (() => {
  const State = Annotation.Root({
    heard: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  });
  const compiled = (checkpointer: BaseCheckpointSaver) =>
    new StateGraph(State)
      .addNode("plan", () => ({ heard: ["planned"] }))
      .addNode("work", (state) => {
        const { task, at } = state as unknown as { task: BaseMessage; at: number };
        const answer = at === 1 ? interrupt<string, string>(`may I ${task.text}?`) : "done";
        return { heard: [`${task.type} ${task.text}: ${answer}`] };
      })
      .addNode("sum", ({ heard }) => ({ heard: [`${heard.length} heard`] }))
      .addEdge(START, "plan")
      .addConditionalEdges("plan", () =>
        ["a", "b", "c"].map((name, at) => new Send("work", { task: new HumanMessage(`do ${name}`), at })),
      )
      .addEdge("work", "sum")
      .compile({ checkpointer });
  return {
    begin: (saver, id) => compiled(saver).invoke({}, thread(id)),
    async finish(saver, id) {
      const { heard } = await compiled(saver).invoke(new Command({ resume: "granted" }), thread(id));
      return heard;
    },
  };
})();

/** The messages are a DeltaChannel: they stand in the writes, and nodes of one step write side by side. */
const delta: Story = (() => {
  const compiled = (checkpointer: BaseCheckpointSaver) =>
    new StateGraph(new StateSchema({ messages: MessagesDeltaValue }))
      .addNode("left", () => ({ messages: [new AIMessage("left")] }))
      .addNode("right", () => ({ messages: [new AIMessage("right")] }))
      .addNode("ask", () => ({ messages: [new AIMessage(`heard ${interrupt<string, string>("well?")}`)] }))
      .addEdge(START, "left")
      .addEdge(START, "right")
      .addEdge(["left", "right"], "ask")
      .compile({ checkpointer });
  return {
    async begin(saver, id) {
      const app = compiled(saver);
      await app.invoke({ messages: [new HumanMessage("one")] }, thread(id));
      await app.invoke(new Command({ resume: "first" }), thread(id));
      return app.invoke({ messages: [new HumanMessage("two")] }, thread(id));
    },
    async finish(saver, id) {
      const app = compiled(saver);
      // A fresh reader: what is rebuilt from the writes, not what a run had in memory.
      const before = await app.getState(thread(id));
      const { messages } = await app.invoke(new Command({ resume: "second" }), thread(id));
      return [texts((before.values as { messages: BaseMessage[] }).messages), texts(messages)];
    },
  };
})();

/** Two questions at once, one of them answered; a state with what JSON cannot say; metadata of the caller's own. */
const questions: Story = (() => {
  const State = Annotation.Root({
    answers: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
    seen: Annotation<Map<string, Set<number>>>,
  });
  const compiled = (checkpointer: BaseCheckpointSaver) =>
    new StateGraph(State)
      .addNode("look", () => ({ seen: new Map([["pages", new Set([1, 2])]]) }))
      .addNode("one", () => ({ answers: [`one: ${interrupt<string, string>("one?")}`] }))
      .addNode("two", () => ({ answers: [`two: ${interrupt<string, string>("two?")}`] }))
      .addNode("end", ({ seen }) => ({ answers: [`pages ${[...(seen.get("pages") ?? [])].join(" and ")}`] }))
      .addEdge(START, "look")
      .addEdge("look", "one")
      .addEdge("look", "two")
      .addEdge(["one", "two"], "end")
      .compile({ checkpointer });
  const idOf = async (saver: BaseCheckpointSaver, id: string, question: string): Promise<string> => {
    const { tasks } = await compiled(saver).getState(thread(id));
    const asked = tasks.flatMap(({ interrupts }) => interrupts).find(({ value }) => value === question);
    return asked?.id ?? "";
  };
  const answer = async (saver: BaseCheckpointSaver, id: string, question: string) =>
    compiled(saver).invoke(
      new Command({ resume: { [await idOf(saver, id, question)]: `answer to ${question}` } }),
      thread(id),
    );
  return {
    async begin(saver, id) {
      await compiled(saver).invoke({}, { ...thread(id), metadata: { tenant: "acme", "a.b": [1, null] } });
      return answer(saver, id, "two?");
    },
    async finish(saver, id) {
      return (await answer(saver, id, "one?")).answers;
    },
  };
})();

export const STORIES = { subgraph, sends, delta, questions } satisfies Record<string, Story>;
