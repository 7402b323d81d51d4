import { Annotation, Command, START, StateGraph, interrupt } from "@langchain/langgraph";
import type { StateSnapshot } from "@langchain/langgraph";
import { same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { at, listed } from "../checkpoints.js";
import { Log } from "../graphs.js";
import type { Trial } from "../trial.js";

/** A subgraph that works, then asks, beside a node that only works. */
function nested(ran: string[]) {
  const note = (name: string) => () => {
    ran.push(name);
    return { log: [name] };
  };
  const inner = new StateGraph(Log)
    .addNode("prepare", note("prepare"))
    .addNode("ask", () => {
      ran.push("ask");
      return { log: [`ask: ${interrupt<string, string>("go on?")}`] };
    })
    .addNode("finish", note("finish"))
    .addEdge(START, "prepare")
    .addEdge("prepare", "ask")
    .addEdge("ask", "finish");
  return new StateGraph(Log)
    .addNode("first", note("first"))
    .addNode("inner", async (state, config) => {
      const { log } = await inner.compile().invoke({ log: [] }, config);
      return { log: [`${state.log.length} then`, ...log] };
    })
    .addNode("beside", note("beside"))
    .addNode("last", note("last"))
    .addEdge(START, "first")
    .addEdge("first", "inner")
    .addEdge("first", "beside")
    .addEdge(["inner", "beside"], "last");
}

const Inner = Annotation.Root({
  visits: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
  secret: Annotation<string>,
});
const Outer = Annotation.Root({ visits: Annotation<number>, count: Annotation<number> });

/** A subgraph with a memory of its own: it counts its visits over the turns. */
const remembering = new StateGraph(Inner)
  .addNode("count", () => ({ visits: 1, secret: "of the subgraph" }))
  .addEdge(START, "count")
  .compile({ checkpointer: true });

const withMemory = new StateGraph(Outer)
  .addNode("child", async (_state, config) => {
    const { visits } = await remembering.invoke({}, config);
    return { count: visits };
  })
  .addEdge(START, "child");

/** Graphs within graphs. */
export const subgraphs: Group<Trial> = {
  title: "subgraphs",
  checks: {
    "a question in a subgraph is answered, and no task that had finished runs again": async ({ saver, thread }) => {
      const ran: string[] = [];
      const app = nested(ran).compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: [] }, config);
      const { log } = await app.invoke(new Command({ resume: "yes" }), config);
      same(
        [...log].sort(),
        ["1 then", "ask: yes", "beside", "finish", "first", "last", "prepare"],
        "A run with a question in a subgraph returns another state.",
      );
      const times = (name: string): number => ran.filter((one) => one === name).length;
      same(
        ["first", "prepare", "beside"].map(times),
        [1, 1, 1],
        "A task that had finished before the question ran again.",
      );
    },

    "a subgraph that asks can be found, with its state": async ({ saver, thread }) => {
      const inner = new StateGraph(Log)
        .addNode("ask", () => ({ log: [interrupt<string, string>("inside?")] }))
        .addEdge(START, "ask");
      const app = new StateGraph(Log)
        .addNode("inner", inner.compile())
        .addEdge(START, "inner")
        .compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: ["start"] }, config);
      const { tasks } = await app.getState(config, { subgraphs: true });
      const state = tasks[0]?.state as StateSnapshot | undefined;
      const asked = state?.tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value as string));
      const found = [state?.values, state?.next, asked];
      const claim = "The state of a subgraph that asks, or its question, is not found in its namespace.";
      same(found, [{ log: ["start"] }, ["ask"], ["inside?"]], claim);
    },

    "a subgraph with a memory of its own keeps it over the turns, in a namespace of its own": async ({
      saver,
      thread,
    }) => {
      const app = withMemory.compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      const counts = [];
      for (const visits of [100, 200, 300]) counts.push((await app.invoke({ visits }, config)).count);
      same(counts, [1, 2, 3], "A subgraph with a memory of its own forgets its state between the turns.");
      same(
        (await app.getState(config)).values,
        { visits: 300, count: 3 },
        "What a subgraph stored is found in the graph that called it.",
      );
      const roots = await listed(saver, at({ thread: thread() }));
      const secrets = roots.filter(({ checkpoint }) => "secret" in checkpoint.channel_values);
      same(secrets.length, 0, "A channel of a subgraph is stored in the namespace of its parent.");
    },

    "two threads do not share a subgraph's memory": async ({ saver, thread }) => {
      const app = withMemory.compile({ checkpointer: saver });
      const counts = [];
      for (const name of ["a", "b", "a", "b"])
        counts.push((await app.invoke({ visits: 0 }, at({ thread: thread(name) }))).count);
      same(counts, [1, 1, 2, 2], "Threads share the memory of a subgraph.");
    },
  },
};
