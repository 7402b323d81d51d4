import { Command, Send, START, StateGraph, MemorySaver, interrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { decide, pendingApprovals } from "../../../src/nodes/decide.js";
import { requestApproval, type ApprovalOptions } from "../../../src/nodes/request-approval.js";
import { approve, asked, asks, chain, MINUTE, on, Outside, plain, State, useLedger, type StateOf } from "./support.js";

interface Refund {
  amount: number;
}

/** A node that asks to refund what the state says, and pays what was decided. */
function payer(outside: Outside, options: Partial<ApprovalOptions<Refund>> = {}) {
  return async (state: Pick<StateOf, "amount">) => {
    const decision = await requestApproval<Refund>({ action: "refund", args: { amount: state.amount }, ...options });
    if (decision.type === "approve" || decision.type === "edit") outside.call(decision.args);
    return { log: [`${decision.type}:${JSON.stringify({ ...decision, approvalId: undefined, type: undefined })}`] };
  };
}

describe("open mode", () => {
  it("lets a plain Command({ resume }) decide", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside) });
    const first = await app.invoke({ amount: 5 }, on("t"));
    expect(asked(first).actionRequests).toMatchObject([{ name: "refund", args: { amount: 5 } }]);
    const done = await app.invoke(plain(approve), on("t"));
    expect(asks(done)).toBe(false);
    expect(outside.calls).toEqual([{ amount: 5 }]);
  });

  it("takes a bare decision for a single question", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside) });
    await app.invoke({ amount: 5 }, on("t"));
    await app.invoke(plain({ type: "approve" }), on("t"));
    expect(outside.calls).toHaveLength(1);
  });

  it("pays once when the same Command arrives twice", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside) });
    await app.invoke({ amount: 5 }, on("t"));
    await app.invoke(plain(approve), on("t"));
    await app.invoke(plain(approve), on("t"));
    expect(outside.calls).toHaveLength(1);
  });

  it("hands a rejection and its reason to the node", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside) });
    await app.invoke({ amount: 5 }, on("t"));
    const done = await app.invoke(plain({ decisions: [{ type: "reject", message: "too much" }] }), on("t"));
    expect(done.log).toEqual(['reject:{"reason":"too much"}']);
    expect(outside.calls).toEqual([]);
  });

  it("refuses a response unless it was opted in", async () => {
    useLedger();
    const app = chain({ pay: payer(new Outside()) });
    await app.invoke({ amount: 5 }, on("t"));
    const again = await app.invoke(plain({ decisions: [{ type: "respond", message: "hm" }] }), on("t"));
    expect(asked(again).problem).toContain('"respond" is not allowed');
  });

  it("hands over a response where it was opted in", async () => {
    useLedger();
    const app = chain({ pay: payer(new Outside(), { allowedDecisions: ["approve", "respond"] }) });
    await app.invoke({ amount: 5 }, on("t"));
    const done = await app.invoke(plain({ decisions: [{ type: "respond", message: "ask Bob" }] }), on("t"));
    expect(done.log).toEqual(['respond:{"message":"ask Bob"}']);
  });
});

describe("an answer of the wrong shape", () => {
  it.each([
    ["a boolean", true],
    ["a text", "yes"],
    ["too many decisions", { decisions: [{ type: "approve" }, { type: "approve" }] }],
    ["an unknown type", { decisions: [{ type: "accept" }] }],
    ["decisions that are no list", { decisions: "approve" }],
    ["an edit without arguments", { decisions: [{ type: "edit" }] }],
    [
      "an edit that renames the action",
      { decisions: [{ type: "edit", editedAction: { name: "wire", args: { amount: 5 } } }] },
    ],
    ["a record of unknown ids", { nobody: { type: "approve" } }],
    ["an approval of another version", { decisions: [{ type: "approve", actionHash: "0" }] }],
    ["a rejection whose message is no text", { decisions: [{ type: "reject", message: { deep: 1 } }] }],
  ])("asks again and says why: %s", async (_name, answer) => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside) });
    await app.invoke({ amount: 5 }, on("t"));
    const again = await app.invoke(plain(answer), on("t"));
    expect(asked(again).problem).toMatch(/./);
    expect(outside.calls).toEqual([]);
    await app.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual([{ amount: 5 }]);
  });
});

