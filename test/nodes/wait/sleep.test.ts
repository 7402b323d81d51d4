import { Annotation, interrupt, MemorySaver, Send, START, StateGraph, entrypoint, task } from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { effect } from "../../../src/nodes/effect.js";
import { ledgerOf, memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { memo } from "../../../src/nodes/memo.js";
import { pendingWaits } from "../../../src/nodes/pending-waits.js";
import { requestApproval } from "../../../src/nodes/request-approval.js";
import { resume } from "../../../src/nodes/resume.js";
import { sleepUntil } from "../../../src/nodes/sleep-until.js";
import { answer, asked, chain, fresh, on, saver, StillClock, type Chain } from "../effect/support.js";

afterEach(() => setLedger(undefined));

const HOUR = 3_600_000;
const START_OF_TIME = Date.parse("2026-01-01T00:00:00.000Z");
const at = (hours: number): string => new Date(START_OF_TIME + hours * HOUR).toISOString();

function slept() {
  const clock = new StillClock();
  const checkpointer = saver(clock);
  return { clock, checkpointer, ledger: ledgerOf(checkpointer) };
}

describe("sleepUntil", () => {
  it("returns at once when the moment is past, and stays past, whatever the clock does afterwards", async () => {
    const { clock, checkpointer } = slept();
    const app = chain(checkpointer, {
      node: async () => {
        await sleepUntil(at(0));
        return { log: [interrupt("go on?")] };
      },
    });
    expect(asked(await app.invoke({}, on("t")))).toBe("go on?");
    clock.time -= HOUR;
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["yes"]);
  });

  it("writes its row before it asks, and says in the interrupt what it waits for", async () => {
    const { checkpointer, ledger } = slept();
    const app = chain(checkpointer, { node: async () => (await sleepUntil(new Date(at(1))), { log: ["up"] }) });
    const row = asked(await app.invoke({}, on("t")));
    const [wait] = await pendingWaits(ledger);
    const reference = { id: wait!.id, kind: "sleep", until: at(1) };
    expect(row).toMatchObject({ type: "waypoint.wait", waypoint: "wait", ...reference, waits: [reference] });
    expect(wait).toEqual({ ...reference, threadId: "t", due: false, since: at(0) });
  });

  it("is picked up by resume() when it is due, and left alone, and told, while it is not", async () => {
    const { clock, checkpointer, ledger } = slept();
    const app = chain(checkpointer, { node: async () => (await sleepUntil(at(1)), { log: ["up"] }) });
    await app.invoke({}, on("t"));
    clock.time += HOUR - 1;
    const early = await resume(app as never, on("t"));
    expect(early).toMatchObject({ status: "waiting", woken: [], waits: [{ kind: "sleep", until: at(1) }] });
    clock.time += 1;
    expect(await pendingWaits(ledger, { due: true })).toHaveLength(1);
    const late = await resume(app as never, on("t"));
    expect(late).toMatchObject({ status: "finished", values: { log: ["up"] }, waits: [] });
    expect(late.woken).toContain(early.waits[0]!.id);
    expect(await pendingWaits(ledger)).toEqual([]);
  });

  it("a sleep that is already due on resume spends its slot, so that the next answer is the next question's", async () => {
    const { clock, checkpointer } = slept();
    const app = chain(checkpointer, {
      node: async () => {
        const first: unknown = interrupt("first?");
        await sleepUntil(at(1));
        return { log: [first, interrupt("second?"), interrupt("third?")] };
      },
    });
    await app.invoke({}, on("t"));
    expect(asked(await app.invoke(answer("one"), on("t")))).toMatchObject({ kind: "sleep" });
    clock.time += 2 * HOUR;
    expect(asked(await app.invoke(answer("whatever"), on("t")))).toBe("second?");
    expect(asked(await app.invoke(answer("two"), on("t")))).toBe("third?");
    expect((await app.invoke(answer("three"), on("t"))).log).toEqual(["one", "two", "three"]);
  });

  it("asks again when it is resumed too early, as often as that is, and every slot is spent later", async () => {
    const { clock, checkpointer } = slept();
    const app = chain(checkpointer, {
      node: async () => (await sleepUntil(at(1)), { log: [interrupt("go on?")] }),
    });
    await app.invoke({}, on("t"));
    for (const early of ["yes", { payload: 1 }, 3]) {
      expect(asked(await app.invoke(answer(early), on("t")))).toMatchObject({ kind: "sleep", until: at(1) });
    }
    expect(asked(await app.invoke(null, on("t")))).toMatchObject({ kind: "sleep" });
    clock.time += HOUR;
    // Without an answer the slot cannot be spent; the question says that any will do.
    expect(asked(await app.invoke(null, on("t")))).toMatchObject({ kind: "sleep", due: true, waits: [{ due: true }] });
    const { pending } = await resume(app as never, on("t"));
    expect(pending[0]?.value).toBe("go on?");
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["yes"]);
  });

  it("stands by the moment that was asked for first, also where the code computes it anew on each pass", async () => {
    const { clock, checkpointer } = slept();
    const app = chain(checkpointer, {
      node: async () => (await sleepUntil(new Date(clock.time + HOUR)), { log: ["up"] }),
    });
    await app.invoke({}, on("t"));
    clock.time += HOUR;
    expect(await resume(app as never, on("t"))).toMatchObject({ status: "finished" });
  });

  it("several in one visit are told apart by their moment, in whatever order they start", async () => {
    const { clock, checkpointer } = slept();
    const woke: string[] = [];
    let flip = false;
    const app = chain(checkpointer, {
      node: async () => {
        flip = !flip;
        const moments = flip ? [1, 2, 2] : [2, 2, 1];
        await Promise.all(moments.map(async (hours) => (await sleepUntil(at(hours)), woke.push(`${hours}`))));
        return { log: [interrupt("go on?")] };
      },
    });
    const first = asked(await app.invoke({}, on("t"))) as never as { kind: string; waits: object[] };
    expect(first.kind).toBe("several");
    expect(first.waits).toHaveLength(3);
    clock.time += HOUR;
    const after = await resume(app as never, on("t"));
    expect(after.waits.map(({ until }) => until)).toEqual([at(2), at(2)]);
    expect(woke).toEqual(["1"]);
    clock.time += HOUR;
    expect((await resume(app as never, on("t"))).pending[0]?.value).toBe("go on?");
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["yes"]);
  });

  it("in a loop within the node, each turn sleeps for itself", async () => {
    const { clock, checkpointer } = slept();
    const app = chain(checkpointer, {
      node: async () => {
        for (const hours of [1, 2, 3]) await sleepUntil(at(hours));
        return { log: ["up"] };
      },
    });
    await app.invoke({}, on("t"));
    for (const hours of [2, 3]) {
      clock.time += HOUR;
      expect((await resume(app as never, on("t"))).waits).toMatchObject([{ until: at(hours) }]);
    }
    clock.time += HOUR;
    expect(await resume(app as never, on("t"))).toMatchObject({ status: "finished" });
  });

  it("beside an approval in Promise.all, the person is asked first, and neither takes the other's answer", async () => {
    const { clock, checkpointer } = slept();
    const app = chain(checkpointer, {
      node: async () => {
        const [decision] = await Promise.all([requestApproval({ action: "pay", args: {} }), sleepUntil(at(1))]);
        return { log: [decision.type, interrupt("go on?")] };
      },
    });
    const first = await resume(app as never, on("t")).catch(() => app.invoke({}, on("t")));
    expect(asked(first as never)).toMatchObject({ actionRequests: [{ name: "pay" }] });
    const { pending } = await resume(app as never, on("t"));
    const { waits } = await resume(app as never, on("t"), { [pending[0]!.approvalIds[0]!]: { type: "approve" } });
    expect(waits).toMatchObject([{ kind: "sleep" }]);
    clock.time += HOUR;
    await resume(app as never, on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["approve", "yes"]);
  });

  it("sleeps in parallel branches wake each for itself; answering one branch does not shorten another's", async () => {
    const { clock, checkpointer } = slept();
    const Fan = Annotation.Root({
      log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
      hours: Annotation<number>,
    });
    const app = new StateGraph(Fan)
      .addNode("nap", async ({ hours }) => (await sleepUntil(at(hours)), { log: [hours] }))
      .addNode("ask", async () => ({ log: [interrupt("sure?")] }))
      .addConditionalEdges(START, () => [...[1, 2].map((hours) => new Send("nap", { hours })), new Send("ask", {})], [
        "nap",
        "ask",
      ])
      .compile({ checkpointer });
    await app.invoke({}, on("t"));
    const { pending } = await resume(app, on("t"));
    const question = pending.find(({ value }) => value === "sure?")!;
    const answered = await resume(app, on("t"), { [question.interruptId]: "yes" });
    expect(answered.waits.map(({ until }) => until)).toEqual([at(1), at(2)]);
    clock.time += HOUR;
    expect((await resume(app, on("t"))).waits.map(({ until }) => until)).toEqual([at(2)]);
    clock.time += HOUR;
    const { values } = await resume(app, on("t"));
    expect((values as { log: unknown[] }).log.map(String).sort()).toEqual(["1", "2", "yes"]);
  });

  it("works in subgraphs, functional tasks and beside MemorySaver", async () => {
    const clock = new StillClock();
    setLedger(memoryLedger({ clock }));
    const Inner = Annotation.Root({
      log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
    });
    const inner = new StateGraph(Inner)
      .addNode("nap", async () => (await sleepUntil(at(1)), { log: ["up"] }))
      .addEdge(START, "nap")
      .compile();
    const outer = new StateGraph(Inner).addNode("inner", inner).addEdge(START, "inner");
    const nap = task("nap", async () => sleepUntil(at(1)));
    const flow = entrypoint({ name: "flow", checkpointer: new MemorySaver() }, async () => {
      await nap();
      return "up";
    });
    for (const app of [outer.compile({ checkpointer: new MemorySaver() }), flow]) {
      clock.time = START_OF_TIME;
      await app.invoke({}, on("t"));
      expect((await resume(app as never, on("t"))).waits).toHaveLength(1);
      clock.time += HOUR;
      expect(await resume(app as never, on("t"))).toMatchObject({ status: "finished" });
    }
  });

  it("a copy of a sleeping thread sleeps for itself", async () => {
    const { clock, checkpointer, ledger } = slept();
    const app = chain(checkpointer, { node: async () => (await sleepUntil(at(1)), { log: [interrupt("go on?")] }) });
    await app.invoke({}, on("t"));
    await checkpointer.copyThread("t", "copy");
    await resume(app as never, on("copy"));
    expect(await pendingWaits(ledger, { threadId: "copy" })).toMatchObject([{ until: at(1) }]);
    clock.time += HOUR;
    expect((await resume(app as never, on("copy"))).pending[0]?.value).toBe("go on?");
    expect((await resume(app as never, on("t"))).pending[0]?.value).toBe("go on?");
  });

  it("a fork is a new visit: it sleeps for itself; a replay of the past finds the moment past", async () => {
    const { clock, checkpointer, ledger } = slept();
    const app = chain(checkpointer, { node: async () => (await sleepUntil(at(1)), { log: ["up"] }) }) as Chain & {
      getStateHistory(config: object): AsyncIterable<{ next: readonly string[]; config: object }>;
      updateState(config: object, values: object, asNode?: string): Promise<object>;
    };
    await app.invoke({}, on("t"));
    const states = [];
    for await (const state of app.getStateHistory(on("t"))) states.push(state);
    const before = states.find(({ next }) => next.includes("node"))!;
    const fork = await app.updateState(before.config, { log: ["forked"] }, "__start__");
    expect(asked(await app.invoke(null, fork))).toMatchObject({ kind: "sleep", until: at(1) });
    expect(new Set((await pendingWaits(ledger)).map(({ id }) => id)).size).toBe(2);
    clock.time += HOUR;
    expect((await resume(app as never, on("t"))).values).toEqual({ log: ["forked", "up"] });
    expect(await pendingWaits(ledger)).toEqual([]);
    expect((await app.invoke(null, before.config)).log).toEqual(["up"]);
  });
});

