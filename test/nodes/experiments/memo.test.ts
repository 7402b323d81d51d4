/**
 * How LangGraph behaves, measured, and what memos, waits and deferred effects make of it. The first test of each pair pins
 * the behaviour: when it fails after an upgrade, LangGraph has changed, and what is built on it has to be looked at.
 */
import { AIMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MessagesAnnotation, START, StateGraph, task } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { memo } from "../../../src/nodes/memo.js";
import { runningTask } from "../../../src/shared/langgraph.js";
import { answer, chain, on, saver } from "../effect/support.js";
import { counter, failing, Log, retried } from "./support.js";

describe("E1: the identity of a visit", () => {
  const visits = async (value: () => Promise<unknown>): Promise<unknown[]> => {
    const seen: unknown[] = [];
    const fail = failing(1);
    const app = chain(
      saver(),
      {
        node: async () => {
          seen.push(await value());
          fail();
          return { log: [interrupt("go on?")] };
        },
      },
      retried,
    );
    await app.invoke({}, on("t")); // two attempts, then the question
    await app.invoke(answer("yes"), on("t")); // the same visit again
    await app.invoke({}, on("t")); // a new input
    return seen;
  };

  it("LangGraph's task id is the same for attempts and resumes, and another one for a new input", async () => {
    const [first, second, third, other] = await visits(async () => runningTask()!.taskId);
    expect([second, third]).toEqual([first, first]);
    expect(other).not.toBe(first);
  });

  it("so is a memo's value", async () => {
    const { take } = counter();
    expect(await visits(() => memo("n", null, take))).toEqual([1, 1, 1, 2]);
  });
});

describe("E5: a retryPolicy around work that is recorded", () => {
  it("LangGraph's task() runs again in each attempt", async () => {
    const { state, take } = counter();
    const work = task("work", async () => take());
    const fail = failing(2);
    const app = chain(saver(), { node: async () => ({ log: [await work(), fail()] }) }, retried);
    await app.invoke({}, on("t"));
    expect(state.calls).toBe(3);
  });

  it("a memo is taken once", async () => {
    const { state, take } = counter();
    const fail = failing(2);
    const app = chain(saver(), { node: async () => ({ log: [await memo("n", null, take), fail()] }) }, retried);
    await app.invoke({}, on("t"));
    expect(state.calls).toBe(1);
  });
});

describe("E6: a graph that is called in a node that is retried", () => {
  const inner = (take: () => number) =>
    new StateGraph(Log)
      .addNode("work", async () => ({ log: [take()] }))
      .addEdge(START, "work")
      .compile();

  it("LangGraph begins it anew, in another namespace", async () => {
    const { state, take } = counter();
    const graph = inner(take);
    const fail = failing(1);
    const app = chain(saver(), { node: async () => ({ log: [(await graph.invoke({})).log, fail()] }) }, retried);
    await app.invoke({}, on("t"));
    expect(state.calls).toBe(2);
  });

  it("within a memo it runs once", async () => {
    const { state, take } = counter();
    const graph = inner(take);
    const fail = failing(1);
    const app = chain(
      saver(),
      { node: async () => ({ log: [await memo("research", null, async () => (await graph.invoke({})).log), fail()] }) },
      retried,
    );
    await app.invoke({}, on("t"));
    expect(state.calls).toBe(1);
  });
});

describe("E7: other arguments on the second pass", () => {
  const passes = (charge: (who: string) => Promise<unknown>) => {
    let pass = 0;
    return chain(saver(), {
      node: async () => {
        pass += 1;
        return { log: [await charge(pass === 1 ? "alice" : "bob"), interrupt("go on?")] };
      },
    });
  };

  it("LangGraph's task() returns the old result without a word", async () => {
    const app = passes(task("charge", async (who: string) => `charged:${who}`));
    await app.invoke({}, on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["charged:alice", "yes"]);
  });

  it("a memo is an error", async () => {
    const app = passes((who) => memo("charge", { who }, (args) => `charged:${args.who}`));
    await app.invoke({}, on("t"));
    await expect(app.invoke(answer("yes"), on("t"))).rejects.toMatchObject({ code: "MEMO_CONFLICT" });
  });
});

describe("E8: another order of calls on the second pass", () => {
  const passes = (charge: (who: string) => Promise<unknown>) => {
    let flip = false;
    return chain(saver(), {
      node: async () => {
        flip = !flip;
        const order = flip ? ["alice", "bob"] : ["bob", "alice"];
        const pairs = await Promise.all(order.map(async (who) => [who, await charge(who)] as const));
        return { log: [Object.fromEntries(pairs), interrupt("go on?")] };
      },
    });
  };

  it("LangGraph's task() hands out the results the wrong way round", async () => {
    const app = passes(task("charge", async (who: string) => `charged:${who}`));
    await app.invoke({}, on("t"));
    const { log } = await app.invoke(answer("yes"), on("t"));
    expect(log[0]).toEqual({ alice: "charged:bob", bob: "charged:alice" });
  });

  it("a memo returns to each its own", async () => {
    const app = passes((who) => memo(`charge:${who}`, null, () => `charged:${who}`));
    await app.invoke({}, on("t"));
    const { log } = await app.invoke(answer("yes"), on("t"));
    expect(log[0]).toEqual({ alice: "charged:alice", bob: "charged:bob" });
  });
});

describe("E9: a call that the code has come to make before another", () => {
  const passes = (pay: () => Promise<unknown>, before: () => Promise<unknown>) => {
    let deployed = false;
    const app = chain(saver(), {
      node: async () => {
        if (deployed) await before();
        return { log: [await pay(), interrupt("go on?")] };
      },
    });
    return { app, deploy: () => (deployed = true) };
  };

  it("LangGraph runs the later task() again", async () => {
    const { state, take } = counter();
    const { app, deploy } = passes(
      task("pay", async () => take()),
      task("check", async () => 0),
    );
    await app.invoke({}, on("t"));
    deploy();
    await app.invoke(answer("yes"), on("t"));
    expect(state.calls).toBe(2);
  });

  it("a memo is not taken again", async () => {
    const { state, take } = counter();
    const { app, deploy } = passes(
      () => memo("pay", null, take),
      () => memo("check", null, () => 0),
    );
    await app.invoke({}, on("t"));
    deploy();
    await app.invoke(answer("yes"), on("t"));
    expect(state.calls).toBe(1);
  });
});

describe("E20: tools that run beside one that asks", () => {
  const calls = ["pay", "ask"].map((name) => ({ name, args: {}, id: `call-${name}` }));
  const tools = async (pay: (config: RunnableConfig) => unknown) => {
    const options = (name: string) => ({ name, description: name, schema: z.object({}) });
    const both = [
      tool(async (_args, config: RunnableConfig) => String(await pay(config)), options("pay")),
      tool(async () => interrupt<string, string>("sure?"), options("ask")),
    ];
    const app = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode(both))
      .addEdge(START, "tools")
      .compile({ checkpointer: saver() });
    await app.invoke({ messages: [new AIMessage({ content: "", tool_calls: calls })] }, on("t"));
    await app.invoke(new Command({ resume: "yes" }), on("t"));
  };

  it("LangGraph's ToolNode runs them again with the answer", async () => {
    const { state, take } = counter();
    await tools(() => take());
    expect(state.calls).toBe(2);
  });

  it("a memo in one of them is taken once", async () => {
    const { state, take } = counter();
    await tools((config) => memo("n", null, take, config));
    expect(state.calls).toBe(1);
  });
});
