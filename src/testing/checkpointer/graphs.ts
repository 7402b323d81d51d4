import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, START, StateGraph, interrupt } from "@langchain/langgraph";

/** Told the name of each node that begins. */
export type Observe = (node: string) => void | Promise<void>;

/** A log to which every node adds its name: what ran, in which order, as the state tells it. */
export const Log = Annotation.Root({
  log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});

function logging(name: string, observe: Observe) {
  return async () => {
    await observe(name);
    return { log: [name] };
  };
}

/** first → second → third */
function chain(observe: Observe) {
  return new StateGraph(Log)
    .addNode("first", logging("first", observe))
    .addNode("second", logging("second", observe))
    .addNode("third", logging("third", observe))
    .addEdge(START, "first")
    .addEdge("first", "second")
    .addEdge("second", "third");
}

/** left and right in one superstep, then join */
function fork(observe: Observe) {
  return new StateGraph(Log)
    .addNode("left", logging("left", observe))
    .addNode("right", logging("right", observe))
    .addNode("join", logging("join", observe))
    .addEdge(START, "left")
    .addEdge(START, "right")
    .addEdge(["left", "right"], "join");
}

/** before → ask, which waits for an answer → after */
function question(observe: Observe) {
  return new StateGraph(Log)
    .addNode("before", logging("before", observe))
    .addNode("ask", async () => {
      await observe("ask");
      return { log: [`ask: ${interrupt<string, string>("go on?")}`] };
    })
    .addNode("after", logging("after", observe))
    .addEdge(START, "before")
    .addEdge("before", "ask")
    .addEdge("ask", "after");
}

/** Graphs that this process and its children both run. */
export const GRAPHS = { chain, fork, question } as const;
export type GraphName = keyof typeof GRAPHS;

/** What each of them is when it is compiled. */
export interface LogApp {
  invoke(input: unknown, config: RunnableConfig & { durability: string }): Promise<{ log: string[] }>;
}
