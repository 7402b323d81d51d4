/**
 * LangGraph Studio and the API server name the newest checkpoint with every call, where an application leaves it out. A
 * `put` does not show whether the id was named on purpose, so this is where a false conflict would come from. Each story
 * is told to `MemorySaver` too, which refuses nothing: both have to end the same.
 */
import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, Command, MemorySaver, START, Send, StateGraph, interrupt } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { openSaver } from "./harness.js";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});
type Update = Partial<typeof State.State>;

const say = (what: string) => (): Update => ({ log: [what] });
const ask =
  (...questions: string[]) =>
  (): Update => ({ log: questions.map((question) => `${question} ${interrupt<string, string>(question)}`) });

interface Snapshot {
  readonly values: unknown;
  readonly next: readonly string[];
  readonly config: RunnableConfig;
  readonly tasks: readonly { readonly interrupts: readonly { readonly id?: string }[]; readonly state?: unknown }[];
}

interface App {
  invoke(input: unknown, config: RunnableConfig): Promise<unknown>;
  getState(config: RunnableConfig, options?: { subgraphs: boolean }): Promise<Snapshot>;
  getStateHistory(config: RunnableConfig): AsyncIterable<Snapshot>;
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig>;
}

/** What a client does that names a checkpoint with every call, and what it sees. */
class Studio {
  readonly seen: unknown[] = [];

  constructor(
    private readonly app: App,
    private readonly more: object,
    /** What the client sends beside the id. */
    private readonly sent: object,
  ) {}

  /** Runs from the newest checkpoint, or from the one that is named. */
  async run(input: unknown, from?: RunnableConfig): Promise<void> {
    const at = from ?? (await this.head()).config;
    const { checkpoint_id } = at.configurable ?? {};
    const configurable = { thread_id: "t", checkpoint_id: checkpoint_id as unknown, ...this.sent };
    await this.app.invoke(input, { ...this.more, configurable });
    await this.look();
  }

  answer(resume: unknown, from?: RunnableConfig): Promise<void> {
    return this.run(new Command({ resume }), from);
  }

  /** Answers every open question by its id. */
  async answerEach(answer: string): Promise<void> {
    const ids = (await this.head()).tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id ?? ""));
    await this.answer(Object.fromEntries(ids.map((id) => [id, answer])));
  }

  async update(values: Update, asNode: string, at?: RunnableConfig): Promise<void> {
    await this.app.updateState(at ?? (await this.head()).config, values, asNode);
    await this.look();
  }

  async head(): Promise<Snapshot> {
    return this.app.getState({ configurable: { thread_id: "t" } });
  }

  /** The newest checkpoint before which `node` was to run. */
  async before(node: string, skip = 0): Promise<RunnableConfig> {
    const found: RunnableConfig[] = [];
    for await (const { next, config } of this.app.getStateHistory({ configurable: { thread_id: "t" } })) {
      if (next.includes(node)) found.push(config);
    }
    return found[skip]!;
  }

  /** The checkpoints after which nothing was left to do, newest first. */
  async atEnd(): Promise<RunnableConfig[]> {
    const found: RunnableConfig[] = [];
    for await (const { next, config } of this.app.getStateHistory({ configurable: { thread_id: "t" } })) {
      if (next.length === 0) found.push(config);
    }
    return found;
  }

  /** The state of the subgraph in which the thread waits. */
  async inside(): Promise<Snapshot> {
    const { tasks } = await this.app.getState({ configurable: { thread_id: "t" } }, { subgraphs: true });
    return tasks.find(({ state }) => state !== undefined)?.state as Snapshot;
  }

  private async look(): Promise<void> {
    const { values, next, tasks } = await this.head();
    this.seen.push({ values, next, questions: tasks.map(({ interrupts }) => interrupts.length) });
  }
}

interface Story {
  readonly graph: (checkpointer: BaseCheckpointSaver) => App;
  readonly tell: (studio: Studio) => Promise<void>;
}

