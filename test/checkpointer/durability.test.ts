import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { NotDurableError, StaleCheckpointError, ThreadIdError } from "../../src/checkpointer/index.js";
import { InvalidInputError } from "../../src/shared/errors.js";
import { LOOP, checkpointOf, openSaver, thread } from "./harness.js";

const node = (work: (config: LangGraphRunnableConfig) => Promise<void>) =>
  new StateGraph(MessagesAnnotation)
    .addNode("work", async (_state, config) => {
      await work(config);
      return { messages: [new AIMessage("done")] };
    })
    .addEdge(START, "work");

const input = { messages: [new HumanMessage("x")] };

describe("whenDurable", () => {
  it.each(["async", "sync"] as const)(
    "resolves once the checkpoint of the running task can be read, under %s",
    async (durability) => {
      const saver = openSaver();
      let found: unknown;
      const app = node(async (config) => {
        await saver.whenDurable(config);
        const id = config.executionInfo?.checkpointId;
        found = (await saver.getTuple(thread("t", id)))?.checkpoint.id === id;
      }).compile({ checkpointer: saver });
      await app.invoke(input, { ...thread("t"), durability });
      expect(found).toBe(true);
    },
  );

  it("waits for every level of a nested graph", async () => {
    const saver = openSaver();
    let levels: string[] = [];
    const inner = node(async (config) => {
      await saver.whenDurable(config);
      for (const [ns, id] of Object.entries(config.configurable?.checkpoint_map as Record<string, string>)) {
        const tuple = await saver.getTuple({ configurable: { thread_id: "t", checkpoint_ns: ns, checkpoint_id: id } });
        if (tuple !== undefined) levels = [...levels, ns.replace(/:.*/, "")];
      }
    }).compile();
    const app = new StateGraph(MessagesAnnotation)
      .addNode("outer", inner)
      .addEdge(START, "outer")
      .compile({ checkpointer: saver });
    await app.invoke(input, thread("t"));
    expect(levels).toEqual(["", "outer"]);
  });

  it("rejects under durability exit at once", async () => {
    const saver = openSaver();
    const app = node((config) => saver.whenDurable(config, { timeout: "1h" })).compile({ checkpointer: saver });
    const run = app.invoke(input, { ...thread("t"), durability: "exit" });
    await expect(run).rejects.toThrow(NotDurableError);
    await expect(run).rejects.toThrow(/durability "async".*or "sync"/);
  });

  it("rejects when the checkpoint does not arrive in time", async () => {
    await expect(openSaver().whenDurable(thread("t", "never"), { timeout: 1 })).rejects.toThrow(NotDurableError);
  });

  it("rejects a task whose thread another run has advanced", async () => {
    const saver = openSaver();
    const base = checkpointOf({ a: 1 });
    const config = await saver.put(thread("t"), base, LOOP, base.channel_versions);
    await saver.whenDurable(config);
    const next = checkpointOf({ a: 2 });
    await saver.put(thread("t", base.id), next, LOOP, next.channel_versions);
    await expect(saver.whenDurable(config)).rejects.toThrow(StaleCheckpointError);
  });

  it("refuses a configuration without a thread, and a timeout that is none", async () => {
    await expect(openSaver().whenDurable({})).rejects.toThrow(ThreadIdError);
    await expect(openSaver().whenDurable(thread("t"), { timeout: "soon" as never })).rejects.toThrow(InvalidInputError);
  });
});
