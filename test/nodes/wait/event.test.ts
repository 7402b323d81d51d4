import { join } from "node:path";
import { Annotation, interrupt, Send, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SlimSaver } from "../../../src/checkpointer/slim-saver.js";
import { temporaryFolder } from "../../checkpointer/harness.js";
import { deliverEvent } from "../../../src/nodes/deliver-event.js";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import { pendingWaits } from "../../../src/nodes/pending-waits.js";
import { resume } from "../../../src/nodes/resume.js";
import { waitForEvent, type EventOptions } from "../../../src/nodes/wait-for-event.js";
import { answer, asked, chain, on, saver, StillClock, type NodeOf } from "../effect/support.js";

const HOUR = 3_600_000;
const START_OF_TIME = Date.parse("2026-01-01T00:00:00.000Z");
const at = (hours: number): string => new Date(START_OF_TIME + hours * HOUR).toISOString();

function payday(options: EventOptions<unknown> = {}, more: Record<string, NodeOf> = {}) {
  const clock = new StillClock();
  const checkpointer = saver(clock);
  const passes: unknown[] = [];
  const app = chain(checkpointer, {
    pay: async (_, config) => {
      const event = await waitForEvent("paid", options, config);
      passes.push(event);
      return { log: [event.type === "event" ? event.payload : event, interrupt("go on?")] };
    },
    ...more,
  });
  const ledger = ledgerOf(checkpointer);
  const paid = (id: string, payload: unknown, extra: object = {}) =>
    deliverEvent(ledger, { threadId: "t", name: "paid", id, payload, ...extra });
  return { clock, checkpointer, app, ledger, paid, passes, graph: app as never };
}

