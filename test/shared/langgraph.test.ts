/**
 * Pins what `src/shared/langgraph.ts` reads of LangGraph's internals. A failure here after an upgrade means: LangGraph
 * has changed, look at that file first.
 */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import {
  Command,
  MemorySaver,
  MessagesAnnotation,
  START,
  Send,
  StateGraph,
  entrypoint,
  interrupt,
  task as functional,
} from "@langchain/langgraph";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  CONTROL,
  ambientConfig,
  askedNowhere,
  callsCounted,
  hasAnswer,
  interruptIdOf,
  interruptIn,
  isSent,
  isUnanswered,
  isUserChannel,
  outsideTask,
  ownLevels,
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

  it("that have no answer are told from answered ones, also where their error was caught", async () => {
    const seen: boolean[] = [];
    const app = graphOf((given) => {
      const { scratchpad } = runningTask(given) as RunningTask;
      seen.push(isUnanswered(scratchpad));
      for (const question of ["first?", "second?"]) {
        try {
          interrupt(question);
        } catch (error) {
          seen.push(isUnanswered(scratchpad));
          if (seen.length < 4) throw error;
        }
      }
    }).compile({ checkpointer: new MemorySaver() });
    await app.invoke(input, config);
    await app.invoke(new Command({ resume: "one" }), config);
    expect(seen).toEqual([false, true, false, true]);
  });

  it("have an id that is made of the task's namespace and the number of answers before", async () => {
    const seen: string[] = [];
    const app = graphOf((given) => {
      seen.push((runningTask(given) as RunningTask).checkpointNs);
      interrupt("first?");
      interrupt("second?");
    }).compile({ checkpointer: new MemorySaver() });
    const idNow = async () => (await app.getState(config)).tasks[0]?.interrupts[0]?.id;
    await app.invoke(input, config);
    expect(interruptIdOf(seen[0]!, 0)).toBe(await idNow());
    await app.invoke(new Command({ resume: "one" }), config);
    expect(interruptIdOf(seen[0]!, 1)).toBe(await idNow());
    expect(interruptIdOf(seen[0]!, 2)).not.toBe(await idNow());
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

describe("a functional task", () => {
  it("names the checkpoint of the level above it twice, and hangs on that one only", async () => {
    const saver = new MemorySaver();
    const seen: RunningTask[] = [];
    const step = functional("step", async () => void seen.push(runningTask() as RunningTask));
    const flow = entrypoint({ name: "flow", checkpointer: saver }, async () => {
      await step();
      return [];
    });
    await flow.invoke([], config);
    const map = (ambient: RunningTask): object => ambient.config.configurable?.checkpoint_map as object;
    expect(Object.keys(map(seen[0]!))).toHaveLength(2);
    expect(new Set(Object.values(map(seen[0]!))).size).toBe(1);
    expect(Object.keys(seen[0]!.checkpointMap)).toEqual([""]);
  });

  it("that is no level of its own is told by its checkpoint", () => {
    expect(ownLevels({ "flow:1": "a", "": "a", "flow:1|sub:2": "b", "flow:1|sub:2|work:3": "b" })).toEqual({
      "": "a",
      "flow:1|sub:2": "b",
    });
  });
});

describe("what runs outside its task", () => {
  const within = async (work: (given: LangGraphRunnableConfig) => unknown): Promise<unknown> => {
    let result: unknown;
    const app = new StateGraph(MessagesAnnotation)
      .addNode("work", async (_state, given: LangGraphRunnableConfig) => {
        const refuse = (): never => {
          throw new Error("no tasks here");
        };
        result = await Promise.resolve(
          outsideTask(runningTask(given) as RunningTask, refuse, async () => work(given)),
        ).catch((error: unknown) => error);
        return {};
      })
      .addEdge(START, "work")
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke(input, { configurable: { ...config.configurable, user: "ann" } });
    return result;
  };

  it("has no task, keeps the caller's own keys, and has nowhere to ask", async () => {
    expect(await within(() => [runningTask(), ambientConfig()?.configurable?.user as unknown])).toEqual([
      undefined,
      "ann",
    ]);
    expect(askedNowhere(await within(() => interrupt("inside?")))).toBe(true);
    expect(askedNowhere(new Error("anything else"))).toBe(false);
  });

  it("is told when it calls a functional task", async () => {
    const step = functional("step", async () => 1);
    expect(await within(() => step())).toMatchObject({ message: "no tasks here" });
  });

  it("invokes a graph that is one of its own, and is told when it hands it the task's config", async () => {
    const inner = graphOf(() => undefined).compile();
    expect(await within(async () => (await inner.invoke(input)).messages.length)).toBe(2);
    expect(await within((given) => inner.invoke(input, given))).toMatchObject({ message: "no tasks here" });
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

describe("what a tool node reads", () => {
  it("whether a Send scheduled it", async () => {
    const sent: boolean[] = [];
    const app = graphOf((given) => void sent.push(isSent(given)))
      .addConditionalEdges("work", () => (sent.length < 2 ? [new Send("work", input)] : []))
      .compile();
    await app.invoke(input);
    expect(sent).toEqual([false, true]);
  });

  it("how many tasks and graphs a node has called", async () => {
    const counts: number[] = [];
    const child = functional("child", () => Promise.resolve(1));
    const inner = graphOf(() => undefined).compile();
    const app = new StateGraph(MessagesAnnotation)
      .addNode("work", async (_state, given) => {
        const { scratchpad } = runningTask(given)!;
        counts.push(callsCounted(scratchpad));
        await child();
        counts.push(callsCounted(scratchpad));
        await inner.invoke(input, given);
        counts.push(callsCounted(scratchpad));
        return {};
      })
      .addEdge(START, "work")
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke(input, config);
    expect(counts).toEqual([0, 1, 2]);
  });
});
