import { Annotation, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { ledgerOf, memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { pendingWaits } from "../../../src/nodes/pending-waits.js";
import { requestApproval } from "../../../src/nodes/request-approval.js";
import { resume } from "../../../src/nodes/resume.js";
import { retryLater, type RetryLaterOptions } from "../../../src/nodes/retry-later.js";
import { answer, asked, chain, on, saver, StillClock } from "../effect/support.js";

afterEach(() => setLedger(undefined));

const MINUTE = 60_000;

/** Something outside that fails a number of times. */
function bank(failures: number, options: Partial<RetryLaterOptions> = {}) {
  const clock = new StillClock();
  const checkpointer = saver(clock);
  const tries: number[] = [];
  const read = async (): Promise<string> => {
    tries.push(clock.time);
    if (tries.length > failures) return "rates";
    return retryLater({ after: "15m", reason: "The bank is closed.", ...options });
  };
  return { clock, checkpointer, ledger: ledgerOf(checkpointer), read, tries };
}

describe("retryLater", () => {
  it("stops the node, and resume() runs it again when it is due and not before; the attempts are counted", async () => {
    const { clock, checkpointer, ledger, read, tries } = bank(2);
    const app = chain(checkpointer, { node: async () => ({ log: [await read()] }) });
    const question = asked(await app.invoke({}, on("t")));
    const reference = { kind: "retry", reason: "The bank is closed.", attempts: 1, until: "2026-01-01T00:15:00.000Z" };
    expect(question).toMatchObject({ type: "waypoint.wait", waypoint: "wait", ...reference });
    clock.time += 14 * MINUTE;
    expect(await resume(app as never, on("t"))).toMatchObject({ status: "waiting", woken: [], waits: [reference] });
    expect(tries).toHaveLength(1);
    clock.time += MINUTE;
    const second = await resume(app as never, on("t"));
    expect(second).toMatchObject({ waits: [{ attempts: 2, until: "2026-01-01T00:30:00.000Z" }] });
    expect(second.woken).toContain(second.waits[0]!.id);
    clock.time += 15 * MINUTE;
    expect(await resume(app as never, on("t"))).toMatchObject({ status: "finished", values: { log: ["rates"] } });
    expect(await pendingWaits(ledger)).toEqual([]);
  });

  it("takes no slot: the questions before and after it keep their answers, though it is not called again", async () => {
    const { clock, checkpointer, read } = bank(2);
    const app = chain(checkpointer, {
      node: async () => {
        const first: unknown = interrupt("first?");
        const rates = await read();
        const decision = await requestApproval({ action: "buy", args: { rates } });
        return { log: [first, rates, decision.type, interrupt("last?")] };
      },
    });
    await app.invoke({}, on("t"));
    expect(asked(await app.invoke(answer("one"), on("t")))).toMatchObject({ kind: "retry" });
    for (let turn = 0; turn < 2; turn += 1) {
      clock.time += 15 * MINUTE;
      await resume(app as never, on("t"));
    }
    const { pending } = await resume(app as never, on("t"));
    await resume(app as never, on("t"), { [pending[0]!.approvalIds[0]!]: { type: "approve" } });
    expect((await app.invoke(answer("two"), on("t"))).log).toEqual(["one", "rates", "approve", "two"]);
  });

  it("is no question: resume() refuses an answer to it", async () => {
    const { checkpointer, read, tries } = bank(1);
    const app = chain(checkpointer, { node: async () => ({ log: [await read()] }) });
    await app.invoke({}, on("t"));
    const { waits, pending } = await resume(app as never, on("t"));
    for (const id of [waits[0]!.id, pending[0]!.interruptId]) {
      await expect(resume(app as never, on("t"), { [id]: "yes" })).rejects.toMatchObject({ code: "INVALID_ANSWER" });
    }
    expect(tries).toHaveLength(1);
  });

  it("an answer that a plain Command brings all the same reaches no question of ours", async () => {
    const { clock, checkpointer, read } = bank(2);
    const app = chain(checkpointer, {
      node: async () => {
        const rates = await read();
        const decision = await requestApproval({ action: "buy", args: { rates } });
        return { log: [decision.type] };
      },
    });
    await app.invoke({}, on("t"));
    const stray = { decisions: [{ type: "approve" }] };
    expect(asked(await app.invoke(answer(stray), on("t")))).toMatchObject({ kind: "retry", attempts: 2 });
    clock.time += 15 * MINUTE;
    const { pending, status } = await resume(app as never, on("t"));
    expect(status).toBe("waiting");
    expect(pending[0]?.approvalIds).toHaveLength(1);
    const { values } = await resume(app as never, on("t"), { [pending[0]!.approvalIds[0]!]: { type: "reject" } });
    expect(values).toEqual({ log: ["reject"] });
  });

  it("gives up after maxAttempts attempts, the first included; a further run makes one more", async () => {
    const { clock, checkpointer, read, tries } = bank(3, { maxAttempts: 3 });
    const app = chain(checkpointer, { node: async () => ({ log: [await read()] }) });
    await app.invoke({}, on("t"));
    clock.time += 15 * MINUTE;
    await resume(app as never, on("t"));
    clock.time += 15 * MINUTE;
    const failed = resume(app as never, on("t"));
    await expect(failed).rejects.toMatchObject({ code: "RETRIES_EXHAUSTED", details: { threadId: "t", attempts: 3 } });
    expect(tries).toHaveLength(3);
    expect(await resume(app as never, on("t"))).toMatchObject({ status: "finished" });
  });

  it("counts each name for itself, and each visit", async () => {
    const clock = new StillClock();
    const checkpointer = saver(clock);
    let tries = 0;
    const app = chain(checkpointer, {
      node: async () => {
        tries += 1;
        const options = { after: "1m", reason: "no answer" } as const;
        if (tries === 1) await retryLater({ ...options, name: "read" });
        if (tries === 2) await retryLater({ ...options, name: "write" });
        return { log: [tries] };
      },
    });
    expect(asked(await app.invoke({}, on("t")))).toMatchObject({ name: "read", attempts: 1 });
    clock.time += MINUTE;
    expect((await resume(app as never, on("t"))).waits).toMatchObject([{ name: "write", attempts: 1 }]);
    clock.time += MINUTE;
    await resume(app as never, on("t"));
    tries = 0;
    expect(asked(await app.invoke({}, on("t")))).toMatchObject({ name: "read", attempts: 1 });
  });

  it("in Promise.all waits until the others have ended; a question among them is asked first", async () => {
    const { clock, checkpointer, read } = bank(1);
    const app = chain(checkpointer, {
      node: async () => {
        const [rates, decision] = await Promise.all([read(), requestApproval({ action: "buy", args: {} })]);
        return { log: [rates, decision.type, interrupt("go on?")] };
      },
    });
    expect(asked(await app.invoke({}, on("t")))).toMatchObject({ actionRequests: [{ name: "buy" }] });
    const { pending } = await resume(app as never, on("t"));
    // The branch tried again on this pass, and it worked.
    await resume(app as never, on("t"), { [pending[0]!.approvalIds[0]!]: { type: "approve" } });
    clock.time += MINUTE;
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual(["rates", "approve", "yes"]);
  });

  it("two that stop at once are told together, and wake when the first is due", async () => {
    const clock = new StillClock();
    const checkpointer = saver(clock);
    const tries: string[] = [];
    const attempt = async (name: string, minutes: number): Promise<string> => {
      tries.push(name);
      if (tries.filter((tried) => tried === name).length > 1) return name;
      return retryLater({ after: minutes * MINUTE, reason: "busy", name });
    };
    const app = chain(checkpointer, {
      node: async () => ({ log: await Promise.all([attempt("a", 5), attempt("b", 9)]) }),
    });
    expect(asked(await app.invoke({}, on("t")))).toMatchObject({
      kind: "several",
      waits: [{ name: "a" }, { name: "b" }],
    });
    clock.time += 5 * MINUTE;
    expect(await resume(app as never, on("t"))).toMatchObject({ status: "finished", values: { log: ["a", "b"] } });
    clock.time += 9 * MINUTE;
    await resume(app as never, on("t"));
    expect(await pendingWaits(ledgerOf(checkpointer))).toEqual([]);
  });

  it("in one branch leaves the question of another branch alone", async () => {
    const { clock, checkpointer, read, tries } = bank(1);
    const Two = Annotation.Root({ log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }) });
    const app = new StateGraph(Two)
      .addNode("read", async () => ({ log: [await read()] }))
      .addNode("ask", async () => ({ log: [interrupt("sure?")] }))
      .addEdge(START, "read")
      .addEdge(START, "ask")
      .compile({ checkpointer });
    await app.invoke({}, on("t"));
    expect((await resume(app, on("t"))).waits).toHaveLength(1);
    clock.time += 15 * MINUTE;
    const { pending, waits } = await resume(app, on("t"));
    expect(waits).toEqual([]);
    expect(pending).toMatchObject([{ value: "sure?" }]);
    expect(tries).toHaveLength(2);
    const { values } = await resume(app, on("t"), { [pending[0]!.interruptId]: "yes" });
    expect((values as { log: string[] }).log.sort()).toEqual(["rates", "yes"]);
  });

  it("works beside MemorySaver, in a subgraph", async () => {
    const { clock, read } = bank(1);
    setLedger(memoryLedger({ clock }));
    const Inner = Annotation.Root({
      log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
    });
    const inner = new StateGraph(Inner)
      .addNode("read", async () => ({ log: [await read()] }))
      .addEdge(START, "read")
      .compile();
    const app = new StateGraph(Inner)
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke({}, on("t"));
    clock.time += 15 * MINUTE;
    expect(await resume(app, on("t"))).toMatchObject({ status: "finished", values: { log: ["rates"] } });
  });

  it.each([
    { after: "soon" as never, reason: "x" },
    { after: 1e300, reason: "x" },
    { after: "1m" as const, reason: "" },
    { after: "1m" as const, reason: "x", maxAttempts: 0 },
    { after: "1m" as const, reason: "x", name: 5 as never },
  ])("refuses %o, and writes nothing", async (options) => {
    const { checkpointer, ledger } = bank(0);
    const app = chain(checkpointer, { node: async () => retryLater(options) });
    await expect(app.invoke({}, on("t"))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await pendingWaits(ledger)).toEqual([]);
  });
});

it("position says what is tried again, when and why", async () => {
  const { checkpointer, read } = bank(1);
  const app = chain(checkpointer, { node: async () => ({ log: [await read()] }) });
  await app.invoke({}, on("t"));
  expect(await checkpointer.position("t")).toMatchObject({
    waitingFor: [{ kind: "wait", what: "retry", reason: "The bank is closed.", until: "2026-01-01T00:15:00.000Z" }],
  });
});
