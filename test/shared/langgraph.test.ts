/**
 * Pins what `src/shared/langgraph.ts` reads of LangGraph's internals. A failure here after an upgrade means: LangGraph
 * has changed, look at that file first.
 */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver, MessagesAnnotation, START, Send, StateGraph, interrupt } from "@langchain/langgraph";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  CONTROL,
  ambientConfig,
  hasAnswer,
  interruptIn,
  isUserChannel,
  markOfRun,
  runningTask,
  scheduledNodes,
} from "../../src/shared/langgraph.js";
import type { RunningTask } from "../../src/shared/langgraph.js";
import { ScriptedModel } from "../scripted-model.js";

const config = { configurable: { thread_id: "t" } };
const input = { messages: [new HumanMessage("x")] };

function graphOf(work: (config: LangGraphRunnableConfig) => unknown) {
  return new StateGraph(MessagesAnnotation)
    .addNode("work", (_state, given) => {
      work(given);
      return { messages: [new AIMessage("done")] };
    })
    .addEdge(START, "work");
}

async function taskIn(
  work: (config: LangGraphRunnableConfig) => RunningTask | undefined,
  durability?: "exit" | "sync",
) {
  const saver = new MemorySaver();
  let task: RunningTask | undefined;
  const app = graphOf((given) => (task = work(given))).compile({ checkpointer: saver });
  await app.invoke(input, durability === undefined ? config : { ...config, durability });
  return { task, saver };
}

describe("what a running node knows of itself", () => {
  it.each([
    ["from the configuration it was given", (given: LangGraphRunnableConfig) => runningTask(given)],
    ["from the asynchronous context", () => runningTask()],
  ])("%s", async (_name, read) => {
    const { task, saver } = await taskIn(read);
    expect(task).toMatchObject({ threadId: "t", toolCallId: undefined, replaying: false, attempt: 1 });
    expect(task?.checkpointer).toBe(saver);
    expect(task?.checkpointNs).toBe(`work:${task?.taskId ?? ""}`);
    expect(Object.keys(task?.checkpointMap ?? {})).toEqual([""]);
    expect(task?.scratchpad.interruptCounter).toBe(-1);
  });

  it("the durability it runs under, when one was chosen", async () => {
    expect((await taskIn((given) => runningTask(given), "exit")).task?.durability).toBe("exit");
    expect((await taskIn(() => runningTask(), "sync")).task?.durability).toBe("sync");
    expect((await taskIn((given) => runningTask(given))).task?.durability).toBeUndefined();
  });

  it("nothing outside a graph", () => {
    expect(ambientConfig()).toBeUndefined();
    expect(runningTask({ configurable: { thread_id: "t" } })).toBeUndefined();
  });
});

describe("what a tool knows of itself", () => {
  const calls = [
    { name: "look", args: {}, id: "call-1" },
    { name: "look", args: {}, id: "call-2" },
  ];

  it("in createAgent: its own call id, from the configuration and from the asynchronous context", async () => {
    const seen: unknown[] = [];
    const look = tool(
      (_args, given: LangGraphRunnableConfig) => {
        seen.push([runningTask(given)?.toolCallId, runningTask()?.toolCallId]);
        return "ok";
      },
      { name: "look", description: "looks", schema: z.object({}) },
    );
    const model = new ScriptedModel([new AIMessage({ content: "", tool_calls: calls }), new AIMessage("done")]);
    await createAgent({ model, tools: [look], checkpointer: new MemorySaver() }).invoke(input, config);
    expect(seen).toEqual([
      ["call-1", "call-1"],
      ["call-2", "call-2"],
    ]);
  });

  it("in ToolNode: its own call id from the configuration, and one task for all calls of a message", async () => {
    const seen: (RunningTask | undefined)[] = [];
    const look = tool(
      (_args, given: LangGraphRunnableConfig) => {
        seen.push(runningTask(given));
        return "ok";
      },
      { name: "look", description: "looks", schema: z.object({}) },
    );
    const app = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode([look]))
      .addEdge(START, "tools")
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke({ messages: [new AIMessage({ content: "", tool_calls: calls })] }, config);
    expect(seen.map((task) => task?.toolCallId)).toEqual(["call-1", "call-2"]);
    expect(new Set(seen.map((task) => task?.taskId)).size).toBe(1);
    expect(seen[0]?.scratchpad).toBe(seen[1]?.scratchpad);
  });
});