describe("an edit", () => {
  const schema = z.object({ amount: z.number().max(10) });

  it("runs with the edited arguments", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside, { schema }) });
    await app.invoke({ amount: 5 }, on("t"));
    await app.invoke(
      plain({ decisions: [{ type: "edit", editedAction: { name: "refund", args: { amount: 3 } } }] }),
      on("t"),
    );
    expect(outside.calls).toEqual([{ amount: 3 }]);
  });

  it("is hashed anew: what may run is what was edited, and no more what was shown", async () => {
    const { ledger } = useLedger();
    const app = chain({ pay: payer(new Outside()) });
    const { id, actionHash } = asked(await app.invoke({ amount: 5 }, on("t"))).approvals[0]!;
    const edit = { type: "edit", args: { amount: 3 }, actionHash } as const;
    const { approval } = await decide(ledger, id, edit, { by: "ann" });
    expect(approval).toMatchObject({ state: "edited", args: { amount: 5 }, decidedArgs: { amount: 3 }, actionHash });
    expect(approval.decidedHash).toMatch(/^[\w-]{20,}/);
    expect(approval.decidedHash).not.toBe(actionHash);
  });

  it("that does not fit the schema asks again", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside, { schema }) });
    await app.invoke({ amount: 5 }, on("t"));
    const again = await app.invoke(plain({ type: "edit", args: { amount: 11 } }), on("t"));
    expect(asked(again).problem).toContain("amount");
    expect(outside.calls).toEqual([]);
  });

  it("from decide() that does not fit the schema asks again when the graph runs", async () => {
    const { ledger } = useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside, { schema }) });
    const first = await app.invoke({ amount: 5 }, on("t"));
    const id = asked(first).approvals[0]!.id;
    await decide(ledger, id, { type: "edit", args: { amount: 11 } }, { by: "ann", app });
    expect(outside.calls).toEqual([]);
    expect(await pendingApprovals(ledger)).toMatchObject([
      { id, problem: expect.stringContaining("amount") as string },
    ]);
    await decide(ledger, id, { type: "edit", args: { amount: 9 } }, { by: "ann", app });
    expect(outside.calls).toEqual([{ amount: 9 }]);
  });
});

describe("what is performed is what was shown", () => {
  it("although the state changes under the question: it asks anew instead of paying the new sum (E13)", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside) });
    await app.invoke({ amount: 5 }, on("t"));
    await app.updateState(on("t"), { amount: 1_000_000 }, "__start__");
    const again = await app.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual([]);
    expect(asked(again).actionRequests[0]!.args).toEqual({ amount: 1_000_000 });
  });

  it("although the resume itself carries an update (E13)", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside) });
    await app.invoke({ amount: 5 }, on("t"));
    await app.invoke(new Command({ resume: approve, update: { amount: 1_000_000 } }), on("t"));
    expect(outside.calls.every((call) => (call as Refund).amount === 5)).toBe(true);
  });

  it("although the arguments are computed anew on every pass", async () => {
    useLedger();
    const outside = new Outside();
    let pass = 0;
    const app = chain({
      pay: async () => {
        pass += 1;
        const decision = await requestApproval({ action: "refund", args: { amount: pass } });
        if (decision.type === "approve") outside.call(decision.args);
        return { log: [] };
      },
    });
    await app.invoke({ amount: 5 }, on("t"));
    await app.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual([{ amount: 1 }]);
  });
});

