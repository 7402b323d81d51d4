/**
 * How LangGraph behaves, measured, and what memos, waits and deferred effects make of it. The first test of each pair pins
 * the behaviour: when it fails after an upgrade, LangGraph has changed, and what is built on it has to be looked at.
 */
import { Annotation, Command, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { memo } from "../../../src/nodes/memo.js";
import { safeNode } from "../../../src/nodes/safe-node.js";
import { answer, chain, on, saver, type StateOf } from "../effect/support.js";
import { counter, deferring, failing, Log, retried, turn } from "./support.js";

afterEach(() => setLedger(undefined));

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
