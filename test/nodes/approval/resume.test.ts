import { Command, interrupt, MemorySaver, Send, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { decide, pendingApprovals } from "../../../src/nodes/decide.js";
import { effect } from "../../../src/nodes/effect.js";
import { reconcile } from "../../../src/nodes/reconcile.js";
import { planResume } from "../../../src/nodes/resume-plan.js";
import { resolve } from "../../../src/nodes/resolve.js";
import { requestApproval, type ApprovalOptions } from "../../../src/nodes/request-approval.js";
import { resume } from "../../../src/nodes/resume.js";
import { approve, asked, asks, chain, MINUTE, on, Outside, plain, State, useLedger } from "./support.js";

interface Payment {
  n: number;
}

function gate(outside: Outside, n: number, options: Partial<ApprovalOptions<Payment>> = {}) {
  return async () => {
    const decision = await requestApproval<Payment>({ action: "pay", args: { n }, ...options });
    if (decision.type === "approve" || decision.type === "edit") outside.call(decision.args.n);
    return { log: [`${n}:${decision.type}`] };
  };
}

function pair(outside: Outside, options: Partial<ApprovalOptions<Payment>> = {}) {
  return async () => {
    const all = await Promise.all(
      [1, 2].map((n) => requestApproval<Payment>({ action: "pay", args: { n }, ...options })),
    );
    for (const decision of all) if (decision.type === "approve") outside.call(decision.args.n);
    return { log: all.map((decision) => decision.type) };
  };
}

describe("resume() answers exactly what it names", () => {
  it("by approval id, and returns when nothing is left", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1) });
    const first = await app.invoke({}, on("t"));
    const id = asked(first).approvals[0]!.id;
    const result = await resume(app, on("t"), { [id]: { type: "approve" } });
    expect(result).toMatchObject({ status: "finished", pending: [], values: { log: ["1:approve"] } });
    expect(result.woken).toContain(id);
    expect(outside.calls).toEqual([1]);
  });

  it("by interrupt id, with what an existing UI sends", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1) });
    await app.invoke({}, on("t"));
    const { pending } = await resume(app, on("t"));
    await resume(app, on("t"), { [pending[0]!.interruptId]: approve });
    expect(outside.calls).toEqual([1]);
  });

  it("and never lets the answer to question 1 answer question 2 (E10)", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1), two: gate(outside, 2) });
    const first = await app.invoke({}, on("t"));
    const id = asked(first).approvals[0]!.id;
    const { pending } = await resume(app, on("t"));
    await resume(app, on("t"), { [id]: { type: "approve" } });
    await expect(resume(app, on("t"), { [id]: { type: "approve" } })).rejects.toMatchObject({
      code: "ALREADY_ANSWERED",
    });
    await expect(resume(app, on("t"), { [pending[0]!.interruptId]: approve })).rejects.toMatchObject({
      code: "UNKNOWN_QUESTION",
    });
    expect(outside.calls).toEqual([1]);
  });

  it("also when both questions are asked in one node", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({
      both: async () => ({ log: [...(await gate(outside, 1)()).log, ...(await gate(outside, 2)()).log] }),
    });
    const first = await app.invoke({}, on("t"));
    const id = asked(first).approvals[0]!.id;
    const { pending } = await resume(app, on("t"));
    const second = await resume(app, on("t"), { [id]: { type: "reject" } });
    expect(second.status).toBe("waiting");
    await expect(resume(app, on("t"), { [pending[0]!.interruptId]: approve })).rejects.toMatchObject({
      code: "UNKNOWN_QUESTION",
    });
    expect(outside.calls).toEqual([]);
  });

  it("one of two parallel questions; the other goes on waiting (E11, E12)", async () => {
    useLedger();
    const outside = new Outside();
    const app = new StateGraph(State)
      .addNode("pay", (s: { amount: number }) => gate(outside, s.amount)())
      .addConditionalEdges(START, () => [1, 2].map((amount) => new Send("pay", { amount })))
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke({}, on("t"));
    const { pending } = await resume(app, on("t"));
    expect(pending).toHaveLength(2);
    const two = pending.find(
      ({ value }) => (value as { actionRequests: { args: Payment }[] }).actionRequests[0]!.args.n === 2,
    )!;
    const result = await resume(app, on("t"), { [two.approvalIds[0]!]: { type: "approve" } });
    expect(outside.calls).toEqual([2]);
    expect(result.pending).toHaveLength(1);
    await expect(resume(app, on("t"), { [two.interruptId]: approve })).rejects.toMatchObject({
      code: "ALREADY_ANSWERED",
    });
  });

  it("one of two parallel interrupts of the user's own", async () => {
    useLedger();
    const app = new StateGraph(State)
      .addNode("own", (s: { amount: number }) => ({ log: [`${s.amount}:${interrupt<string, string>("?")}`] }))
      .addConditionalEdges(START, () => [1, 2].map((amount) => new Send("own", { amount })))
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke({}, on("t"));
    const { pending } = await resume(app, on("t"));
    const result = await resume(app, on("t"), { [pending[1]!.interruptId]: "yes" });
    expect(result.pending.map(({ interruptId }) => interruptId)).toEqual([pending[0]!.interruptId]);
    const done = await resume(app, on("t"), { [pending[0]!.interruptId]: "no" });
    expect(done.values).toMatchObject({ log: ["1:no", "2:yes"] });
  });

  it("questions of subgraphs, each once", async () => {
    useLedger();
    const outside = new Outside();
    const inner = new StateGraph(State).addNode("pay", gate(outside, 1)).addEdge(START, "pay").compile();
    const app = new StateGraph(State)
      .addNode("sub", inner)
      .addEdge(START, "sub")
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke({}, on("t"));
    const { pending } = await resume(app, on("t"));
    expect(pending).toHaveLength(1);
    await resume(app, on("t"), { [pending[0]!.approvalIds[0]!]: { type: "approve" } });
    expect(outside.calls).toEqual([1]);
  });

  it("a user's own interrupt, falsy answers included", async () => {
    useLedger();
    const app = chain({ own: async () => ({ log: [String(interrupt("sure?"))] }) });
    await app.invoke({}, on("t"));
    const { pending } = await resume(app, on("t"));
    const result = await resume(app, on("t"), { [pending[0]!.interruptId]: false });
    expect(result.values).toMatchObject({ log: ["false"] });
  });
});