describe("each question gets its own answer", () => {
  it("with two gates in one node", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({
      pay: async () => {
        const one = await requestApproval({ action: "refund", args: { n: 1 } });
        const two = await requestApproval({ action: "refund", args: { n: 2 } });
        return { log: [one.type, two.type] };
      },
    });
    const first = await app.invoke({ amount: 5 }, on("t"));
    expect(asked(first).actionRequests[0]!.args).toEqual({ n: 1 });
    const second = await app.invoke(plain(approve), on("t"));
    expect(asked(second).actionRequests[0]!.args).toEqual({ n: 2 });
    const done = await app.invoke(plain({ decisions: [{ type: "reject" }] }), on("t"));
    expect(done.log).toEqual(["approve", "reject"]);
    expect(outside.calls).toEqual([]);
  });

  it("with a user's own interrupt between two gates", async () => {
    useLedger();
    const app = chain({
      pay: async () => {
        const one = await requestApproval({ action: "refund", args: { n: 1 } });
        const word = interrupt<string, string>("the word?");
        const two = await requestApproval({ action: "refund", args: { n: 2 } });
        return { log: [one.type, word, two.type] };
      },
    });
    await app.invoke({ amount: 5 }, on("t"));
    await app.invoke(plain(approve), on("t"));
    await app.invoke(plain("swordfish"), on("t"));
    const done = await app.invoke(plain({ type: "reject" }), on("t"));
    expect(done.log).toEqual(["approve", "swordfish", "reject"]);
  });

  it("with a question that was decided elsewhere before it was answered: the spent answer goes nowhere else", async () => {
    const { ledger } = useLedger();
    const app = chain({
      pay: async () => {
        const one = await requestApproval({ action: "refund", args: { n: 1 } });
        const word = interrupt<string, string>("the word?");
        return { log: [one.type, word] };
      },
    });
    const first = await app.invoke({ amount: 5 }, on("t"));
    await decide(ledger, asked(first).approvals[0]!.id, { type: "reject" }, { by: "ann" });
    await app.invoke(plain(approve), on("t"));
    const done = await app.invoke(plain("swordfish"), on("t"));
    expect(done.log).toEqual(["reject", "swordfish"]);
  });

  it("with approvals in a Promise.all: one request, decisions by position", async () => {
    useLedger();
    const app = chain({
      pay: async () => {
        const all = await Promise.all([1, 2, 3].map((n) => requestApproval({ action: "refund", args: { n } })));
        return { log: all.map((decision) => decision.type) };
      },
    });
    const first = await app.invoke({ amount: 5 }, on("t"));
    expect(asked(first).actionRequests.map(({ args }) => args.n)).toEqual([1, 2, 3]);
    expect(asked(first).approvals).toHaveLength(3);
    const done = await app.invoke(
      plain({ decisions: [{ type: "approve" }, { type: "reject" }, { type: "edit", args: { n: 4 } }] }),
      on("t"),
    );
    expect(done.log).toEqual(["approve", "reject", "edit"]);
  });

  it("with approvals in a Promise.all whose order turns round on the re-run", async () => {
    useLedger();
    let pass = 0;
    const app = chain({
      pay: async () => {
        pass += 1;
        const order = pass === 1 ? [1, 2] : [2, 1];
        const all = await Promise.all(order.map((n) => requestApproval({ action: "refund", args: { n } })));
        return { log: all.map((decision) => `${JSON.stringify("args" in decision && decision.args)}${decision.type}`) };
      },
    });
    await app.invoke({ amount: 5 }, on("t"));
    const done = await app.invoke(
      plain({ decisions: [{ type: "approve" }, { type: "edit", args: { n: 22 } }] }),
      on("t"),
    );
    expect(done.log).toEqual(['{"n":22}edit', '{"n":1}approve']);
  });

  it("with a record of decisions by approval id, some now and some later", async () => {
    useLedger();
    const app = chain({
      pay: async () => {
        const all = await Promise.all([1, 2].map((n) => requestApproval({ action: "refund", args: { n } })));
        return { log: all.map((decision) => decision.type) };
      },
    });
    const first = await app.invoke({ amount: 5 }, on("t"));
    const [one, two] = asked(first).approvals.map(({ id }) => id);
    const second = await app.invoke(plain({ decisions: { [two!]: { type: "reject" } } }), on("t"));
    expect(asked(second).approvals.map(({ id }) => id)).toEqual([one]);
    const done = await app.invoke(plain({ [one!]: { type: "approve" } }), on("t"));
    expect(done.log).toEqual(["approve", "reject"]);
  });
});