/** Nodes one after the other; a subgraph is a node too. */
function chain(nodes: Record<string, unknown>, options: { checkpointer?: BaseCheckpointSaver | boolean } = {}) {
  const graph = new StateGraph(State);
  const names = Object.keys(nodes);
  for (const name of names) graph.addNode(name, nodes[name] as never);
  names.forEach((name, index) => graph.addEdge((names[index - 1] ?? START) as never, name as never));
  return graph.compile(options);
}

const asker = (checkpointer?: true) =>
  chain({ ask: ask("inner?"), then: say("then") }, checkpointer === undefined ? {} : { checkpointer });

const throughSubgraph =
  (inner: () => unknown) =>
  (checkpointer: BaseCheckpointSaver): App =>
    chain({ first: say("first"), inner: inner(), last: ask("last?") }, { checkpointer });

const stories: Record<string, Story> = {
  "several questions of one node, and several turns": {
    graph: (checkpointer) => chain({ ask: ask("one?", "two?"), next: ask("three?") }, { checkpointer }),
    tell: async (studio) => {
      for (const turn of ["a", "b"]) {
        await studio.run({ log: [turn] });
        for (const answer of ["yes", "no", "maybe"]) await studio.answer(answer);
      }
    },
  },
  "input in the middle of a question": {
    graph: (checkpointer) => chain({ ask: ask("one?"), next: say("next") }, { checkpointer }),
    tell: async (studio) => {
      await studio.run({ log: ["a"] });
      await studio.run({ log: ["never mind"] });
      await studio.answer("yes");
    },
  },
  "questions that are open side by side": {
    graph: (checkpointer) =>
      new StateGraph(State)
        .addNode("fan", say("fan"))
        .addNode("inner", asker())
        .addNode("join", say("join"))
        .addEdge(START, "fan")
        .addConditionalEdges("fan", () => ["x", "y", "z"].map((item) => new Send("inner", { log: [item] })), ["inner"])
        .addEdge("inner", "join")
        .compile({ checkpointer }),
    tell: async (studio) => {
      await studio.run({ log: ["a"] });
      await studio.answerEach("yes");
    },
  },
  "a subgraph that asks": {
    graph: throughSubgraph(asker),
    tell: async (studio) => {
      for (const turn of ["a", "b"]) {
        await studio.run({ log: [turn] });
        await studio.answer("yes");
        await studio.answer("no");
      }
    },
  },
  "a subgraph in a subgraph that asks": {
    graph: throughSubgraph(() => chain({ middle: say("middle"), deep: asker() })),
    tell: async (studio) => {
      await studio.run({ log: ["a"] });
      await studio.answer("yes");
      await studio.answer("no");
      await studio.run(null, await studio.before("inner"));
      await studio.answer("replayed");
      await studio.answer("no");
    },
  },
  "a subgraph that remembers, through turns and replay": {
    graph: throughSubgraph(() => asker(true)),
    tell: async (studio) => {
      for (const turn of ["a", "b"]) {
        await studio.run({ log: [turn] });
        await studio.answer("yes");
        await studio.answer("no");
      }
      for (const turn of [0, 2]) {
        await studio.run(null, await studio.before("inner", turn));
        await studio.answer("replayed");
        await studio.answer("no");
      }
      await studio.run({ log: ["c"] });
      await studio.answer("yes");
    },
  },
  "time travel: an old question is asked anew": {
    graph: (checkpointer) => chain({ first: say("first"), ask: ask("one?"), next: say("next") }, { checkpointer }),
    tell: async (studio) => {
      await studio.run({ log: ["a"] });
      await studio.answer("yes");
      await studio.run(null, await studio.before("ask"));
      await studio.answer("no");
      await studio.run(null, await studio.before("first"));
      await studio.answer("maybe");
      await studio.run({ log: ["from the middle"] }, await studio.before("next"));
      await studio.answer("again");
    },
  },
  "an earlier message is edited and sent again, and an answer is asked for anew": {
    graph: (checkpointer) => chain({ first: say("first"), then: ask("one?") }, { checkpointer }),
    tell: async (studio) => {
      for (const turn of ["a", "b"]) {
        await studio.run({ log: [turn] });
        await studio.answer("yes");
      }
      const [ended] = await studio.atEnd();
      await studio.run({ log: ["c"] });
      await studio.answer("yes");
      await studio.run({ log: ["instead of c"] }, ended);
      await studio.answer("no");
      await studio.run(null, await studio.before("first"));
      await studio.answer("maybe");
    },
  },
  "a fork by updateState, at the head and at an old checkpoint": {
    graph: (checkpointer) => chain({ first: say("first"), ask: ask("one?"), next: say("next") }, { checkpointer }),
    tell: async (studio) => {
      await studio.run({ log: ["a"] });
      await studio.update({ log: ["edited"] }, "first");
      await studio.run(null);
      await studio.answer("yes");
      await studio.update({ log: ["edited later"] }, "first", await studio.before("ask", 1));
      await studio.run(null);
      await studio.answer("again");
      await studio.run({ log: ["b"] });
      await studio.answer("end");
    },
  },
  "an update of a subgraph's state while it asks": {
    graph: throughSubgraph(asker),
    tell: async (studio) => {
      await studio.run({ log: ["a"] });
      await studio.update({ log: ["inside"] }, "ask", (await studio.inside()).config);
      await studio.run(null);
      await studio.answer("no");
    },
  },
};