describe("resume() refuses before anything runs", () => {
  const cases: [string, string, (id: string, interruptId: string) => Record<string, unknown>][] = [
    ["an unknown question", "UNKNOWN_QUESTION", () => ({ nobody: { type: "approve" } })],
    ["a bare boolean", "INVALID_ANSWER", (id) => ({ [id]: true })],
    ["a decision that is not allowed", "INVALID_ANSWER", (id) => ({ [id]: { type: "respond", message: "x" } })],
    [
      "an edit that renames the action",
      "INVALID_ANSWER",
      (id) => ({ [id]: { type: "edit", editedAction: { name: "x", args: {} } } }),
    ],
    ["an edit that is no JSON", "INVALID_ANSWER", (id) => ({ [id]: { type: "edit", args: { n: Number.NaN } } })],
    [
      "too many decisions",
      "INVALID_ANSWER",
      (_, q) => ({ [q]: { decisions: [{ type: "approve" }, { type: "approve" }] } }),
    ],
    ["undefined", "INVALID_ANSWER", (_, q) => ({ [q]: undefined })],
    ["one question by two ids", "AMBIGUOUS_ANSWER", (id, q) => ({ [id]: { type: "approve" }, [q]: approve })],
  ];

  it.each(cases)("%s", async (_name, code, answers) => {
    const { ledger } = useLedger();
    const outside = new Outside();
    let runs = 0;
    const app = chain({
      one: async () => {
        runs += 1;
        return gate(outside, 1)();
      },
    });
    await app.invoke({}, on("t"));
    const { pending } = await resume(app, on("t"));
    const { approvalIds, interruptId } = pending[0]!;
    await expect(resume(app, on("t"), answers(approvalIds[0]!, interruptId))).rejects.toMatchObject({ code });
    expect(runs).toBe(1);
    expect(outside.calls).toEqual([]);
    expect(await pendingApprovals(ledger)).toHaveLength(1);
  });

  it("an unknown thread (E23)", async () => {
    useLedger();
    await expect(resume(chain({ one: gate(new Outside(), 1) }), on("never"))).rejects.toMatchObject({
      code: "UNKNOWN_THREAD",
    });
  });

  it("answers to a finished thread, which is otherwise left alone (E23)", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1) });
    const first = await app.invoke({}, on("t"));
    const id = asked(first).approvals[0]!.id;
    await resume(app, on("t"), { [id]: { type: "approve" } });
    await expect(resume(app, on("t"), { [id]: { type: "approve" } })).rejects.toMatchObject({
      code: "THREAD_FINISHED",
    });
    await expect(resume(app, on("t"))).resolves.toMatchObject({ status: "finished" });
    expect(outside.calls).toEqual([1]);
  });

  it("a missing thread id", async () => {
    useLedger();
    await expect(resume(chain({ one: gate(new Outside(), 1) }), { configurable: {} })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  });

  it("an approval of another thread", async () => {
    useLedger();
    const app = chain({ one: gate(new Outside(), 1) });
    const other = await app.invoke({}, on("other"));
    await app.invoke({}, on("t"));
    const id = asked(other).approvals[0]!.id;
    await expect(resume(app, on("t"), { [id]: { type: "approve" } })).rejects.toThrow(/belongs to thread "other"/);
  });

  it("an answer to a question that a change of state has taken back", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1) });
    const first = await app.invoke({}, on("t"));
    await app.updateState(on("t"), { amount: 7 }, "__start__");
    const id = asked(first).approvals[0]!.id;
    await expect(resume(app, on("t"), { [id]: { type: "approve" } })).rejects.toMatchObject({
      code: "UNKNOWN_QUESTION",
    });
    expect(outside.calls).toEqual([]);
  });

  it("a late answer, and continues without it as expired", async () => {
    const { clock } = useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1, { decideWithin: "1m" }) });
    const first = await app.invoke({}, on("t"));
    clock.advance(MINUTE + 1);
    const id = asked(first).approvals[0]!.id;
    await expect(resume(app, on("t"), { [id]: { type: "approve" } })).rejects.toMatchObject({
      code: "APPROVAL_EXPIRED",
    });
    const result = await resume(app, on("t"));
    expect(result).toMatchObject({ status: "finished", values: { log: ["1:expired"] } });
    expect(outside.calls).toEqual([]);
  });

  it("all answers when one of them is wrong", async () => {
    const { ledger } = useLedger();
    const app = chain({ both: pair(new Outside()) });
    const first = await app.invoke({}, on("t"));
    const [one, two] = asked(first).approvals.map(({ id }) => id);
    await expect(resume(app, on("t"), { [one!]: { type: "approve" }, [two!]: "yes" })).rejects.toMatchObject({
      code: "INVALID_ANSWER",
    });
    expect(await pendingApprovals(ledger)).toHaveLength(2);
  });
});