describe("a fan-out by Send", () => {
  function fanOut(outside: Outside) {
    return new StateGraph(State)
      .addNode("pay", payer(outside))
      .addConditionalEdges(START, () => [new Send("pay", { amount: 1 }), new Send("pay", { amount: 2 })])
      .compile({ checkpointer: new MemorySaver() });
  }

  it("refuses one plain answer for several questions (E11), and takes answers by interrupt id", async () => {
    useLedger();
    const outside = new Outside();
    const app = fanOut(outside);
    await app.invoke({ amount: 0 }, on("t"));
    const again = await app.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual([]);
    expect(asked(again).problem).toContain("Several questions wait");
    const [one, two] = (again as unknown as { __interrupt__: { id: string }[] }).__interrupt__;
    await app.invoke(plain({ [one!.id]: approve }), on("t"));
    expect(outside.calls).toEqual([{ amount: 1 }]);
    await app.invoke(plain({ [two!.id]: { decisions: [{ type: "reject" }] } }), on("t"));
    expect(outside.calls).toEqual([{ amount: 1 }]);
  });

  it("never lets an answer that was refused decide later, when only one question is left", async () => {
    useLedger();
    const outside = new Outside();
    const app = fanOut(outside);
    await app.invoke({ amount: 0 }, on("t"));
    const again = await app.invoke(plain(approve), on("t"));
    const [one] = (again as unknown as { __interrupt__: { id: string }[] }).__interrupt__;
    const last = await app.invoke(plain({ [one!.id]: { type: "reject" } }), on("t"));
    expect(outside.calls).toEqual([]);
    expect(asks(last)).toBe(true);
  });
});

describe("time", () => {
  it("expires an approval that is answered after decideWithin", async () => {
    const { clock } = useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside, { decideWithin: "1m" }) });
    const first = await app.invoke({ amount: 5 }, on("t"));
    expect(asked(first).approvals[0]!.decideBy).toBe("2026-01-01T00:01:00.000Z");
    clock.advance(MINUTE + 1);
    const done = await app.invoke(plain(approve), on("t"));
    expect(done.log).toEqual(["expired:{}"]);
    expect(outside.calls).toEqual([]);
  });

  it("takes an answer at the last moment", async () => {
    const { clock } = useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside, { decideWithin: "1m" }) });
    await app.invoke({ amount: 5 }, on("t"));
    clock.advance(MINUTE);
    await app.invoke(plain(approve), on("t"));
    expect(outside.calls).toHaveLength(1);
  });
});