describe("sleepUntil refuses", () => {
  it.each([
    "tomorrow",
    "2026-01-01T00:00:00", // no zone: another moment on another machine
    "",
    new Date(Number.NaN),
    5 as never,
    undefined as never,
  ])("a moment that is none: %s", async (wrong) => {
    const { checkpointer, ledger } = slept();
    const app = chain(checkpointer, { node: async () => (await sleepUntil(wrong), {}) });
    await expect(app.invoke({}, on("t"))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await pendingWaits(ledger)).toEqual([]);
  });

  it("to run where nothing could go on with it", async () => {
    setLedger(memoryLedger());
    await expect(sleepUntil(at(1))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const node = async () => (await sleepUntil(at(0)), {});
    await expect(chain(undefined, { node }).invoke({}, on("t"))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(chain(saver(), { node }).invoke({}, { ...on("t"), durability: "exit" })).rejects.toMatchObject({
      code: "NOT_DURABLE",
    });
  });

  it("to run inside an effect or a memo", async () => {
    const nap = effect({ name: fresh("nap"), key: () => "k", run: async () => sleepUntil(at(1)) });
    const codes = [];
    for (const node of [async () => nap({}), async () => memo("m", null, () => sleepUntil(at(1)))]) {
      const app = chain(saver(new StillClock()), { node: async () => (await node(), {}) });
      codes.push(await app.invoke({}, on("t")).catch((error: unknown) => (error as { code: string }).code));
    }
    expect(codes).toEqual(["EFFECT_DEFINITION", "MEMO_USE"]);
  });
});

it("the rows of a thread go with it", async () => {
  const { checkpointer, ledger } = slept();
  const app = chain(checkpointer, { node: async () => (await sleepUntil(at(1)), {}) });
  await app.invoke({}, on("t"));
  await app.invoke({}, on("other"));
  await checkpointer.deleteThread("t");
  expect(await pendingWaits(ledger)).toMatchObject([{ threadId: "other" }]);
});

it("position and resume() say what a thread waits for; when it is due, that it goes on", async () => {
  const { clock, checkpointer } = slept();
  const app = chain(checkpointer, { node: async () => (await sleepUntil(at(1)), { log: ["up"] }) });
  await app.invoke({}, on("t"));
  expect(await checkpointer.position("t")).toMatchObject({
    state: "waiting",
    waitingFor: [{ kind: "wait", what: "sleep", until: at(1) }],
  });
  clock.time += HOUR;
  expect(await checkpointer.position("t")).toMatchObject({ state: "waiting", waitingFor: [] });
});
