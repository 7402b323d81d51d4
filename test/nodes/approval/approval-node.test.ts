import { Annotation, END, MemorySaver, Send, START, StateGraph } from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import { approvalNode, type ApprovalNodeOptions } from "../../../src/nodes/approval-node.js";
import { ApprovalTable } from "../../../src/nodes/approval-table.js";
import { decide } from "../../../src/nodes/decide.js";
import { ApprovalMismatchError, ApprovalNotFoundError } from "../../../src/nodes/approval-errors.js";
import { assertPermitted } from "../../../src/nodes/permission.js";
import { absent, succeeded } from "../../../src/nodes/outcome.js";
import { resume } from "../../../src/nodes/resume.js";
import { approve, asked, asks, MINUTE, on, Outside, plain, START_OF_TIME, useLedger } from "./support.js";

const Shop = Annotation.Root({
  due: Annotation<number>,
  plan: Annotation<number>,
  log: Annotation<string[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
});
type ShopState = typeof Shop.State;

interface Refund {
  amount: number;
}
type Options = ApprovalNodeOptions<ShopState, Refund, string>;

let outside: Outside;
beforeEach(() => {
  outside = new Outside();
});

function refundNode(more: Partial<Options> = {}) {
  return approvalNode<ShopState, Refund, string>({
    name: "refund",
    propose: ({ due }) => (due > 0 ? { action: "refund", args: { amount: due } } : undefined),
    perform: (args) => Promise.resolve(outside.call(args)),
    update: (receipt) => ({ log: [receipt] }),
    onReject: ({ reason }) => ({ log: [`refused: ${reason}`] }),
    ...more,
  });
}

function shop(more: Partial<Options> = {}, checkpointer = new MemorySaver()) {
  return new StateGraph(Shop).addNode("refund", refundNode(more)).addEdge(START, "refund").compile({ checkpointer });
}

describe("approvalNode", () => {
  it("performs what was approved, once, and puts the receipt into the state", async () => {
    useLedger();
    const app = shop();
    const first = await app.invoke({ due: 5 }, on("t"));
    expect(asked(first).actionRequests).toMatchObject([{ name: "refund", args: { amount: 5 } }]);
    const done = await app.invoke(plain(approve), on("t"));
    expect(done.log).toEqual(["done 1"]);
    expect(outside.calls).toEqual([{ amount: 5 }]);
  });

  it("skips what needs nothing", async () => {
    useLedger();
    const done = await shop().invoke({ due: 0 }, on("t"));
    expect(asks(done)).toBe(false);
  });

  it("performs the edit", async () => {
    useLedger();
    const app = shop();
    await app.invoke({ due: 5 }, on("t"));
    await app.invoke(plain({ type: "edit", args: { amount: 2 } }), on("t"));
    expect(outside.calls).toEqual([{ amount: 2 }]);
  });

  it("performs nothing after a rejection, and nothing after expiry", async () => {
    const { clock } = useLedger();
    const app = shop({ decideWithin: "1m" });
    await app.invoke({ due: 5 }, on("a"));
    expect((await app.invoke(plain({ type: "reject", message: "no" }), on("a"))).log).toEqual(["refused: no"]);
    await app.invoke({ due: 5 }, on("b"));
    clock.advance(MINUTE + 1);
    expect((await app.invoke(plain(approve), on("b"))).log).toEqual(['refused: Nobody approved "refund" in time.']);
    expect(outside.calls).toEqual([]);
  });

  it("does not let propose change its mind between ask and answer (E13)", async () => {
    useLedger();
    let due = 5;
    const app = shop({ propose: () => ({ action: "refund", args: { amount: due } }) });
    await app.invoke({ due: 0 }, on("t"));
    due = 1_000_000;
    await app.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual([{ amount: 5 }]);
  });

  it("does not lose the receipt when propose sees on the next pass that nothing is left to do", async () => {
    useLedger();
    const app = shop({
      propose: () => (outside.calls.length === 0 ? { action: "refund", args: { amount: 5 } } : undefined),
      update: (receipt) => {
        if (outside.calls.push("update") === 2) throw new Error("crash");
        return { log: [receipt] };
      },
    });
    await app.invoke({ due: 5 }, on("t"));
    await expect(app.invoke(plain(approve), on("t"))).rejects.toThrow("crash");
    await expect(resume(app, on("t"))).resolves.toMatchObject({ values: { log: ["done 1"] } });
    expect(outside.calls).toEqual([{ amount: 5 }, "update", "update"]);
  });

  it("performs nothing when the plan's version has moved on, and asks anew", async () => {
    useLedger();
    let plan = 1;
    const app = shop({ planVersion: () => plan });
    const first = await app.invoke({ due: 5 }, on("t"));
    expect(asked(first).approvals[0]).toMatchObject({ planVersion: "1" });
    plan = 2;
    const second = asked(await app.invoke(plain(approve), on("t")));
    expect(second).toMatchObject({
      problem: expect.stringContaining("plan version 1; it is 2 by now") as string,
      approvals: [{ planVersion: "2" }],
    });
    expect(outside.calls).toEqual([]);
  });

  it("performs nothing when the decision is older than validFor, and asks anew", async () => {
    const { clock } = useLedger();
    let down = true;
    const app = shop({
      validFor: "1m",
      perform: (args) => {
        if (down) throw Object.assign(new Error("down"), { code: "ECONNREFUSED" });
        return Promise.resolve(outside.call(args));
      },
    });
    await app.invoke({ due: 5 }, on("t"));
    await expect(app.invoke(plain(approve), on("t"))).rejects.toThrow("down");
    down = false;
    clock.advance(MINUTE + 1);
    await expect(resume(app, on("t"))).resolves.toMatchObject({ status: "waiting" });
    expect(outside.calls).toEqual([]);
  });

  it("performs nothing when the row was changed after the decision", async () => {
    const { ledger } = useLedger();
    const app = shop();
    const first = await app.invoke({ due: 5 }, on("t"));
    await decide(ledger, asked(first).approvals[0]!.id, { type: "approve" }, { by: "ann" });
    ledger.store.database.run("UPDATE waypoint_approvals SET decided_args = '{\"amount\":999}'");
    await expect(resume(app, on("t"))).rejects.toMatchObject({ code: "APPROVAL_MISMATCH" });
    expect(outside.calls).toEqual([]);
  });

  it("gives each visit of a loop its own approval", async () => {
    useLedger();
    const app = new StateGraph(Shop)
      .addNode("refund", refundNode())
      .addNode("less", ({ due }) => ({ due: due - 1 }))
      .addEdge(START, "refund")
      .addEdge("refund", "less")
      .addConditionalEdges("less", ({ due }) => (due > 0 ? "refund" : END))
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke({ due: 2 }, on("t"));
    const second = await app.invoke(plain(approve), on("t"));
    expect(asked(second).actionRequests[0]!.args).toEqual({ amount: 1 });
    await app.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual([{ amount: 2 }, { amount: 1 }]);
  });

  it("gives each branch of a fan-out its own, also for equal actions", async () => {
    useLedger();
    const app = new StateGraph(Shop)
      .addNode("refund", refundNode())
      .addConditionalEdges(START, () => [new Send("refund", { due: 3 }), new Send("refund", { due: 3 })])
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke({ due: 0 }, on("t"));
    const { pending } = await resume(app, on("t"));
    expect(pending).toHaveLength(2);
    await resume(app, on("t"), { [pending[0]!.approvalIds[0]!]: { type: "approve" } });
    expect(outside.calls).toHaveLength(1);
    await resume(app, on("t"), { [pending[1]!.approvalIds[0]!]: { type: "approve" } });
    expect(outside.calls).toHaveLength(2);
  });

  it("works in a subgraph", async () => {
    useLedger();
    const inner = new StateGraph(Shop).addNode("refund", refundNode()).addEdge(START, "refund").compile();
    const app = new StateGraph(Shop)
      .addNode("sub", inner)
      .addEdge(START, "sub")
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke({ due: 5 }, on("t"));
    await app.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual([{ amount: 5 }]);
  });

  it("looks up what became of a call that nobody answered, and does not repeat it", async () => {
    useLedger();
    const app = shop({
      perform: (args) => {
        outside.call(args);
        throw Object.assign(new Error("hung up"), { code: "ECONNRESET" });
      },
      lookup: () => Promise.resolve(outside.calls.length > 0 ? succeeded("found it") : absent()),
    });
    await app.invoke({ due: 5 }, on("t"));
    const done = await app.invoke(plain(approve), on("t"));
    expect(done.log).toEqual(["found it"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("allows one effect and no other under one approval", async () => {
    const { ledger } = useLedger();
    const app = shop();
    const first = await app.invoke({ due: 5 }, on("t"));
    const approvalId = asked(first).approvals[0]!.id;
    await app.invoke(plain(approve), on("t"));
    const table = new ApprovalTable(ledger.store);
    const intent = { approvalId, action: "refund", args: { amount: 5 }, visit: "elsewhere", now: START_OF_TIME };
    expect(() => assertPermitted(table, { ...intent, effectId: "eff_other" })).toThrow(ApprovalMismatchError);
    expect(() => assertPermitted(table, { ...intent, effectId: table.find(approvalId)?.usedBy ?? "" })).not.toThrow();
    expect(() => assertPermitted(table, { ...intent, approvalId: "nobody", effectId: "eff_x" })).toThrow(
      ApprovalNotFoundError,
    );
  });

  it("uses the approval's id as key, and spends the approval on the effect", async () => {
    const { ledger } = useLedger();
    const keys: string[] = [];
    const app = shop({
      perform: (args, { key, approval }) => {
        keys.push(key, approval.id);
        return Promise.resolve(outside.call(args));
      },
    });
    const first = await app.invoke({ due: 5 }, on("t"));
    const id = asked(first).approvals[0]!.id;
    await app.invoke(plain(approve), on("t"));
    expect(keys).toEqual([id, id]);
    const approval = new ApprovalTable(ledger.store).find(id);
    expect(approval?.usedBy).toMatch(/^eff_/);
  });
});