it("a run has one mark in whatever it asks of its checkpointer, and no other run has it, nor who looks on", async () => {
  const marks = new Map<string, (object | undefined)[]>();
  let run = "";
  class Marked extends MemorySaver {
    override getTuple(given: RunnableConfig) {
      marks.set(run, [...(marks.get(run) ?? []), markOfRun(given)]);
      return super.getTuple(given);
    }
    override put(...args: Parameters<MemorySaver["put"]>) {
      marks.set(run, [...(marks.get(run) ?? []), markOfRun(args[0])]);
      return super.put(...args);
    }
  }
  const app = graphOf(() => undefined).compile({ checkpointer: new Marked() });
  const mine = { ...config, metadata: { mine: true } };
  for (run of ["first", "second"]) await app.invoke(input, mine);
  run = "look";
  await app.getState(mine);
  const distinct = [...marks.values()].map((seen) => [...new Set(seen)]);
  expect([...marks.values()].map((seen) => seen.length)).toEqual([4, 4, 1]);
  expect(distinct.map((seen) => seen.length)).toEqual([1, 1, 1]);
  expect(new Set(distinct.flat()).size).toBe(3);
  expect([distinct[0], distinct[1]]).not.toContain(mine.metadata);
});

describe("interrupts", () => {
  it("the scratchpad counts them per attempt, and tells whether an answer waits", async () => {
    const seen: unknown[] = [];
    const app = graphOf((given) => {
      const { scratchpad } = runningTask(given) as RunningTask;
      seen.push([scratchpad.interruptCounter, hasAnswer(scratchpad)]);
      const first = interrupt<string, string>("first?");
      seen.push([first, scratchpad.interruptCounter, hasAnswer(scratchpad)]);
      interrupt("second?");
    }).compile({ checkpointer: new MemorySaver() });
    await app.invoke(input, config);
    await app.invoke(new Command({ resume: "one" }), config);
    expect(seen).toEqual([
      [-1, false],
      [-1, true],
      ["one", 0, false],
    ]);
  });

  it("can be asked where the asynchronous context was lost", async () => {
    const app = graphOf((given) => {
      const task = runningTask(given) as RunningTask;
      return interruptIn(task, "asked");
    }).compile({ checkpointer: new MemorySaver() });
    await app.invoke(input, config);
    const { tasks } = await app.getState(config);
    expect(tasks[0]?.interrupts[0]?.value).toBe("asked");
  });

  it("a retried attempt starts the count anew on the same scratchpad", async () => {
    const seen: { scratchpad: unknown; counter: number; attempt: number | undefined }[] = [];
    const app = new StateGraph(MessagesAnnotation)
      .addNode(
        "work",
        (_state, given: LangGraphRunnableConfig) => {
          const { scratchpad, attempt } = runningTask(given) as RunningTask;
          seen.push({ scratchpad, counter: scratchpad.interruptCounter, attempt });
          interrupt("go on?");
          if (attempt === 1) throw new Error("once more");
          return {};
        },
        { retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false } },
      )
      .addEdge(START, "work")
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke(input, config);
    await app.invoke(new Command({ resume: "yes" }), config);
    expect(seen.map(({ counter, attempt }) => [counter, attempt])).toEqual([
      [-1, 1],
      [-1, 1],
      [-1, 2],
    ]);
    expect(seen[2]?.scratchpad).toBe(seen[1]?.scratchpad);
  });
});

describe("checkpoints", () => {
  it("tell which nodes run next, sends included", async () => {
    const saver = new MemorySaver();
    const app = new StateGraph(MessagesAnnotation)
      .addNode("plan", () => ({}))
      .addNode("work", () => ({ messages: [new AIMessage("w")] }))
      .addEdge(START, "plan")
      .addConditionalEdges("plan", () => [new Send("work", {}), new Send("work", {})], ["work"])
      .compile({ checkpointer: saver });
    await app.invoke(input, config);
    const next: string[][] = [];
    for await (const { checkpoint } of saver.list(config)) next.unshift(scheduledNodes(checkpoint));
    expect(next).toEqual([["__start__"], ["plan"], ["work"], []]);
  });

  it("keep control writes in channels of these names", async () => {
    const saver = new MemorySaver();
    const app = graphOf(() => {
      interrupt("go on?");
      throw new Error("broken");
    }).compile({ checkpointer: saver });
    await app.invoke(input, config);
    const channels = async (): Promise<string[]> =>
      ((await saver.getTuple(config))?.pendingWrites ?? []).map(([, channel]) => channel);
    expect(await channels()).toEqual([CONTROL.interrupt]);
    await app.invoke(new Command({ resume: 1 }), config).catch(() => undefined);
    expect((await channels()).sort()).toEqual(
      [CONTROL.error, CONTROL.interrupt, CONTROL.resume, CONTROL.resume].sort(),
    );
  });

  it("name LangGraph's own channels so that they are told from the author's", async () => {
    const saver = new MemorySaver();
    await graphOf(() => undefined)
      .compile({ checkpointer: saver })
      .invoke(input, config);
    const names = new Set<string>();
    for await (const { checkpoint } of saver.list(config)) {
      for (const name of Object.keys(checkpoint.channel_values)) names.add(name);
    }
    expect([...names].filter(isUserChannel)).toEqual(["messages"]);
  });
});
