import { Annotation, interrupt, isGraphInterrupt, MemorySaver, Send, START, StateGraph } from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { effect, type Effect } from "../../../src/nodes/effect.js";
import { ledgerOf, memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { absent, succeeded, unknown } from "../../../src/nodes/outcome.js";
import { WaypointError } from "../../../src/shared/errors.js";
import { resolve } from "../../../src/nodes/resolve.js";
import {
  again,
  answer,
  asked,
  attemptsOf,
  chain,
  fresh,
  happened,
  notHappened,
  on,
  Outside,
  reset,
  rowOf,
  saver,
} from "./support.js";

afterEach(() => setLedger(undefined));

interface Lost {
  readonly pay: Effect<{ id: string }, unknown>;
  readonly outside: Outside;
  readonly name: string;
}

/** An effect whose answer is lost the first `times` times that each key is called. */
function losing(times = 1, extra: object = {}): Lost {
  const outside = new Outside();
  const name = fresh("lossy");
  const pay = effect<{ id: string }, unknown>({
    name,
    key: ({ id }) => id,
    run: async (args, context) => {
      const receipt = outside.call(args, context);
      if ((outside.counts[context.key] ?? 0) <= times) throw reset();
      return receipt;
    },
    ...extra,
  });
  return { pay, outside, name };
}

/** The only effect that is asked about. */
function onlyId(result: Parameters<typeof asked>[0]): string {
  const effects = asked(result)?.effects ?? [];
  expect(effects).toHaveLength(1);
  return effects[0]!.effectId;
}

describe("answers reach the question they were given to", () => {
  it("user question, unknown effect, user question", async () => {
    const { pay, outside } = losing();
    const app = chain(saver(), {
      node: async () => {
        const first: unknown = interrupt("first?");
        const paid = await pay({ id: "o" });
        const second: unknown = interrupt("second?");
        return { log: [first, paid, second] };
      },
    });
    expect(asked(await app.invoke({}, on("t")))).toBe("first?");
    const unknownEffect = await app.invoke(answer("one"), on("t"));
    expect(asked(unknownEffect)).toMatchObject({
      type: "waypoint.unknown_effect",
      effects: [{ key: "o", attempts: 1 }],
    });
    expect(asked(await app.invoke(answer(happened("receipt")), on("t")))).toBe("second?");
    expect((await app.invoke(answer("two"), on("t"))).log).toEqual(["one", "receipt", "two"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("an effect that is asked about twice spends two slots on every later pass", async () => {
    const { pay, outside } = losing(2);
    const app = chain(saver(), {
      node: async () => {
        const paid = await pay({ id: "o" });
        const said: unknown = interrupt("said?");
        const more: unknown = interrupt("more?");
        return { log: [paid, said, more] };
      },
    });
    onlyId(await app.invoke({}, on("t")));
    onlyId(await app.invoke(answer(again), on("t")));
    expect(outside.calls).toHaveLength(2);
    expect(asked(await app.invoke(answer(happened("receipt")), on("t")))).toBe("said?");
    expect(asked(await app.invoke(answer("a"), on("t")))).toBe("more?");
    expect((await app.invoke(answer("b"), on("t"))).log).toEqual(["receipt", "a", "b"]);
    expect(outside.calls).toHaveLength(2);
  });

  it("two calls of one effect with a user question between them", async () => {
    const { pay } = losing();
    const app = chain(saver(), {
      node: async () => {
        const one = await pay({ id: "1" });
        const said: unknown = interrupt("said?");
        const two = await pay({ id: "2" });
        return { log: [one, said, two, await pay({ id: "1" })] };
      },
    });
    await app.invoke({}, on("t"));
    expect(asked(await app.invoke(answer(happened("r1")), on("t")))).toBe("said?");
    expect(onlyId(await app.invoke(answer("yes"), on("t")))).toMatch(/^eff_/);
    expect((await app.invoke(answer(happened("r2")), on("t"))).log).toEqual(["r1", "yes", "r2", "r1"]);
  });

  it("a matter that was settled elsewhere spends its slot all the same", async () => {
    const checkpointer = saver();
    const { pay, outside } = losing();
    const app = chain(checkpointer, {
      node: async () => ({ log: [await pay({ id: "o" }), interrupt("next?"), interrupt("last?")] }),
    });
    const id = onlyId(await app.invoke({}, on("t")));
    await resolve(ledgerOf(checkpointer), id, { as: "succeeded", by: "ada", evidence: "seen", result: "from outside" });
    // Without an answer the slot cannot be spent; the question says that any will do.
    expect(asked(await app.invoke(null, on("t")))?.effects[0]).toMatchObject({ settled: "SUCCEEDED" });
    expect(asked(await app.invoke(answer("never mind"), on("t")))).toBe("next?");
    expect(asked(await app.invoke(answer("a"), on("t")))).toBe("last?");
    expect((await app.invoke(answer("b"), on("t"))).log).toEqual(["from outside", "a", "b"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("a node retry after the answer starts the pass anew and asks nothing twice", async () => {
    const { pay, outside } = losing();
    let attempts = 0;
    const node = async () => {
      const paid = await pay({ id: "o" });
      attempts += 1;
      if (attempts < 3) throw new Error("flaky");
      return { log: [paid, interrupt("said?")] };
    };
    const app = chain(
      saver(),
      { node },
      { retryPolicy: { maxAttempts: 4, initialInterval: 1, jitter: false, logWarning: false } },
    );
    onlyId(await app.invoke({}, on("t")));
    expect(asked(await app.invoke(answer(happened("r")), on("t")))).toBe("said?");
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["r", "yes"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("an answer that was given before the question was shown counts for nothing, and no answer goes astray", async () => {
    let show = true;
    const { pay, outside } = losing();
    const app = chain(saver(), {
      // The user's code asks another question than before: LangGraph gives its answer to whatever asks next.
      node: async () => {
        if (show) {
          show = false;
          interrupt("approve the wire?");
        }
        return { log: [await pay({ id: "o" })] };
      },
    });
    expect(asked(await app.invoke({}, on("t")))).toBe("approve the wire?");
    const next = await app.invoke(answer(happened("not what was meant")), on("t"));
    expect(asked(next)).toMatchObject({ effects: [{ key: "o", attempts: 1 }] });
    expect((await app.invoke(answer(happened("meant")), on("t"))).log).toEqual(["meant"]);
    expect(outside.calls).toHaveLength(1);
  });
});

describe("concurrent effects", () => {
  it("two unknown effects in Promise.all become one question, each with its own answer", async () => {
    const { pay, outside } = losing();
    const app = chain(saver(), {
      node: async () => {
        const log = await Promise.all(["a", "b"].map((id) => pay({ id })));
        return { log: [...log, interrupt("said?")] };
      },
    });
    const question = asked(await app.invoke({}, on("t")));
    expect(question?.effects.map(({ key }) => key).sort()).toEqual(["a", "b"]);
    const answers = Object.fromEntries(question!.effects.map(({ effectId, key }) => [effectId, happened(`r-${key}`)]));
    expect(asked(await app.invoke(answer(answers), on("t")))).toBe("said?");
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["r-a", "r-b", "yes"]);
    expect(outside.calls).toHaveLength(2);
  });

  it("one bare answer to two matters settles neither, and says why; what was answered is not asked again", async () => {
    const { pay, outside } = losing();
    const app = chain(saver(), { node: async () => ({ log: await Promise.all(["a", "b"].map((id) => pay({ id }))) }) });
    await app.invoke({}, on("t"));
    const both = asked(await app.invoke(answer(happened("x")), on("t")))!.effects;
    expect(both.map(({ problem }) => problem)).toEqual([
      expect.stringMatching(/by its id/),
      expect.stringMatching(/by its id/),
    ]);
    const [one, other] = both;
    const left = asked(await app.invoke(answer({ [one!.effectId]: happened(one!.key) }), on("t")))!.effects;
    expect(left).toMatchObject([
      { effectId: other!.effectId, problem: expect.stringMatching(/did not mention/) as string },
    ]);
    const { log } = await app.invoke(answer(happened(other!.key)), on("t"));
    expect(log).toEqual(["a", "b"]);
    expect(outside.calls).toHaveLength(2);
  });

  it("a question waits until the others have ended, so that nothing is broken off", async () => {
    const { pay } = losing();
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const slow = effect<{ id: string }, string>({
      name: fresh("slow"),
      key: ({ id }) => id,
      run: async () => (await gate, "slow"),
    });
    const checkpointer = saver();
    const app = chain(checkpointer, {
      node: async () => ({ log: await Promise.all([pay({ id: "o" }), slow({ id: "s" })]) }),
    });
    let asking = false;
    const run = app.invoke({}, on("t")).then((result) => ((asking = true), result));
    while (rowOfOrNone(checkpointer, slow)?.state !== "STARTED") await turn();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(asking).toBe(false);
    finish();
    onlyId(await run);
    expect(rowOf(ledgerOf(checkpointer), slow.definition.name, "s").state).toBe("SUCCEEDED");
  });

  it("the order in which concurrent calls start may change from pass to pass", async () => {
    const { pay, outside } = losing();
    let flip = false;
    const app = chain(saver(), {
      node: async () => {
        flip = !flip;
        const order = flip ? ["a", "b"] : ["b", "a"];
        const paid = await Promise.all(order.map(async (id) => [id, await pay({ id })] as const));
        return { log: [Object.fromEntries(paid), interrupt("said?")] };
      },
    });
    const { effects } = asked(await app.invoke({}, on("t")))!;
    const answers = Object.fromEntries(effects.map(({ effectId, key }) => [effectId, happened(`r-${key}`)]));
    await app.invoke(answer(answers), on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([{ a: "r-a", b: "r-b" }, "yes"]);
    expect(outside.calls).toHaveLength(2);
  });

  it("chains in Promise.all that ask at different depths do not exchange answers", async () => {
    const { pay, outside } = losing();
    const app = chain(saver(), {
      node: async () => {
        const deep = async () => [await pay({ id: "a1" }), await pay({ id: "a2" })];
        const log = await Promise.all([deep(), pay({ id: "b" })]);
        return { log: [log.flat(), interrupt("said?")] };
      },
    });
    let result = await app.invoke({}, on("t"));
    for (let passes = 0; asked(result)?.effects !== undefined && passes < 5; passes += 1) {
      const answers = asked(result)!.effects.map(({ effectId, key }) => [effectId, happened(`r-${key}`)] as const);
      result = await app.invoke(answer(Object.fromEntries(answers)), on("t"));
    }
    expect(asked(result)).toBe("said?");
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([["r-a1", "r-a2", "r-b"], "yes"]);
    expect(outside.counts).toEqual({ a1: 1, a2: 1, b: 1 });
  });

  it("after the interrupt, what is left of the attempt starts nothing and asks nothing", async () => {
    const { pay, outside } = losing();
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const zombies: Promise<unknown>[] = [];
    const app = chain(saver(), {
      node: async () => {
        zombies.push(gate.then(() => pay({ id: "late" })).catch((error: unknown) => error));
        return { log: [await pay({ id: "o" })] };
      },
    });
    onlyId(await app.invoke({}, on("t")));
    go();
    expect(isGraphInterrupt(await zombies[0])).toBe(true);
    expect(outside.counts).toEqual({ o: 1 });
  });

  it("parallel tasks ask for themselves", async () => {
    const { pay, outside } = losing();
    const Fan = Annotation.Root({
      log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
      id: Annotation<string>,
    });
    const app = new StateGraph(Fan)
      .addNode("work", async ({ id }) => ({ log: [await pay({ id })] }))
      .addConditionalEdges(START, () => ["a", "b"].map((id) => new Send("work", { id })), ["work"])
      .compile({ checkpointer: saver() });
    const first = (await app.invoke({}, on("t"))) as never as {
      __interrupt__: { id: string; value: { effects: { key: string }[] } }[];
    };
    expect(first.__interrupt__).toHaveLength(2);
    const byId = Object.fromEntries(
      first.__interrupt__.map(({ id, value }) => [id, happened(`r-${value.effects[0]!.key}`)]),
    );
    const { log } = await app.invoke(answer(byId) as never, on("t"));
    expect(log.sort()).toEqual(["r-a", "r-b"]);
    expect(outside.calls).toHaveLength(2);
  });
});

describe("an unknown outcome", () => {
  it.each([
    ["text", "yes", /not an object/],
    ["no outcome", { by: "ada", evidence: "x" }, /`as`/],
    ["nobody says so", { as: "succeeded", evidence: "x" }, /`by`/],
    ["no evidence", { as: "succeeded", by: "ada", evidence: " " }, /`evidence`/],
    ["a list", [happened("x")], /not an object/],
    ["another effect's id", { eff_0: happened("x") }, /`as`/],
  ])(
    "an answer of the wrong shape settles nothing, raises nothing, and is asked again: %s",
    async (_, wrong, problem) => {
      const { pay, outside } = losing();
      const app = chain(saver(), { node: async () => ({ log: [await pay({ id: "o" }), interrupt("said?")] }) });
      await app.invoke({}, on("t"));
      expect(asked(await app.invoke(answer(wrong), on("t")))?.effects[0]?.problem).toMatch(problem);
      expect(asked(await app.invoke(answer(happened("r")), on("t")))).toBe("said?");
      expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["r", "yes"]);
      expect(outside.calls).toHaveLength(1);
    },
  );

  it("answered as failed, the visit gets the evidence as its refusal, on every pass", async () => {
    const { pay, outside } = losing();
    const seen: string[] = [];
    const app = chain(saver(), {
      node: async () => {
        await pay({ id: "o" }).catch((error: unknown) => {
          if (!WaypointError.is(error)) throw error;
          seen.push(`${error.code}: ${error.message}`);
        });
        return { log: [interrupt("said?")] };
      },
    });
    await app.invoke({}, on("t"));
    await app.invoke(answer(notHappened), on("t"));
    await app.invoke(answer("yes"), on("t"));
    expect(seen).toEqual(["EFFECT_FAILED: not in the books", "EFFECT_FAILED: not in the books"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("before it is asked again, the lookup is tried once more", async () => {
    let known = false;
    const lookup = async () => (known ? succeeded("found") : unknown("bank is closed"));
    const { pay, outside } = losing(1, { lookup });
    const app = chain(saver(), { node: async () => ({ log: [await pay({ id: "o" })] }) });
    const first = asked(await app.invoke({}, on("t")));
    expect(first?.effects[0]?.evidence.join()).toContain("bank is closed");
    known = true;
    expect((await app.invoke(answer("hm"), on("t"))).log).toEqual(["found"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("a person who says retry is not believed over a lookup that finds it", async () => {
    let known = false;
    const lookup = async () => (known ? succeeded("found") : unknown());
    const { pay, outside } = losing(1, { lookup });
    const app = chain(saver(), { node: async () => ({ log: [await pay({ id: "o" })] }) });
    await app.invoke({}, on("t"));
    known = true;
    expect((await app.invoke(answer(again), on("t"))).log).toEqual(["found"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("an answer is good for the question that it was given to, and not for a later loss", async () => {
    const checkpointer = saver();
    const { pay, outside } = losing(2);
    const app = chain(checkpointer, { node: async () => ({ log: [await pay({ id: "o" })] }) });
    await app.invoke({}, on("t"));
    await app.invoke(answer(again), on("t"));
    // As if the process had died between the second loss and its question.
    ledgerOf(checkpointer).store.database.run("DELETE FROM waypoint_questions WHERE seq = 1");
    onlyId(await app.invoke(null, on("t")));
    expect(outside.calls).toHaveLength(2);
    expect((await app.invoke(answer(happened("r")), on("t"))).log).toEqual(["r"]);
    expect(outside.calls).toHaveLength(2);
  });

  it("a lookup at once spares the question: found is recorded, absent is tried again, under the same key", async () => {
    const found = losing(1, { lookup: async () => succeeded("found") });
    const missing = losing(1, { lookup: async () => absent(), retry: { maxAttempts: 2, initialInterval: 0 } });
    const app = chain(saver(), {
      node: async () => ({ log: [await found.pay({ id: "o" }), await missing.pay({ id: "o" })] }),
    });
    expect((await app.invoke({}, on("t"))).log).toEqual(["found", { receipt: 2 }]);
    expect(found.outside.counts).toEqual({ o: 1 });
    expect(missing.outside.counts).toEqual({ o: 2 });
  });

  it("outside a graph, and in a graph without a checkpointer, it is an error that says how to settle it", async () => {
    const ledger = memoryLedger();
    setLedger(ledger);
    const { pay, outside, name } = losing();
    const app = chain(undefined, { node: async () => ({ log: [await pay({ id: "o" })] }) });
    await expect(app.invoke({}, {})).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME" });
    await expect(pay({ id: "o" })).rejects.toThrow(/resolve\(ledger, "eff_/);
    await resolve(ledger, rowOf(ledger, name, "o").id, { as: "retry", by: "ada", evidence: "not there" });
    expect(await pay({ id: "o" })).toEqual({ receipt: 2 });
    expect(outside.calls).toHaveLength(2);
    expect(attemptsOf(ledger, name, "o").map(({ outcome }) => outcome)).toEqual(["ambiguous", "succeeded"]);
  });

  it("is asked beside MemorySaver as well", async () => {
    setLedger(memoryLedger());
    const { pay, outside } = losing();
    const app = chain(new MemorySaver(), {
      node: async () => ({ log: [interrupt("first?"), await pay({ id: "o" })] }),
    });
    await app.invoke({}, on("t"));
    onlyId(await app.invoke(answer("one"), on("t")));
    expect((await app.invoke(answer(happened("r")), on("t"))).log).toEqual(["one", "r"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("an interrupt() inside run breaks the call off: unknown, and a definition error, but never a refusal", async () => {
    const checkpointer = saver();
    const name = fresh("asks-inside");
    const wrong = effect({ name, key: () => "k", run: async () => interrupt<string, unknown>("inside?") });
    const app = chain(checkpointer, { node: async () => ({ log: [await wrong({})] }) });
    await expect(app.invoke({}, on("t"))).rejects.toMatchObject({ code: "EFFECT_DEFINITION" });
    expect(rowOf(ledgerOf(checkpointer), name, "k").state).toBe("UNKNOWN");
  });
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function rowOfOrNone(
  checkpointer: ReturnType<typeof saver>,
  { definition }: Effect<never, unknown> | Effect<{ id: string }, string>,
) {
  try {
    return rowOf(ledgerOf(checkpointer), definition.name, "s");
  } catch {
    return undefined;
  }
}