it("two questions with one id cannot be answered apart, so neither is", () => {
  const twin = { interruptId: "q", approvalIds: [], waitIds: [], value: "?" };
  const input = {
    threadId: "t",
    pending: [twin, { ...twin }],
    answered: [],
    approvals: undefined,
    waits: new Map(),
    isSettledElsewhere: () => false,
    now: 0,
  };
  expect(() => planResume({ ...input, answers: { q: 1 } })).toThrow(
    expect.objectContaining({ code: "AMBIGUOUS_ANSWER" }),
  );
  expect(planResume({ ...input, answers: {} }).values).toEqual({});
});

describe("resume() picks up", () => {
  it("what decide() decided in the meantime", async () => {
    const { ledger } = useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1, { approvers: ["ann"] }) });
    const first = await app.invoke({}, on("t"));
    await expect(
      decide(ledger, asked(first).approvals[0]!.id, { type: "approve" }, { by: "ann" }),
    ).resolves.toMatchObject({ applied: true, woken: false });
    expect(outside.calls).toEqual([]);
    await resume(app, on("t"));
    expect(outside.calls).toEqual([1]);
  });

  it("the parts of a question one by one, and wakes the graph with the last", async () => {
    useLedger();
    const outside = new Outside();
    let runs = 0;
    const app = chain({
      both: async () => {
        runs += 1;
        return pair(outside)();
      },
    });
    const first = await app.invoke({}, on("t"));
    const [one, two] = asked(first).approvals.map(({ id }) => id);
    const half = await resume(app, on("t"), { [two!]: { type: "approve" } });
    expect(half).toMatchObject({ status: "waiting", woken: [] });
    expect(runs).toBe(1);
    const full = await resume(app, on("t"), { [one!]: { type: "reject" } });
    expect(full.values).toMatchObject({ log: ["reject", "approve"] });
    expect(outside.calls).toEqual([2]);
  });

  it("an unknown outcome that resolve() settled, and refuses an answer to it that says nothing", async () => {
    const { ledger } = useLedger();
    const wire = effect({
      name: "wire",
      key: () => "k",
      run: () => Promise.reject(Object.assign(new Error("cut"), { code: "ECONNRESET" })),
    });
    const app = chain({ wire: async () => ({ log: [String(await wire({}))] }) });
    const first = await app.invoke({}, on("t"));
    expect(asks(first)).toBe(true);
    const { pending } = await resume(app, on("t"));
    await expect(resume(app, on("t"), { [pending[0]!.interruptId]: "yes" })).rejects.toMatchObject({
      code: "INVALID_ANSWER",
    });
    const [unknown] = (await reconcile(ledger)).effects;
    await resolve(ledger, unknown!.effectId, { as: "succeeded", by: "ann", evidence: "statement", result: "sent" });
    await expect(resume(app, on("t"))).resolves.toMatchObject({ status: "finished", values: { log: ["sent"] } });
  });

  it("a run that crashed while nothing was asked", async () => {
    useLedger();
    let down = true;
    const app = chain({
      shaky: async () => {
        if (down) throw new Error("down");
        return { log: ["up"] };
      },
    });
    await expect(app.invoke({}, on("t"))).rejects.toThrow("down");
    down = false;
    await expect(resume(app, on("t"))).resolves.toMatchObject({ status: "finished", values: { log: ["up"] } });
  });

  it("a bound approval whose answer names it and passes identify", async () => {
    useLedger();
    const outside = new Outside();
    const identify = (config: { configurable?: Record<string, unknown> }) =>
      config.configurable?.user as string | undefined;
    const app = chain({ one: gate(outside, 1, { approvers: ["ann"], identify }) });
    const first = await app.invoke({}, on("t"));
    const id = asked(first).approvals[0]!.id;
    const refused = await resume(app, { configurable: { thread_id: "t", user: "bob" } }, { [id]: { type: "approve" } });
    expect(refused.status).toBe("waiting");
    await resume(app, { configurable: { thread_id: "t", user: "ann" } }, { [id]: { type: "approve" } });
    expect(outside.calls).toEqual([1]);
  });

  it("the head, although the config names an old checkpoint", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1), two: gate(outside, 2) });
    const first = await app.invoke({}, on("t"));
    const old = (await app.getState(on("t"))).config;
    await resume(app, on("t"), { [asked(first).approvals[0]!.id]: { type: "approve" } });
    const { pending } = await resume(app, old);
    await resume(app, old, { [pending[0]!.approvalIds[0]!]: { type: "approve" } });
    expect(outside.calls).toEqual([1, 2]);
  });

  it("nothing of an earlier plain answer that LangGraph kept", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({
      three: async () => {
        for (const n of [1, 2, 3]) await gate(outside, n)();
        return { log: [] };
      },
    });
    await app.invoke({}, on("t"));
    const second = await app.invoke(plain(approve), on("t"));
    const result = await resume(app, on("t"), { [asked(second).approvals[0]!.id]: { type: "approve" } });
    expect(result.status).toBe("waiting");
    expect([...new Set(outside.calls)]).toEqual([1, 2]);
  });
});