describe("waitForEvent", () => {
  it("writes its row, asks, and goes on with the event that was delivered", async () => {
    const { app, ledger, paid, graph, passes } = payday({ timeout: "2h" });
    const question = asked(await app.invoke({}, on("t")));
    const [wait] = await pendingWaits(ledger);
    expect(question).toMatchObject({
      type: "waypoint.wait",
      waypoint: "wait",
      kind: "event",
      name: "paid",
      until: at(2),
    });
    expect(wait).toMatchObject({ kind: "event", name: "paid", until: at(2), due: false });
    expect(await resume(graph, on("t"))).toMatchObject({ woken: [], waits: [{ kind: "event", name: "paid" }] });
    expect(await paid("e-1", { cents: 5 })).toEqual({ applied: true, woken: false, waitId: wait!.id });
    expect(await pendingWaits(ledger, { due: true })).toHaveLength(1);
    expect((await resume(graph, on("t"))).pending[0]?.value).toBe("go on?");
    const event = { type: "event", name: "paid", id: "e-1", payload: { cents: 5 }, deliveredAt: at(0) };
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([{ cents: 5 }, "yes"]);
    expect(passes).toEqual([event, event]);
  });

  it("finds an event that came before the wait, even before the thread, and asks nothing", async () => {
    const { app, paid } = payday();
    expect(await paid("e-1", "early")).toMatchObject({
      applied: true,
      woken: false,
      message: expect.stringMatching(/kept/) as unknown,
    });
    expect(asked(await app.invoke({}, on("t")))).toBe("go on?");
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["early", "yes"]);
  });

  it("gives an event to one wait, in the order in which the waits opened and the events came", async () => {
    const clock = new StillClock();
    const checkpointer = saver(clock);
    const ledger = ledgerOf(checkpointer);
    const app = chain(checkpointer, {
      node: async () => {
        const both = await Promise.all([waitForEvent("paid"), waitForEvent("paid")]);
        const third = await waitForEvent("paid");
        return { log: [...both, third].map((event) => (event.type === "event" ? event.id : event)) };
      },
    });
    await app.invoke({}, on("t"));
    for (const id of ["1", "2", "3"]) await deliverEvent(ledger, { threadId: "t", name: "paid", id });
    expect((await resume(app as never, on("t"))).values).toEqual({ log: ["1", "2", "3"] });
  });

  it("counts the same id once, whoever delivers it and whatever it says the second time", async () => {
    const { app, paid, graph, ledger } = payday();
    await paid("e-1", "first");
    expect(await paid("e-1", "second")).toMatchObject({ applied: false, reason: "duplicate" });
    await app.invoke({}, on("t"));
    const { waitId } = await paid("e-1", "third");
    expect(waitId).toBeDefined();
    await resume(graph, on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["first", "yes"]);
    expect(ledger.store.database.all("SELECT * FROM waypoint_events")).toHaveLength(1);
  });

  it("the same id under another name, on another thread, or of another tenant is another event", async () => {
    const { paid, ledger } = payday();
    await paid("e-1", 1);
    for (const extra of [{ name: "refunded" }, { threadId: "other" }]) {
      expect(await paid("e-1", 1, extra)).toMatchObject({ applied: true });
    }
    expect(await deliverEvent(ledger, { threadId: "t", name: "paid", id: "e-1" })).toMatchObject({ applied: false });
  });

  it("returns TimedOut when the deadline is past; what comes late changes that on no later pass", async () => {
    const { app, clock, paid, graph, passes } = payday({ timeout: "1h" });
    await app.invoke({}, on("t"));
    clock.time += HOUR;
    expect(await paid("late", "too late")).toMatchObject({ applied: true, woken: false });
    expect((await resume(graph, on("t"))).pending[0]?.value).toBe("go on?");
    await paid("later", "still too late");
    const timedOut = { type: "timed-out", name: "paid", until: at(1) };
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([timedOut, "yes"]);
    expect(passes).toEqual([timedOut, timedOut]);
  });

  it("an event that names a wait which is over is late: it is not kept, and the next wait does not get it", async () => {
    const { app, clock, paid, graph, ledger } = payday(
      { timeout: "1h" },
      { again: async () => ({ log: [(await waitForEvent("paid")).type] }) },
    );
    await app.invoke({}, on("t"));
    const [first] = await pendingWaits(ledger);
    clock.time += HOUR;
    expect(await paid("late", 1, { waitId: first!.id })).toMatchObject({ applied: false, reason: "late" });
    expect(await paid("late", 1, { waitId: "no-such-wait" })).toMatchObject({ applied: false, reason: "late" });
    await resume(graph, on("t"));
    expect(asked(await app.invoke(answer("yes"), on("t")))).toMatchObject({ kind: "event" });
    const [second] = await pendingWaits(ledger);
    expect(await paid("late", 1, { waitId: second!.id })).toMatchObject({ applied: true, waitId: second!.id });
  });

  it("a wait that has timed out takes nothing from the next one", async () => {
    const { app, clock, paid, graph } = payday(
      { timeout: "1h" },
      { again: async () => ({ log: [(await waitForEvent("paid")).type] }) },
    );
    await app.invoke({}, on("t"));
    clock.time += HOUR;
    await paid("e-1", "for the next");
    await resume(graph, on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([
      expect.objectContaining({ type: "timed-out" }),
      "yes",
      "event",
    ]);
  });

  it("an event that was delivered in time counts, however late the run goes on", async () => {
    const { app, clock, paid, graph } = payday({ timeout: "1h" });
    await app.invoke({}, on("t"));
    clock.time += HOUR - 1;
    await paid("e-1", "in time");
    clock.time += 5 * HOUR;
    await resume(graph, on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["in time", "yes"]);
  });

  it("without a timeout waits for ever; with none left it takes what is there, or is over at once", async () => {
    const { app, clock, graph } = payday();
    await app.invoke({}, on("t"));
    clock.time += 1e6 * HOUR;
    expect((await resume(graph, on("t"))).waits).toMatchObject([{ kind: "event" }]);
    const poll = payday({ timeout: 0 });
    expect(asked(await poll.app.invoke({}, on("t")))).toBe("go on?");
    expect(poll.passes).toMatchObject([{ type: "timed-out" }]);
    const found = payday({ timeout: 0 });
    await found.paid("e-1", "there");
    await found.app.invoke({}, on("t"));
    expect(found.passes).toMatchObject([{ payload: "there" }]);
  });

  it("validates the payload: one that does not pass is refused, told, and the wait goes on to the next", async () => {
    const schema = z.object({ cents: z.string().transform(Number) });
    const { app, paid, graph, passes } = payday({ schema });
    await app.invoke({}, on("t"));
    await paid("e-1", { euros: 1 });
    await paid("e-2", { cents: "12" });
    await resume(graph, on("t"));
    expect(passes).toMatchObject([{ id: "e-2", payload: { cents: 12 } }]);

    const waiting = payday({ schema });
    await waiting.app.invoke({}, on("t"));
    await waiting.paid("e-1", "nonsense");
    const { pending, waits } = await resume(waiting.graph, on("t"));
    expect(waits[0]?.problem).toMatch(/The event "e-1" was refused: .*expected object/);
    expect(pending[0]?.value).toMatchObject({ problem: waits[0]!.problem });
    expect(await waiting.paid("e-1", { cents: "1" })).toMatchObject({ applied: false, reason: "duplicate" });
    await waiting.paid("e-2", { cents: "7" });
    await resume(waiting.graph, on("t"));
    expect(waiting.passes).toMatchObject([{ payload: { cents: 7 } }]);
  });

  it("keeps what was accepted, also when the schema has changed since", async () => {
    let strict = false;
    const schema = z.custom<number>(() => !strict);
    const { app, paid, passes } = payday({ schema });
    await paid("e-1", 5);
    await app.invoke({}, on("t"));
    strict = true;
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([5, "yes"]);
    expect(passes).toHaveLength(2);
  });

  it("carries whatever a state may hold, and refuses what it may not before anything is written", async () => {
    const { app, paid, ledger } = payday();
    await expect(paid("e-1", () => 1)).rejects.toMatchObject({ code: "UNSTORABLE_VALUE" });
    expect(ledger.store.database.all("SELECT * FROM waypoint_events")).toEqual([]);
    const payload = new Map<unknown, unknown>([
      ["at", new Date(5)],
      ["big", 1n],
    ]);
    await paid("e-1", payload);
    await app.invoke({}, on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([payload, "yes"]);
  });

  it.each([
    ["no name", () => waitForEvent("")],
    ["a long name", () => waitForEvent("x".repeat(201))],
    ["a timeout that is none", () => waitForEvent("paid", { timeout: "soon" as never })],
    ["a timeout beyond all dates", () => waitForEvent("paid", { timeout: 1e300 })],
  ])("refuses %s, and writes nothing", async (_, wait) => {
    const checkpointer = saver();
    const app = chain(checkpointer, { node: async () => (await wait(), {}) });
    await expect(app.invoke({}, on("t"))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await pendingWaits(ledgerOf(checkpointer))).toEqual([]);
  });
});

describe("an answer", () => {
  it("by the wait's id or the interrupt's brings the event", async () => {
    for (const which of ["wait", "interrupt"]) {
      const { app, graph, passes } = payday();
      await app.invoke({}, on("t"));
      const { pending, waits } = await resume(graph, on("t"));
      const id = which === "wait" ? waits[0]!.id : pending[0]!.interruptId;
      const after = await resume(graph, on("t"), { [id]: { payload: 5, id: "e-1" } });
      expect(after.woken).toEqual([pending[0]!.interruptId, waits[0]!.id]);
      expect(passes).toMatchObject([{ id: "e-1", payload: 5 }]);
    }
  });

  it("by a plain Command brings it too, and only in that form: a yes for another question is no event", async () => {
    const { app, passes } = payday();
    await app.invoke({}, on("t"));
    for (const stray of ["yes", true, { decisions: [{ type: "approve" }] }, { payload: 1, id: 7 }]) {
      const again = asked(await app.invoke(answer(stray), on("t")));
      expect(again).toMatchObject({ kind: "event", problem: expect.stringMatching(/event/) as unknown });
    }
    expect(asked(await app.invoke(answer({ payload: 5 }), on("t")))).toBe("go on?");
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([5, "yes"]);
    expect(passes).toHaveLength(2);
  });

  it("of the wrong form, to a wait that has its event, or to a moment is refused by resume() before anything runs", async () => {
    const { app, graph, paid, passes } = payday();
    await app.invoke({}, on("t"));
    const { waits } = await resume(graph, on("t"));
    const id = waits[0]!.id;
    await expect(resume(graph, on("t"), { [id]: "yes" })).rejects.toMatchObject({ code: "INVALID_ANSWER" });
    await expect(resume(graph, on("t"), { [id]: { payload: () => 1 } })).rejects.toMatchObject({
      code: "UNSTORABLE_VALUE",
    });
    await expect(resume(graph, on("t"), { other: { payload: 1 } })).rejects.toMatchObject({ code: "UNKNOWN_QUESTION" });
    await paid("e-1", "theirs");
    await expect(resume(graph, on("t"), { [id]: { payload: "mine" } })).rejects.toMatchObject({
      code: "ALREADY_ANSWERED",
    });
    await expect(resume(graph, on("t"), { [id]: { payload: 1, id: "e-1" } })).rejects.toMatchObject({
      code: "ALREADY_ANSWERED",
    });
    expect(passes).toEqual([]);
    await resume(graph, on("t"));
    expect(passes).toMatchObject([{ payload: "theirs" }]);
  });

  it("with the id of an event that was delivered before brings nothing", async () => {
    const { app, graph, paid } = payday({}, { again: async () => ({ log: [(await waitForEvent("paid")).type] }) });
    await paid("e-1", 1);
    await app.invoke({}, on("t"));
    await app.invoke(answer("yes"), on("t"));
    const { waits } = await resume(graph, on("t"));
    await expect(resume(graph, on("t"), { [waits[0]!.id]: { payload: 1, id: "e-1" } })).rejects.toMatchObject({
      code: "ALREADY_ANSWERED",
    });
    const again = asked(await app.invoke(answer({ payload: 1, id: "e-1" }), on("t")));
    expect(again).toMatchObject({ kind: "event", problem: expect.stringMatching(/delivered before/) as unknown });
  });

  it("that the schema refuses is told once and for all, and the next one counts", async () => {
    const { app, passes } = payday({ schema: z.number() });
    await app.invoke({}, on("t"));
    for (const resumed of [answer({ payload: "five" }), null, null]) {
      const again = asked(await app.invoke(resumed, on("t")));
      expect(again).toMatchObject({ problem: expect.stringMatching(/was refused: .*expected number/) as unknown });
    }
    expect(asked(await app.invoke(answer({ payload: 5 }), on("t")))).toBe("go on?");
    expect(passes).toMatchObject([{ payload: 5 }]);
  });

  it("to several waits goes by id; those that are not answered wait on", async () => {
    const checkpointer = saver();
    const app = chain(checkpointer, {
      node: async () => {
        const both = await Promise.all([waitForEvent("a"), waitForEvent("b")]);
        return { log: both.map((event) => (event.type === "event" ? `${event.name} ${String(event.payload)}` : "")) };
      },
    });
    await app.invoke({}, on("t"));
    const { pending, waits } = await resume(app as never, on("t"));
    const [a, b] = ["a", "b"].map((name) => waits.find((wait) => wait.name === name)!.id);
    await expect(resume(app as never, on("t"), { [pending[0]!.interruptId]: { payload: 1 } })).rejects.toMatchObject({
      code: "INVALID_ANSWER",
    });
    const half = await resume(app as never, on("t"), { [b!]: { payload: 2 } });
    expect(half.waits.map(({ id }) => id)).toEqual([a]);
    expect((await resume(app as never, on("t"), { [a!]: { payload: 1 } })).values).toEqual({ log: ["a 1", "b 2"] });
  });
});

describe("deliverEvent", () => {
  it("of one tenant reaches no wait of another", async () => {
    const folder = temporaryFolder();
    const [one, other] = ["a", "b"].map((tenant) => SlimSaver.fromConnString(join(folder, "agent.db"), { tenant }));
    const app = chain(one, { node: async () => ({ log: [(await waitForEvent("paid")).type] }) });
    await app.invoke({}, on("t"));
    const event = { threadId: "t", name: "paid", id: "1" };
    expect(await deliverEvent(ledgerOf(other), event)).not.toHaveProperty("waitId");
    expect(await pendingWaits(ledgerOf(other))).toEqual([]);
    expect((await resume(app as never, on("t"))).waits).toHaveLength(1);
    expect(await deliverEvent(ledgerOf(one), event)).toMatchObject({ applied: true });
    expect(await resume(app as never, on("t"))).toMatchObject({ status: "finished" });
    await one!.close();
    await other!.close();
  });

  it("wakes the graph where it is given one, also by a duplicate that nothing ran on yet", async () => {
    const { app, ledger, paid } = payday();
    await app.invoke({}, on("t"));
    const event = { threadId: "t", name: "paid", id: "e-1", payload: 5 };
    const dead = { ...app, invoke: () => Promise.reject(new Error("killed")), getState: app.getState.bind(app) };
    await expect(deliverEvent(ledger, event, { app: dead })).rejects.toThrow("killed");
    expect(await deliverEvent(ledger, event, { app })).toMatchObject({ applied: false, woken: true });
    expect(await paid("e-1", 5)).toMatchObject({ applied: false, woken: false });
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([5, "yes"]);
  });

  it.each([
    [{ threadId: "" }, /threadId/],
    [{ name: 5 }, /name/],
    [{ id: undefined }, /id/],
    [{ waitId: "" }, /waitId/],
  ])("refuses an event without a usable %o", async (wrong, message) => {
    const { ledger } = payday();
    const event = { threadId: "t", name: "paid", id: "1", ...wrong } as never;
    await expect(deliverEvent(ledger, event)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(deliverEvent(ledger, event)).rejects.toThrow(message);
    await expect(deliverEvent({} as never, event)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("while the graph runs towards its wait, is kept and found", async () => {
    const clock = new StillClock();
    const checkpointer = saver(clock);
    const ledger = ledgerOf(checkpointer);
    const app = chain(checkpointer, {
      node: async () => {
        await deliverEvent(ledger, { threadId: "t", name: "paid", id: "1", payload: "at once" });
        return { log: [(await waitForEvent("paid")).type] };
      },
    });
    expect((await app.invoke({}, on("t"))).log).toEqual(["event"]);
  });
});

it("branches that wait for one name each get an event of their own", async () => {
  const checkpointer = saver();
  const Fan = Annotation.Root({
    log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
    n: Annotation<number>,
  });
  const app = new StateGraph(Fan)
    .addNode("work", async () => {
      const event = await waitForEvent<string>("part");
      return { log: [event.type === "event" ? event.payload : event.type] };
    })
    .addConditionalEdges(START, () => [1, 2, 3].map((n) => new Send("work", { n })), ["work"])
    .compile({ checkpointer });
  await app.invoke({}, on("t"));
  for (const id of ["a", "b", "c"]) {
    await deliverEvent(ledgerOf(checkpointer), { threadId: "t", name: "part", id, payload: id }, { app });
  }
  expect(((await app.getState(on("t"))).values as { log: string[] }).log.sort()).toEqual(["a", "b", "c"]);
});

it("position says which event is waited for, and that it goes on once it is there", async () => {
  const { app, checkpointer, paid } = payday({ timeout: "1h" });
  await app.invoke({}, on("t"));
  expect(await checkpointer.position("t")).toMatchObject({
    waitingFor: [{ kind: "wait", what: "event paid", until: at(1) }],
  });
  await paid("e-1", 1);
  expect(await checkpointer.position("t")).toMatchObject({ state: "waiting", waitingFor: [] });
});