describe("bound mode", () => {
  const identify = (config: { configurable?: Record<string, unknown> }) =>
    config.configurable?.user as string | undefined;

  it("asks again after a plain resume, and decide() decides", async () => {
    const { ledger } = useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside, { approvers: ["ann"] }) });
    await app.invoke({ amount: 5 }, on("t"));
    const again = await app.invoke(plain(approve), on("t"));
    expect(asked(again).problem).toContain("bound");
    expect(outside.calls).toEqual([]);
    const id = asked(again).approvals[0]!.id;
    const result = await decide(ledger, id, { type: "approve" }, { by: "ann", app });
    expect(result).toMatchObject({ applied: true, woken: true });
    expect(outside.calls).toEqual([{ amount: 5 }]);
  });

  it("takes a resume that names the approval from an approver whom identify knows", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside, { approvers: ["ann"], identify }) });
    const first = await app.invoke({ amount: 5 }, on("t"));
    const answer = { decisions: [{ type: "approve", approvalId: asked(first).approvals[0]!.id }] };
    const again = await app.invoke(plain(answer), { configurable: { thread_id: "t", user: "mallory" } });
    expect(asked(again).problem).toContain('"mallory" may not decide');
    expect(outside.calls).toEqual([]);
    await app.invoke(plain(answer), { configurable: { thread_id: "t", user: "ann" } });
    expect(outside.calls).toEqual([{ amount: 5 }]);
  });

  it("takes no answer that does not name the approval, not even an approver's", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside, { approvers: ["ann"], identify }) });
    await app.invoke({ amount: 5 }, on("t"));
    const again = await app.invoke(plain(approve), { configurable: { thread_id: "t", user: "ann" } });
    expect(asked(again).problem).toContain("bound");
    expect(outside.calls).toEqual([]);
  });

  it("never judges a stranger's answer again under an approver's identity", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside, { approvers: ["ann"], identify }) });
    const first = await app.invoke({ amount: 5 }, on("t"));
    const answer = { decisions: [{ type: "approve", approvalId: asked(first).approvals[0]!.id }] };
    await app.invoke(plain(answer), { configurable: { thread_id: "t", user: "mallory" } });
    const still = await app.invoke(plain("hello"), { configurable: { thread_id: "t", user: "ann" } });
    expect(asks(still)).toBe(true);
    expect(outside.calls).toEqual([]);
  });

  it("refuses a named answer when identify knows nobody", async () => {
    useLedger();
    const outside = new Outside();
    const app = chain({ pay: payer(outside, { mode: "bound" }) });
    const first = await app.invoke({ amount: 5 }, on("t"));
    const again = await app.invoke(plain({ [asked(first).approvals[0]!.id]: { type: "approve" } }), on("t"));
    expect(asked(again).problem).toContain("not known who answered");
  });

  it("cannot be switched off while approvers are named", async () => {
    useLedger();
    const app = chain({ pay: payer(new Outside(), { approvers: ["ann"], mode: "open" }) });
    await expect(app.invoke({ amount: 5 }, on("t"))).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("the notification", () => {
  it("goes out once, however often the node runs again", async () => {
    useLedger();
    const seen: string[] = [];
    const app = chain({ pay: payer(new Outside(), { notify: ({ id }) => void seen.push(id) }) });
    await app.invoke({ amount: 5 }, on("t"));
    await app.invoke(plain("nonsense"), on("t"));
    await app.invoke(plain(approve), on("t"));
    expect(seen).toHaveLength(1);
  });

  it("goes out once for a question that is still open when a sibling's answer runs its node again", async () => {
    useLedger();
    const seen: string[] = [];
    const app = new StateGraph(State)
      .addNode("pay", payer(new Outside(), { notify: ({ args }) => void seen.push(JSON.stringify(args)) }))
      .addConditionalEdges(START, () => [new Send("pay", { amount: 1 }), new Send("pay", { amount: 2 })])
      .compile({ checkpointer: new MemorySaver() });
    const first = await app.invoke({ amount: 0 }, on("t"));
    const [one] = (first as unknown as { __interrupt__: { id: string }[] }).__interrupt__;
    const second = await app.invoke(plain({ [one!.id]: approve }), on("t"));
    expect(asks(second)).toBe(true);
    await app.invoke(null, on("t"));
    expect(seen.toSorted()).toEqual(['{"amount":1}', '{"amount":2}']);
  });

  it("that fails loses no question, and is tried again on the next pass", async () => {
    useLedger();
    let calls = 0;
    const notify = () => {
      calls += 1;
      if (calls === 1) throw new Error("pager down");
    };
    const app = chain({ pay: payer(new Outside(), { notify }) });
    const first = await app.invoke({ amount: 5 }, on("t"));
    expect(asks(first)).toBe(true);
    await app.invoke(plain("nonsense"), on("t"));
    expect(calls).toBe(2);
  });
});

it("arguments that are not plain JSON are refused before anything is asked", async () => {
  useLedger();
  const app = chain({
    pay: async () => ({ log: [(await requestApproval({ action: "x", args: { at: new Date(0) } })).type] }),
  });
  await expect(app.invoke({ amount: 5 }, on("t"))).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

it("without a ledger nothing is asked", async () => {
  const app = chain({ pay: payer(new Outside()) });
  await expect(app.invoke({ amount: 5 }, on("t"))).rejects.toMatchObject({ code: "NO_LEDGER" });
});
