import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, START, StateGraph, interrupt } from "@langchain/langgraph";
import { holds, same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { at, idsOf } from "../checkpoints.js";
import { GRAPHS, Log } from "../graphs.js";
import type { Trial } from "../trial.js";

interface Historical {
  getStateHistory(config: RunnableConfig): AsyncIterable<{ next: string[]; config: RunnableConfig; values: unknown }>;
}

/** The configuration of the newest checkpoint at which this node was next. */
async function beforeNode(app: Historical, config: RunnableConfig, node: string): Promise<RunnableConfig> {
  for await (const snapshot of app.getStateHistory(config)) {
    if (snapshot.next.includes(node)) return snapshot.config;
  }
  holds(false, `No checkpoint is listed at which the node "${node}" was next.`);
}

/** before → inner (work → ask) → after */
function nestedQuestion(ran: string[]) {
  const inner = new StateGraph(Log)
    .addNode("work", () => {
      ran.push("work");
      return { log: ["work"] };
    })
    .addNode("ask", () => ({ log: [`ask: ${interrupt<string, string>("go on?")}`] }))
    .addEdge(START, "work")
    .addEdge("work", "ask");
  return new StateGraph(Log)
    .addNode("before", () => {
      ran.push("before");
      return { log: ["before"] };
    })
    .addNode("inner", async (_state, config) => ({ log: (await inner.compile().invoke({ log: [] }, config)).log }))
    .addNode("after", () => ({ log: ["after"] }))
    .addEdge(START, "before")
    .addEdge("before", "inner")
    .addEdge("inner", "after");
}

/** Runs that start from an older checkpoint. */
export const timeTravel: Group<Trial> = {
  title: "time travel",
  checks: {
    "a replay runs what came after the checkpoint, and leaves the history as it was": async ({ saver, thread }) => {
      const ran: string[] = [];
      const app = GRAPHS.chain((node) => void ran.push(node)).compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: ["start"] }, config);
      const history = await idsOf(saver, { thread: thread() });
      const old = await beforeNode(app, config, "second");
      ran.length = 0;
      const { log } = await app.invoke(null, old);
      same(ran, ["second", "third"], "A replay runs other nodes than those that came after the checkpoint.");
      same(log, ["start", "first", "second", "third"], "A replay returns another state.");
      const now = await idsOf(saver, { thread: thread() });
      same(
        history.filter((id) => !now.includes(id)),
        [],
        "A replay has removed checkpoints.",
      );
      same(
        (await app.getState(old)).values,
        { log: ["start", "first"] },
        "A replay has changed the checkpoint that it started from.",
      );
      same((await app.getState(config)).values, { log }, "After a replay the thread is not where the replay ended.");
    },

    "a fork from an older checkpoint goes its own way": async ({ saver, thread }) => {
      const app = GRAPHS.chain(() => undefined).compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: ["start"] }, config);
      const end = (await app.getState(config)).config;
      const fork = await app.updateState(await beforeNode(app, config, "third"), { log: ["by hand"] });
      const { log } = await app.invoke(null, fork);
      same(log, ["start", "first", "second", "by hand", "third"], "A run from a fork returns another state.");
      same(
        (await app.getState(end)).values,
        { log: ["start", "first", "second", "third"] },
        "A fork has changed the end of the original run.",
      );
    },

    "a replay from a question asks it again, and takes another answer": async ({ saver, thread }) => {
      const app = GRAPHS.question(() => undefined).compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: [] }, config);
      const asking = (await app.getState(config)).config;
      await app.invoke(new Command({ resume: "yes" }), config);
      await app.invoke(null, asking);
      same((await app.getState(config)).next, ["ask"], "A replay from a question does not ask it again.");
      const { log } = await app.invoke(new Command({ resume: "no" }), config);
      same(log, ["before", "ask: no", "after"], "An older question, answered anew, gives another state.");
    },

    "a replay before a subgraph runs the subgraph anew, and asks again": async ({ saver, thread }) => {
      const ran: string[] = [];
      const app = nestedQuestion(ran).compile({ checkpointer: saver });
      const config = at({ thread: thread() });
      await app.invoke({ log: [] }, config);
      await app.invoke(new Command({ resume: "yes" }), config);
      const old = await beforeNode(app, config, "inner");
      ran.length = 0;
      await app.invoke(null, old);
      same(ran, ["work"], "A replay before a subgraph does not run the subgraph from its beginning.");
      const { log } = await app.invoke(new Command({ resume: "no" }), config);
      same(log, ["before", "work", "ask: no", "after"], "A replay of a subgraph returns another state.");
    },
  },
};
