/**
 * How LangGraph behaves, measured, and what memos, waits and deferred effects make of it. The first test of each pair pins
 * the behaviour: when it fails after an upgrade, LangGraph has changed, and what is built on it has to be looked at.
 */
import { AIMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import {
  Annotation,
  Command,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  task,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { deliverEvent } from "../../src/nodes/deliver-event.js";
import { effect } from "../../src/nodes/effect.js";
import { ledgerOf, memoryLedger, setLedger } from "../../src/nodes/ledger.js";
import { memo } from "../../src/nodes/memo.js";
import { pendingWaits } from "../../src/nodes/pending-waits.js";
import { resume } from "../../src/nodes/resume.js";
import { safeNode } from "../../src/nodes/safe-node.js";
import { sleepUntil } from "../../src/nodes/sleep-until.js";
import { waitForEvent } from "../../src/nodes/wait-for-event.js";
import { runningTask } from "../../src/shared/langgraph.js";
import { answer, asked, chain, fresh, on, Outside, saver, StillClock, type StateOf } from "./effect/support.js";

afterEach(() => setLedger(undefined));

const retried = { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } };
const Log = Annotation.Root({ log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }) });

/** Counts its calls, and returns how many there were. */
function counter() {
  const state = { calls: 0 };
  return { state, take: (): number => (state.calls += 1) };
}

function failing(times: number) {
  let failures = 0;
  return (): string => {
    failures += 1;
    if (failures <= times) throw new Error("flaky");
    return "worked";
  };
}

