import { AIMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  MemorySaver,
  Send,
  START,
  StateGraph,
  entrypoint,
  interrupt,
  task,
} from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { ledgerOf, memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { memo, now, random, uuid } from "../../../src/nodes/memo.js";
import { SlimSaver } from "../../../src/checkpointer/slim-saver.js";
import { answer, asked, chain, on, saver, StillClock, type Chain } from "../effect/support.js";
import { codeOf, counter, messageOf, retried, turn } from "./support.js";

afterEach(() => setLedger(undefined));

describe("a memo returns the value that its visit took first", () => {
  it("after each of several interrupts", async () => {
    const { take, seen } = counter();
    const values: unknown[] = [];
    const app = chain(saver(), {
      node: async (_, config) => {
        const value = await memo("number", { a: 1 }, take, config);
        values.push(value);
        return { log: [value, interrupt("one?"), interrupt("two?")] };
      },
    });
    await app.invoke({}, on("t"));
    await app.invoke(answer("x"), on("t"));
    expect((await app.invoke(answer("y"), on("t"))).log).toEqual([1, "x", "y"]);
    expect(values).toEqual([1, 1, 1]);
    expect(seen).toEqual([{ a: 1 }]);
  });

  it("after the attempts of a retryPolicy, and after an error that ended the run", async () => {
    const { take, seen } = counter();
    let failures = 0;
    const app = chain(
      saver(),
      {
        node: async () => {
          const value = await memo("number", null, take);
          failures += 1;
          if (failures < 5) throw new Error("flaky");
          return { log: [value] };
        },
      },
      retried,
    );
    await expect(app.invoke({}, on("t"))).rejects.toThrow("flaky");
    expect((await app.invoke(null, on("t"))).log).toEqual([1]);
    expect(failures).toBe(5);
    expect(seen).toHaveLength(1);
  });

  it("beside MemorySaver, and without a checkpointer for as long as the process retries", async () => {
    setLedger(memoryLedger());
    for (const checkpointer of [new MemorySaver(), undefined]) {
      const { take } = counter();
      let failures = 0;
      const node = async () => {
        const value = await memo("number", null, take);
        failures += 1;
        if (failures < 3) throw new Error("flaky");
        return { log: [value] };
      };
      const app = chain(checkpointer, { node }, retried);
      expect((await app.invoke({}, on("t"))).log).toEqual([1]);
    }
  });

  it("by name, whatever the order in which concurrent memos start", async () => {
    let flip = false;
    const app = chain(saver(), {
      node: async () => {
        flip = !flip;
        const names = flip ? ["ann", "bob"] : ["bob", "ann"];
        const pairs = await Promise.all(
          names.map(async (name) => [name, await memo(`charge:${name}`, null, () => `${name} ${flip}`)] as const),
        );
        return { log: [Object.fromEntries(pairs), interrupt("go on?")] };
      },
    });
    await app.invoke({}, on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([{ ann: "ann true", bob: "bob true" }, "yes"]);
  });

  it("also when the code has come to take another one before it", async () => {
    const { take } = counter();
    let deployed = false;
    const app = chain(saver(), {
      node: async () => {
        const early = deployed ? await memo("early", null, take) : undefined;
        const late = await memo("late", null, take);
        return { log: [early, late, interrupt("go on?")] };
      },
    });
    await app.invoke({}, on("t"));
    deployed = true;
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([2, 1, "yes"]);
  });

  it("in a node, a functional task, a subgraph, and each branch of a fan-out its own", async () => {
    const { take } = counter();
    const name = async () => memo("number", null, take);
    const inner = new StateGraph(
      Annotation.Root({ log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }) }),
    )
      .addNode("work", async () => ({ log: [await name(), interrupt("inner?")] }))
      .addEdge(START, "work")
      .compile();
    const Fan = Annotation.Root({
      log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
      id: Annotation<number>,
    });
    const app = new StateGraph(Fan)
      .addNode("branch", async ({ id }) => ({ log: [[id, await name()]] }))
      .addNode("inner", inner)
      .addConditionalEdges(START, () => [1, 2].map((id) => new Send("branch", { id })), ["branch"])
      .addEdge("branch", "inner")
      .compile({ checkpointer: saver() });
    await app.invoke({}, on("t"));
    const { log } = await app.invoke(new Command({ resume: "yes" }) as never, on("t"));
    expect(log.slice(0, 2)).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(log.slice(-2)).toEqual([3, "yes"]);

    const step = task("step", async () => name());
    const flow = entrypoint({ name: "flow", checkpointer: saver() }, async () => {
      const outside = await name();
      const within = await step();
      return [outside, within, interrupt<string, string>("go on?")];
    });
    await flow.invoke({}, on("f"));
    expect(await flow.invoke(new Command({ resume: "yes" }) as never, on("f"))).toEqual([4, 5, "yes"]);
  });
});