describe("decide()", () => {
  it("changes nothing the second time, and says so", async () => {
    const { ledger } = useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1) });
    const first = await app.invoke({}, on("t"));
    const id = asked(first).approvals[0]!.id;
    await expect(decide(ledger, id, { type: "approve" }, { by: "ann", app })).resolves.toMatchObject({
      applied: true,
      woken: true,
    });
    await expect(decide(ledger, id, { type: "reject" }, { by: "bob", app })).resolves.toMatchObject({
      applied: false,
      woken: false,
      reason: "already-decided",
      approval: { state: "approved", decidedBy: "ann" },
    });
    expect(outside.calls).toEqual([1]);
  });

  it("of somebody who may not changes nothing", async () => {
    const { ledger } = useLedger();
    const app = chain({ one: gate(new Outside(), 1, { approvers: ["ann"] }) });
    const first = await app.invoke({}, on("t"));
    const id = asked(first).approvals[0]!.id;
    await expect(decide(ledger, id, { type: "approve" }, { by: "bob" })).resolves.toMatchObject({
      applied: false,
      reason: "not-an-approver",
    });
    expect(await pendingApprovals(ledger, { threadId: "t" })).toHaveLength(1);
  });

  it("that comes late expires the approval", async () => {
    const { ledger, clock } = useLedger();
    const app = chain({ one: gate(new Outside(), 1, { decideWithin: "1m" }) });
    const first = await app.invoke({}, on("t"));
    clock.advance(MINUTE + 1);
    const id = asked(first).approvals[0]!.id;
    await expect(decide(ledger, id, { type: "approve" }, { by: "ann" })).resolves.toMatchObject({
      applied: false,
      reason: "expired",
      approval: { state: "expired" },
    });
    expect(await pendingApprovals(ledger)).toEqual([]);
  });

  it("of the wrong shape or on an unknown id is an error, and nothing is written", async () => {
    const { ledger } = useLedger();
    const app = chain({ one: gate(new Outside(), 1) });
    const first = await app.invoke({}, on("t"));
    const id = asked(first).approvals[0]!.id;
    await expect(decide(ledger, id, { type: "yes" } as never, { by: "ann" })).rejects.toMatchObject({
      code: "INVALID_ANSWER",
    });
    await expect(decide(ledger, id, { type: "respond", message: "" }, { by: "ann" })).rejects.toMatchObject({
      code: "INVALID_ANSWER",
    });
    await expect(decide(ledger, "nobody", { type: "approve" }, { by: "ann" })).rejects.toMatchObject({
      code: "APPROVAL_NOT_FOUND",
    });
    await expect(decide(ledger, id, { type: "approve" }, { by: "" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await pendingApprovals(ledger)).toHaveLength(1);
  });

  it("and a plain resume that says the contrary: the row wins", async () => {
    const { ledger } = useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1) });
    const first = await app.invoke({}, on("t"));
    await decide(ledger, asked(first).approvals[0]!.id, { type: "reject", message: "no" }, { by: "ann" });
    await app.invoke(new Command({ resume: approve }), on("t"));
    expect(outside.calls).toEqual([]);
  });

  it("says when the thread does not ask this any more", async () => {
    const { ledger } = useLedger();
    const outside = new Outside();
    const app = chain({ one: gate(outside, 1) });
    const first = await app.invoke({}, on("t"));
    await app.updateState(on("t"), { amount: 7 }, "__start__");
    const result = await decide(ledger, asked(first).approvals[0]!.id, { type: "approve" }, { by: "ann", app });
    expect(result).toMatchObject({
      applied: true,
      woken: false,
      message: expect.stringContaining("nothing ran") as string,
    });
    expect(outside.calls).toEqual([]);
  });

  it("wakes nobody while a sibling of the same question is open", async () => {
    const { ledger } = useLedger();
    const outside = new Outside();
    const app = chain({ both: pair(outside) });
    const first = await app.invoke({}, on("t"));
    const [one, two] = asked(first).approvals.map(({ id }) => id);
    await expect(decide(ledger, one!, { type: "approve" }, { by: "ann", app })).resolves.toMatchObject({
      applied: true,
      woken: false,
    });
    await expect(decide(ledger, two!, { type: "approve" }, { by: "ann", app })).resolves.toMatchObject({
      applied: true,
      woken: true,
    });
    expect(outside.calls).toEqual([1, 2]);
  });
});