function deferring() {
  const outside = new Outside();
  const send = effect<{ id: string }, unknown>({
    name: fresh("send"),
    key: ({ id }) => id,
    run: async (args, context) => outside.call(args, context),
  });
  return { send, outside };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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

describe("E10: an answer that is sent twice", () => {
  it("LangGraph takes it for the answer to the next question", async () => {
    const app = chain(saver(), { node: async () => ({ log: [interrupt("refund?"), interrupt("wire?")] }) });
    await app.invoke({}, on("t"));
    await app.invoke(answer("yes"), on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["yes", "yes"]);
  });

  it("shortens no sleep, is no event, and reaches no question behind them", async () => {
    const clock = new StillClock();
    const checkpointer = saver(clock);
    const app = chain(checkpointer, {
      node: async () => {
        const refund: unknown = interrupt("refund?");
        await sleepUntil(new Date(clock.time + 1000));
        const paid = await waitForEvent("paid");
        return { log: [refund, paid.type, interrupt("wire?")] };
      },
    });
    await app.invoke({}, on("t"));
    await app.invoke(answer("yes"), on("t"));
    expect(asked(await app.invoke(answer("yes"), on("t")))).toMatchObject({ kind: "sleep" });
    clock.time += 1000;
    await resume(app as never, on("t"));
    expect(asked(await app.invoke(answer("yes"), on("t")))).toMatchObject({ kind: "event" });
    await deliverEvent(ledgerOf(checkpointer), { threadId: "t", name: "paid", id: "1" }, { app });
    expect((await app.invoke(answer("no"), on("t"))).log).toEqual(["yes", "event", "no"]);
  });
});

describe("E11: one plain answer while several branches wait", () => {
  const fan = (work: (id: string) => Promise<unknown>, checkpointer = saver()) => {
    const Fan = Annotation.Root({ ...Log.spec, id: Annotation<string> });
    return new StateGraph(Fan)
      .addNode("work", async ({ id }) => ({ log: [await work(id)] }))
      .addConditionalEdges(START, () => ["a", "b"].map((id) => new Send("work", { id })), ["work"])
      .compile({ checkpointer });
  };

  it("LangGraph gives it to all of them", async () => {
    const app = fan(async (id) => interrupt(`${id}?`));
    await app.invoke({}, on("t"));
    expect((await app.invoke(new Command({ resume: "YES" }), on("t"))).log).toEqual(["YES", "YES"]);
  });

  it("waits take nothing from it", async () => {
    const checkpointer = saver(new StillClock());
    const app = fan(async (id) => (id === "a" ? sleepUntil("2030-01-01") : waitForEvent("paid")), checkpointer);
    await app.invoke({}, on("t"));
    await app.invoke(new Command({ resume: "YES" }), on("t"));
    expect(await pendingWaits(ledgerOf(checkpointer))).toMatchObject([
      { kind: "sleep", due: false },
      { kind: "event", due: false },
    ]);
  });
});

describe("E12: an answer by an id that is stale", () => {
  const event = (name: string) => ({ threadId: "t", name, id: "1" });
  const waiting = async () => {
    const checkpointer = saver();
    const app = chain(checkpointer, {
      node: async () => ({ log: [(await waitForEvent("first")).type, (await waitForEvent("second")).type] }),
    });
    await app.invoke({}, on("t"));
    const { pending, waits } = await resume(app as never, on("t"));
    await deliverEvent(ledgerOf(checkpointer), event("first"), { app });
    return { app, id: pending[0]!.interruptId, waitId: waits[0]!.id };
  };

  it("LangGraph gives it to the question that the task asks now, when it is the id of its first one", async () => {
    const app = chain(saver(), { node: async () => ({ log: [interrupt("first?"), interrupt("second?")] }) });
    await app.invoke({}, on("t"));
    const { tasks } = await app.getState(on("t"));
    const stale = answer({ [tasks[0]!.interrupts[0]!.id!]: "one" });
    await app.invoke(stale, on("t"));
    expect((await app.invoke(stale, on("t"))).log).toEqual(["one", "one"]);
  });

  it("resume() refuses it, and the wait of the moment is left alone", async () => {
    const { app, id, waitId } = await waiting();
    for (const stale of [id, waitId]) {
      await expect(resume(app as never, on("t"), { [stale]: { payload: 1 } })).rejects.toMatchObject({
        code: "UNKNOWN_QUESTION",
      });
    }
    expect((await resume(app as never, on("t"))).waits).toMatchObject([{ name: "second" }]);
  });
});

describe("E13: the state is changed between question and answer", () => {
  const State = Annotation.Root({ ...Log.spec, amount: Annotation<number> });
  const change = new Command({ resume: "yes", update: { amount: 1_000_000 } });

  it("LangGraph does with the answer what the state says by then", async () => {
    const app = new StateGraph(State)
      .addNode("pay", async ({ amount }) => ({ log: [interrupt(`pay ${amount}?`), amount] }))
      .addEdge(START, "pay")
      .compile({ checkpointer: saver() });
    await app.invoke({ amount: 5 }, on("t"));
    expect((await app.invoke(change as never, on("t"))).log).toEqual(["yes", 1_000_000]);
  });

  it("a memo of it is an error, and what was deferred with it is not carried out", async () => {
    const { send, outside } = deferring();
    const app = new StateGraph(State)
      .addNode(
        "pay",
        safeNode(async ({ amount }: typeof State.State, config, { defer }) => {
          const quote = await memo("quote", { amount }, (args) => `pay ${args.amount}`, config);
          const said = interrupt<string, string>(`${quote}?`);
          defer(send, { id: quote });
          return { log: [said] };
        }),
      )
      .addEdge(START, "pay")
      .compile({ checkpointer: saver() });
    await app.invoke({ amount: 5 }, on("t"));
    await expect(app.invoke(change as never, on("t"))).rejects.toMatchObject({ code: "MEMO_CONFLICT" });
    expect(outside.calls).toEqual([]);
  });
});

describe("E14: two runs that go on with one thread at the same time", () => {
  const together = async (node: () => Promise<object>) => {
    const app = chain(new MemorySaver(), { ask: async () => ({ log: [interrupt("go on?")] }), node });
    await app.invoke({}, on("t"));
    return Promise.all([app.invoke(answer("yes"), on("t")), app.invoke(answer("yes"), on("t"))]);
  };

  it("LangGraph lets both run, and act", async () => {
    const { state, take } = counter();
    const results = await together(async () => (await turn(), { log: [take()] }));
    expect(state.calls).toBe(2);
    expect(results.map(({ log }) => log[1])).toEqual([1, 2]);
  });

  it("what a node deferred is carried out once", async () => {
    setLedger(memoryLedger());
    const { send, outside } = deferring();
    const node = safeNode<StateOf, object>(async (_, _config, { defer }) => {
      await turn();
      defer(send, { id: "1" });
      return {};
    });
    const checkpointer = new MemorySaver();
    const app = chain(checkpointer, { ask: async () => ({ log: [interrupt("go on?")] }), node });
    await app.invoke({}, on("t"));
    await Promise.allSettled([app.invoke(answer("yes"), on("t")), app.invoke(answer("yes"), on("t"))]);
    expect(outside.counts).toEqual({ "1": 1 });
  });
});

describe("E16: invoke(null) on a thread that waits", () => {
  it("LangGraph runs the node again", async () => {
    const { state, take } = counter();
    const app = chain(saver(), { node: async () => ({ log: [take(), interrupt("go on?")] }) });
    await app.invoke({}, on("t"));
    await app.invoke(null, on("t"));
    expect(state.calls).toBe(2);
  });

  it("a wait asks the same again, once", async () => {
    const checkpointer = saver(new StillClock());
    const app = chain(checkpointer, { node: async () => (await sleepUntil("2030-01-01"), {}) });
    const first = asked(await app.invoke({}, on("t")));
    expect(asked(await app.invoke(null, on("t")))).toEqual(first);
    expect(await pendingWaits(ledgerOf(checkpointer))).toHaveLength(1);
  });
});

describe("E17: a branch that fails beside one that works", () => {
  const branches = async (ok: Parameters<typeof safeNode<typeof Log.State, object>>[0]) => {
    const fail = failing(1);
    const app = new StateGraph(Log)
      .addNode("ok", safeNode(ok))
      .addNode("bad", async () => {
        fail();
        return { log: ["bad"] };
      })
      .addEdge(START, "ok")
      .addEdge(START, "bad")
      .compile({ checkpointer: saver() });
    await app.invoke({}, on("t")).catch(() => undefined);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    return app.invoke(null, on("t"));
  };

  it("LangGraph forgets what the other one did, and does it again", async () => {
    const { state, take } = counter();
    await branches(async () => {
      await turn();
      await turn();
      return { log: [take()] };
    });
    expect(state.calls).toBe(2);
  });

  it("a memo is taken once, and what was deferred is carried out once", async () => {
    const { state, take } = counter();
    const { send, outside } = deferring();
    const { log } = await branches(async (_, config, { defer }) => {
      const value = await memo("n", null, async () => (await turn(), take()), config);
      defer(send, { id: "1" });
      return { log: [value] };
    });
    expect(log).toContain(1);
    expect(state.calls).toBe(1);
    expect(outside.counts).toEqual({ "1": 1 });
  });
});

describe("E18: an attempt that outlives its timeout", () => {
  const timed = { ...retried, timeout: { runTimeout: 40 } } as never;

  it("LangGraph starts the next one, and the old one acts all the same", async () => {
    const { state, take } = counter();
    const gates: (() => void)[] = [];
    const app = chain(
      saver(),
      {
        node: async () => {
          if (gates.length === 0) await new Promise<void>((resolve) => gates.push(resolve));
          return { log: [take()] };
        },
      },
      timed,
    );
    await app.invoke({}, on("t"));
    gates[0]!();
    await turn();
    expect(state.calls).toBe(2);
  });

  it("of two attempts that take a memo, both get the value that was recorded first", async () => {
    const values: unknown[] = [];
    const gates: (() => void)[] = [];
    const ended: Promise<unknown>[] = [];
    const app = chain(
      saver(),
      {
        node: async () => {
          const attempt = ended.length + 1;
          const value = memo("n", null, async () => {
            if (attempt === 1) await new Promise<void>((resolve) => gates.push(resolve));
            return attempt;
          });
          ended.push(value.then((got) => values.push(got)));
          return { log: [await value] };
        },
      },
      timed,
    );
    expect((await app.invoke({}, on("t"))).log).toEqual([2]);
    gates[0]!();
    await Promise.all(ended);
    expect(values).toEqual([2, 2]);
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

describe("E22: an interrupt that is swallowed", () => {
  const swallowing = () => {
    try {
      interrupt("sure?");
    } catch {
      // The mistake.
    }
    return { log: ["went on"] };
  };

  it("LangGraph lets the node return, and nobody is asked", async () => {
    const { log, __interrupt__ } = await chain(saver(), { node: async () => swallowing() }).invoke({}, on("t"));
    expect([log, __interrupt__]).toEqual([["went on"], undefined]);
  });

  it("safeNode makes an error of it, and carries out nothing", async () => {
    const { send, outside } = deferring();
    const node = safeNode<StateOf, object>((_, _config, { defer }) => (defer(send, { id: "1" }), swallowing()));
    await expect(chain(saver(), { node }).invoke({}, on("t"))).rejects.toMatchObject({ code: "INTERRUPT_SWALLOWED" });
    expect(outside.calls).toEqual([]);
  });
});

describe("E23: a finished thread", () => {
  it("LangGraph takes an answer to it without a word", async () => {
    const app = chain(saver(), { node: async () => ({ log: ["done"] }) });
    await app.invoke({}, on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["done"]);
  });

  it("an event for it wakes nothing, and says that it is kept", async () => {
    const checkpointer = saver();
    const app = chain(checkpointer, { node: async () => ({ log: ["done"] }) });
    await app.invoke({}, on("t"));
    const event = { threadId: "t", name: "paid", id: "1" };
    const delivered = await deliverEvent(ledgerOf(checkpointer), event, { app });
    expect(delivered).toMatchObject({ applied: true, woken: false, message: expect.stringMatching(/kept/) as unknown });
    expect(delivered).not.toHaveProperty("waitId");
  });
});