describe("a new visit takes a new value", () => {
  it("in a loop and for a new input", async () => {
    const { take } = counter();
    const app = chain(saver(), { one: async () => ({ log: [await memo("n", null, take)] }) });
    expect((await app.invoke({}, on("t"))).log).toEqual([1]);
    expect((await app.invoke({}, on("t"))).log).toEqual([1, 2]);

    const Count = Annotation.Root({
      log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
    });
    const loop = new StateGraph(Count)
      .addNode("turn", async () => ({ log: [await memo("n", null, take)] }))
      .addEdge(START, "turn")
      .addConditionalEdges("turn", ({ log }) => (log.length < 3 ? "turn" : "__end__"))
      .compile({ checkpointer: saver() });
    expect((await loop.invoke({}, on("t"))).log).toEqual([3, 4, 5]);
  });

  it("in a replay of an old checkpoint and in a fork of one", async () => {
    const { take } = counter();
    const app = chain(saver(), { one: async () => ({ log: [await memo("n", null, take)] }) }) as Chain & {
      getStateHistory(config: object): AsyncIterable<{ next: readonly string[]; config: object }>;
      updateState(config: object, values: object, asNode?: string): Promise<object>;
    };
    await app.invoke({}, on("t"));
    const states = [];
    for await (const state of app.getStateHistory(on("t"))) states.push(state);
    const before = states.find(({ next }) => next.includes("one"))!;
    expect((await app.invoke(null, before.config)).log).toEqual([2]);
    const fork = await app.updateState(before.config, { log: ["forked"] }, "__start__");
    expect((await app.invoke(null, fork)).log).toEqual(["forked", 3]);
  });

  it("on another thread, for another tenant, and when the thread was deleted and begins anew", async () => {
    const database = SlimSaver.fromConnString(":memory:");
    const { take, seen } = counter();
    const app = chain(database, { one: async () => ({ log: [await memo("n", null, take)] }) });
    await app.invoke({}, on("a"));
    await app.invoke({}, on("b"));
    const { store } = ledgerOf(database);
    const threads = () =>
      store.database.all<{ thread_id: string }>("SELECT thread_id FROM waypoint_memos").map((row) => row.thread_id);
    expect(threads()).toEqual(["a", "b"]);
    await database.deleteThread("a");
    expect(threads()).toEqual(["b"]);
    expect((await app.invoke({}, on("a"))).log).toEqual([3]);
    expect(seen).toHaveLength(3);
  });
});

describe("the same name with other arguments in one visit", () => {
  it("is an error that names both, and never the old value", async () => {
    const { take, seen } = counter();
    let item = "pen";
    const app = chain(saver(), {
      node: async () => ({ log: [await memo("price", { item }, take), interrupt("go on?")] }),
    });
    await app.invoke({}, on("t"));
    item = "car";
    const failed = app.invoke(answer("yes"), on("t"));
    await expect(failed).rejects.toMatchObject({ code: "MEMO_CONFLICT", details: { threadId: "t", name: "price" } });
    await expect(failed).rejects.toThrow(/\{"item":"pen"\} before, \{"item":"car"\} now/);
    item = "pen";
    expect((await app.invoke(null, on("t"))).log).toEqual([1, "yes"]);
    expect(seen).toEqual([{ item: "pen" }]);
  });

  it("is found while the first one is still being taken", async () => {
    const app = chain(saver(), {
      node: async () => {
        const slow = memo("price", { item: "pen" }, async () => (await turn(), 1));
        const other = await memo("price", { item: "car" }, () => 2).catch(codeOf);
        return { log: [await slow, other] };
      },
    });
    expect((await app.invoke({}, on("t"))).log).toEqual([1, "MEMO_CONFLICT"]);
  });

  it("is told by the data: the order of keys makes no difference", async () => {
    const { take, seen } = counter();
    const app = chain(saver(), {
      node: async () => ({ log: [await memo("n", { a: 1, b: 2 }, take), await memo("n", { b: 2, a: 1 }, take)] }),
    });
    expect((await app.invoke({}, on("t"))).log).toEqual([1, 1]);
    expect(seen).toHaveLength(1);
  });
});