const clients = { "the id": {}, "id, namespace and an empty map": { checkpoint_ns: "", checkpoint_map: {} } };

it("an answer to a question that was answered before is refused: it may have come too late", async () => {
  const { graph } = stories["time travel: an old question is asked anew"]!;
  const studio = new Studio(graph(openSaver()), {}, {});
  await studio.run({ log: ["a"] });
  const question = (await studio.head()).config;
  await studio.answer("yes", question);
  await expect(studio.answer("no", question)).rejects.toMatchObject({ code: "STALE_CHECKPOINT" });
  expect((await studio.head()).values).toEqual({ log: ["a", "first", "one? yes", "next"] });
  await studio.run(null, question);
  await studio.answer("no");
  expect((await studio.head()).values).toEqual({ log: ["a", "first", "one? no", "next"] });
});

it("input of a client that named the newest checkpoint, and was overtaken, is refused", async () => {
  const saver = openSaver();
  const app = chain({ first: say("first") }, { checkpointer: saver }) as never as App;
  await app.invoke({ log: ["a"] }, { configurable: { thread_id: "t" } });
  const { config } = await app.getState({ configurable: { thread_id: "t" } });
  const put = saver.put.bind(saver);
  saver.put = async (...args) => {
    saver.put = put;
    await app.invoke({ log: ["meanwhile"] }, config);
    return put(...args);
  };
  await expect(app.invoke({ log: ["late"] }, config)).rejects.toMatchObject({ code: "STALE_CHECKPOINT" });
  const { values } = await app.getState({ configurable: { thread_id: "t" } });
  expect(values).toEqual({ log: ["a", "first", "meanwhile", "first"] });
});

it.each(["async", "sync"] as const)(
  "of two clients that name the newest checkpoint at once, one gets through, under %s",
  async (durability) => {
    for (const input of [{ log: ["b"] }, new Command({ resume: "yes" })]) {
      const app = chain({ first: say("first"), ask: ask("one?") }, { checkpointer: openSaver() }) as never as App;
      await app.invoke({ log: ["a"] }, { configurable: { thread_id: "t" } });
      const { config } = await app.getState({ configurable: { thread_id: "t" } });
      const runs = await Promise.allSettled([1, 2].map(() => app.invoke(input, { ...config, durability } as object)));
      const refused = runs.filter((run) => run.status === "rejected").map(({ reason }) => reason as { code: string });
      expect(refused.map(({ code }) => code)).toEqual(["STALE_CHECKPOINT"]);
    }
  },
);

describe.each(["async", "sync", "exit"] as const)(
  "a client that names the newest checkpoint, under %s",
  (durability) => {
    describe.each(Object.entries(clients))("sending %s", (_client, sent) => {
      it.each(Object.entries(stories))("meets no conflict: %s", async (_name, { graph, tell }) => {
        const told = await Promise.all(
          [openSaver(), new MemorySaver()].map(async (saver) => {
            const studio = new Studio(graph(saver), { durability }, sent);
            await tell(studio);
            return studio.seen;
          }),
        );
        expect(told[0]).toEqual(told[1]);
      });
    });
  },
);
