/**
 * How LangGraph behaves, measured, and what memos, waits and deferred effects make of it. The first test of each pair pins
 * the behaviour: when it fails after an upgrade, LangGraph has changed, and what is built on it has to be looked at.
 */
import { Annotation, Command, interrupt, Send, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { deliverEvent } from "../../../src/nodes/deliver-event.js";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import { pendingWaits } from "../../../src/nodes/pending-waits.js";
import { resume } from "../../../src/nodes/resume.js";
import { sleepUntil } from "../../../src/nodes/sleep-until.js";
import { waitForEvent } from "../../../src/nodes/wait-for-event.js";
import { answer, asked, chain, on, saver, StillClock } from "../effect/support.js";
import { counter, Log } from "./support.js";

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