describe("what is recorded", () => {
  it.each([
    ["a Date", new Date(5)],
    ["a Map in a Set", new Set([new Map([["a", 1n]])])],
    ["undefined", undefined],
    ["NaN and −0", [Number.NaN, -0]],
    ["bytes", new Uint8Array([1, 2])],
    ["a message", new AIMessage({ content: "hi", id: "m" })],
  ])("comes back as it was: %s", async (_, value) => {
    const results: unknown[] = [];
    const app = chain(saver(), {
      node: async () => {
        results.push(await memo("value", null, () => value));
        return { log: [interrupt("go on?")] };
      },
    });
    await app.invoke({}, on("t"));
    await app.invoke(answer("yes"), on("t"));
    expect(results).toEqual([value, value]);
  });

  it("is the same for all who called at once, called once, and is nobody's to change for the others", async () => {
    const { take, seen } = counter();
    const app = chain(saver(), {
      node: async () => {
        const both = await Promise.all(
          [1, 2].map(() => memo("list", null, async (args) => (await turn(), [take(args)]))),
        );
        both[0]!.push(99);
        return { log: [both[1], await memo("list", null, () => [7])] };
      },
    });
    expect((await app.invoke({}, on("t"))).log).toEqual([[1], [1]]);
    expect(seen).toHaveLength(1);
  });

  it("is not an error: the next call takes the value anew", async () => {
    let calls = 0;
    const flaky = () => {
      calls += 1;
      if (calls < 3) throw new Error("no answer");
      return calls;
    };
    const app = chain(saver(), {
      node: async () => {
        const failures = await Promise.all([1, 2].map(() => memo("n", null, flaky).catch(messageOf)));
        const again = await memo("n", null, flaky).catch(messageOf);
        return { log: [failures, again, await memo("n", null, flaky)] };
      },
    });
    expect((await app.invoke({}, on("t"))).log).toEqual([["no answer", "no answer"], "no answer", 3]);
    expect(calls).toBe(3);
  });

  it("is nothing where the value cannot be stored", async () => {
    const checkpointer = saver();
    const app = chain(checkpointer, { node: async () => ({ log: [await memo("socket", null, () => () => 1)] }) });
    await expect(app.invoke({}, on("t"))).rejects.toMatchObject({
      code: "UNSTORABLE_VALUE",
      message: expect.stringContaining('memo "socket"') as unknown,
    });
    expect(ledgerOf(checkpointer).store.database.all("SELECT * FROM waypoint_memos")).toEqual([]);
  });

  it("is the value of whoever was first, where two runs of one visit take it at the same time", async () => {
    const checkpointer = SlimSaver.fromConnString(":memory:", { concurrency: "off" });
    const gates: (() => void)[] = [];
    const app = chain(checkpointer, {
      ask: async () => ({ log: [interrupt("go on?")] }),
      node: async () => ({
        log: [await memo("n", null, () => new Promise((done) => gates.push(() => done(gates.length))))],
      }),
    });
    await app.invoke({}, on("t"));
    const stopped = chain(checkpointer, {
      ask: async () => ({ log: ["yes"] }),
      node: async () => Promise.reject(new Error("stop here")),
    });
    await stopped.invoke(answer("yes"), on("t")).catch(() => undefined);
    const runs = [app.invoke(null, on("t")), app.invoke(null, on("t"))];
    while (gates.length < 2) await turn();
    gates.push(() => undefined);
    gates[1]!();
    const second = await runs[1];
    gates[0]!();
    expect((await runs[0])!.log).toEqual(second!.log);
  });
});

describe("inside a memo", () => {
  it("another memo is recorded for itself, so that a failure after it does not take it anew", async () => {
    const { take, seen } = counter();
    let failures = 0;
    const app = chain(
      saver(),
      {
        node: async () => ({
          log: [
            await memo("outer", null, async () => {
              const inner = await memo("inner", null, take);
              failures += 1;
              if (failures < 3) throw new Error("flaky");
              return ["outer", inner, await uuid()].length;
            }),
          ],
        }),
      },
      retried,
    );
    expect((await app.invoke({}, on("t"))).log).toEqual([3]);
    expect(seen).toHaveLength(1);
  });

  it("a graph that is handed the node's config would move the places of the graphs after it, and is refused", async () => {
    const agent = chain(undefined, { say: async () => ({ log: ["said"] }) });
    const checkpointer = saver();
    const app = chain(checkpointer, {
      node: async (_, config) => {
        const before = await agent.invoke({}, config);
        const code = await memo("research", null, async () => agent.invoke({}, config)).catch(codeOf);
        return { log: [before.log, code, (await agent.invoke({}, config)).log] };
      },
    });
    expect((await app.invoke({}, on("t"))).log).toEqual([["said"], "MEMO_USE", ["said"]]);
  });

  it("a graph is one of its own: it moves nothing in the thread, and the graphs after it keep their places", async () => {
    const agent = chain(undefined, { say: async () => ({ log: ["said"] }) });
    const ran: string[] = [];
    const asking = chain(undefined, {
      ask: async () => {
        ran.push("asked");
        return { log: [interrupt("inner?")] };
      },
    });
    const app = chain(saver(), {
      node: async () => {
        const { log } = await memo("research", null, async () => agent.invoke({}, {}));
        const inner = await asking.invoke({}, {});
        return { log: [...log, ...inner.log] };
      },
    });
    expect(asked(await app.invoke({}, on("t")))).toBe("inner?");
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["said", "yes"]);
    expect(ran).toHaveLength(2);
  });
});

describe("now, random and uuid", () => {
  it("return on every re-run what they returned first; the time is the ledger's", async () => {
    const clock = new StillClock();
    const seen: unknown[] = [];
    const app = chain(saver(clock), {
      node: async () => {
        seen.push([await now(), await random(), await uuid(), await uuid("second")]);
        return { log: [interrupt("go on?")] };
      },
    });
    await app.invoke({}, on("t"));
    clock.time += 60_000;
    await app.invoke(answer("yes"), on("t"));
    expect(seen[1]).toEqual(seen[0]);
    const [time, number, id, second] = seen[0] as [Date, number, string, string];
    expect(time).toEqual(new Date("2026-01-01T00:00:00.000Z"));
    expect(number >= 0 && number < 1).toBe(true);
    expect(new Set([id, second]).size).toBe(2);
    expect(id).toMatch(/^[0-9a-f]{8}-/);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["now", now],
    ["random", random],
    ["uuid", uuid],
  ])("a second unnamed %s() of one visit asks for a name", async (kind, take) => {
    const app = chain(saver(), { node: async () => ({ log: await Promise.all([take(), take()]) }) });
    const failed = app.invoke({}, on("t"));
    await expect(failed).rejects.toMatchObject({ code: "MEMO_USE" });
    await expect(failed).rejects.toThrow(`${kind}("what it is for")`);
  });

  it("the same name is the same value; a memo of that name is another one", async () => {
    const app = chain(saver(), {
      node: async () => {
        const ids = [await uuid("order"), await uuid("order"), await memo("order", null, () => "mine")];
        return { log: [new Set(ids).size, ids[2]] };
      },
    });
    expect((await app.invoke({}, on("t"))).log).toEqual([2, "mine"]);
  });
});

describe("outside a graph", () => {
  it("each call takes a value, and nothing needs a ledger", async () => {
    const { take } = counter();
    expect([await memo("n", { a: 1 }, take), await memo("n", { a: 2 }, take)]).toEqual([1, 2]);
    expect(await uuid()).not.toBe(await uuid());
    expect(Math.abs((await now()).getTime() - Date.now())).toBeLessThan(5000);
    expect(await random()).toBeLessThan(1);
    await expect(memo("n", null, () => () => 1)).rejects.toMatchObject({ code: "UNSTORABLE_VALUE" });
  });
});
