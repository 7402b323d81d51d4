import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { aes256gcm, SlimSaver } from "../../../src/checkpointer/index.js";
import { approvalNode } from "../../../src/nodes/approval-node.js";
import type { Approval, ApprovalPolicy } from "../../../src/nodes/approval.js";
import { ApprovalTable } from "../../../src/nodes/approval-table.js";
import { decide, pendingApprovals } from "../../../src/nodes/decide.js";
import type { Ledger } from "../../../src/nodes/ledger.js";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import { requestApproval, type ApprovalOptions } from "../../../src/nodes/request-approval.js";
import { resume } from "../../../src/nodes/resume.js";
import { safeTools } from "../../../src/nodes/safe-tools.js";
import { safeToolsMiddleware } from "../../../src/nodes/safe-tools-middleware.js";
import { ScriptedModel } from "../../scripted-model.js";
import { approve, asked, asks, chain, MINUTE, on, Outside, plain, State, useLedger, type NodeOf } from "./support.js";

interface Payment {
  n: number;
}

let outside: Outside;
beforeEach(() => {
  outside = new Outside();
});

const once = { ask: "once-per-run" } as const;

/** A node that asks to pay `n`, and pays what was decided. */
function pays(n: number, options: Partial<ApprovalOptions<Payment>> = {}): NodeOf {
  return async () => {
    const decision = await requestApproval<Payment>({ action: "pay", args: { n }, ...options });
    if ("args" in decision) outside.call(decision.args.n);
    return { log: [`${n}:${decision.type}`] };
  };
}

/** Every approval of the thread, in the order in which they came up. */
function rowsOf({ store }: Ledger, ids: readonly string[]): Approval[] {
  return ids.map((id) => new ApprovalTable(store).find(id)!);
}

describe("every time, which is the default", () => {
  it.each([undefined, "every-time"] as const)("each action of one name is asked for (%s)", async (ask) => {
    useLedger();
    const policy = ask === undefined ? {} : { ask };
    const app = chain({ one: pays(1, policy), two: pays(2, policy) });
    await app.invoke({}, on("t"));
    const second = await app.invoke(plain(approve), on("t"));
    expect(asked(second).actionRequests[0]!.args).toEqual({ n: 2 });
    expect(outside.calls).toEqual([1]);
  });

  it("a frequency that is none is refused before anything is asked", async () => {
    useLedger();
    const app = chain({ one: pays(1, { ask: "sometimes" as never }) });
    await expect(app.invoke({}, on("t"))).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("once per run", () => {
  it("an approval, which says so, allows later actions of the name with their own arguments, and each has a row", async () => {
    const { ledger } = useLedger();
    const ids: string[] = [];
    const later: NodeOf = async () => {
      const decision = await requestApproval<Payment>({ action: "pay", args: { n: 2 }, ...once });
      ids.push(decision.approvalId);
      if ("args" in decision) outside.call(decision.args.n);
      return { log: [] };
    };
    const app = chain({ one: pays(1, once), two: later, three: pays(3, once) });
    const first = await app.invoke({}, on("t"));
    expect(asked(first).actionRequests[0]!.description).toContain('Approving allows every later "pay" of this run');
    expect(asked(first).approvals).toMatchObject([{ standsFor: "run" }]);
    const { id } = asked(first).approvals[0]!;
    await decide(ledger, id, { type: "approve" }, { by: "ann", app });
    expect(outside.calls).toEqual([1, 2, 3]);
    expect(rowsOf(ledger, ids)).toMatchObject([{ state: "approved", coveredBy: id, decidedBy: "ann", args: { n: 2 } }]);
    expect(await pendingApprovals(ledger)).toEqual([]);
  });

  it("a new input is a new run", async () => {
    useLedger();
    const app = chain({ one: pays(1, once) });
    await app.invoke({}, on("t"));
    await app.invoke(plain(approve), on("t"));
    expect(asks(await app.invoke({}, on("t")))).toBe(true);
    expect(outside.calls).toEqual([1]);
  });

  it("another thread is another run", async () => {
    useLedger();
    const app = chain({ one: pays(1, once) });
    await app.invoke({}, on("t"));
    await app.invoke(plain(approve), on("t"));
    expect(asks(await app.invoke({}, on("u")))).toBe(true);
  });

  it.each<[string, object]>([
    ["a rejection", { type: "reject" }],
    ["an edit", { type: "edit", args: { n: 7 } }],
  ])("%s allows nothing beside itself", async (_, decision) => {
    useLedger();
    const app = chain({ one: pays(1, once), two: pays(2, once) });
    await app.invoke({}, on("t"));
    expect(asks(await app.invoke(plain(decision), on("t")))).toBe(true);
    expect(outside.calls).not.toContain(2);
  });

  it.each<[string, Partial<ApprovalOptions<Payment>>]>([
    ["another action", { ...once, action: "wire" }],
    ["one that is asked for every time", {}],
    ["one for another version of the plan", { ...once, planVersion: 2 }],
    ["one that others decide on", { ...once, approvers: ["bob"] }],
  ])("%s is asked for all the same", async (_, second) => {
    useLedger();
    const app = chain({ one: pays(1, { ...once, planVersion: 1 }), two: pays(2, { planVersion: 1, ...second }) });
    await app.invoke({}, on("t"));
    expect(asks(await app.invoke(plain(approve), on("t")))).toBe(true);
    expect(outside.calls).toEqual([1]);
  });

  it("an approval that was asked for every time allows no other, whatever the other says", async () => {
    useLedger();
    const app = chain({ one: pays(1), two: pays(2, once) });
    await app.invoke({}, on("t"));
    expect(asks(await app.invoke(plain(approve), on("t")))).toBe(true);
  });

  it("what is asked at the same time is shown and decided at the same time", async () => {
    useLedger();
    const app = chain({
      both: async (state, config) => {
        const all = await Promise.all([pays(1, once)(state, config), pays(2, once)(state, config)]);
        return { log: all.flatMap(({ log }) => log ?? []) };
      },
    });
    const first = await app.invoke({}, on("t"));
    expect(asked(first).approvals).toHaveLength(2);
    const done = await app.invoke(plain({ decisions: [{ type: "approve" }, { type: "reject" }] }), on("t"));
    expect(done.log).toEqual(["1:approve", "2:reject"]);
  });

  it("going back to an old checkpoint asks again: what was approved on the other branch is not this run's", async () => {
    useLedger();
    const app = chain({ before: async () => ({ log: [] }), one: pays(1, once), two: pays(2, once) });
    await app.invoke({}, on("t"));
    await app.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual([1, 2]);
    const history = [];
    for await (const snapshot of app.getStateHistory(on("t"))) history.push(snapshot);
    const start = history.find(({ next }) => next.includes("before"))!;
    expect(asks(await app.invoke(null, start.config))).toBe(true);
    expect(outside.calls).toEqual([1, 2]);
  });

  it("it covers no longer than it is good for", async () => {
    const { clock } = useLedger();
    const policy = { ...once, validFor: MINUTE };
    const app = chain({
      one: pays(1, policy),
      wait: async () => {
        clock.advance(2 * MINUTE);
        return { log: [] };
      },
      two: pays(2, policy),
    });
    await app.invoke({}, on("t"));
    expect(asks(await app.invoke(plain(approve), on("t")))).toBe(true);
    expect(outside.calls).toEqual([1]);
  });

  it("what it covers is good no longer than it is itself", async () => {
    const { ledger, clock } = useLedger();
    const policy = { ...once, validFor: MINUTE };
    const ids: string[] = [];
    const app = chain({
      one: pays(1, policy),
      two: async () => {
        clock.advance(MINUTE / 2);
        ids.push((await requestApproval({ action: "pay", args: { n: 2 }, ...policy })).approvalId);
        return { log: [] };
      },
    });
    const first = await app.invoke({}, on("t"));
    await app.invoke(plain(approve), on("t"));
    const [before, covered] = rowsOf(ledger, [asked(first).approvals[0]!.id, ids[0]!]);
    expect(covered!.coveredBy).toBe(before!.id);
    expect(covered!.validUntil).toBe(before!.validUntil);
    expect(covered!.validUntil).toBeDefined();
  });

  it("holds in a subgraph, across processes and in a sealed database", async () => {
    const saver = SlimSaver.fromConnString(":memory:", { encryption: aes256gcm(Buffer.alloc(32, 7)) });
    const inner = new StateGraph(State)
      .addNode("pay", pays(2, { ...once, approvers: ["ann"] }))
      .addEdge(START, "pay")
      .compile();
    const app = new StateGraph(State)
      .addNode("one", pays(1, { ...once, approvers: ["ann"] }))
      .addNode("sub", inner)
      .addEdge(START, "one")
      .addEdge("one", "sub")
      .compile({ checkpointer: saver });
    await app.invoke({}, on("t"));
    const [first] = await pendingApprovals(ledgerOf(saver));
    await decide(ledgerOf(saver), first!.id, { type: "approve" }, { by: "ann" });
    expect((await resume(app, on("t"))).status).toBe("finished");
    expect(outside.calls).toEqual([1, 2]);
    await saver.close();
  });

  it("an agent asks for a tool once, and runs each call once", async () => {
    useLedger();
    const policy = { tools: { pay: { approval: once }, wire: { approval: once } } };
    const made = ["pay", "wire"].map((name) =>
      tool(({ n }: Payment) => outside.call(`${name} ${n}`), {
        name,
        description: name,
        schema: z.object({ n: z.number() }),
      }),
    );
    const call = (name: string, n: number) =>
      new AIMessage({ content: "", tool_calls: [{ name, args: { n }, id: `${name}-${n}`, type: "tool_call" }] });
    const agent = createAgent({
      model: new ScriptedModel([call("pay", 1), call("pay", 2), call("wire", 3), new AIMessage("bye")]),
      tools: safeTools(made, policy),
      middleware: [safeToolsMiddleware(policy)],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke({ messages: [new HumanMessage("go")] }, on("t"));
    const second = await agent.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual(["pay 1", "pay 2"]);
    expect(asked(second).actionRequests).toMatchObject([{ name: "wire", args: { n: 3 } }]);
    await agent.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual(["pay 1", "pay 2", "wire 3"]);
  });
});

describe("above a threshold", () => {
  const above: ApprovalPolicy<Payment> = { when: ({ n }) => n > 10 };

  it("what lies below needs nobody, and the row says that a rule allowed it", async () => {
    const { ledger } = useLedger();
    const ids: string[] = [];
    const app = chain({
      small: async () => {
        const decision = await requestApproval<Payment>({ action: "pay", args: { n: 10 }, ...above });
        ids.push(decision.approvalId);
        return { log: [decision.type] };
      },
      large: pays(11, above),
    });
    const first = await app.invoke({}, on("t"));
    expect(first.log).toEqual(["approve"]);
    expect(asked(first).actionRequests).toMatchObject([{ args: { n: 11 } }]);
    expect(rowsOf(ledger, ids)).toMatchObject([{ state: "approved", coveredBy: "policy" }]);
    expect(rowsOf(ledger, ids)[0]).not.toHaveProperty("decidedBy");
  });

  it.each([undefined, ["ann"]])(
    "approvalNode performs it under that row, whoever the approvers are (%j)",
    async (approvers) => {
      useLedger();
      const pay = (n: number) =>
        approvalNode({
          name: `pay ${n} ${approvers?.join() ?? ""}`,
          propose: () => ({ action: "pay", args: { n } }),
          perform: ({ n: paid }: Payment) => Promise.resolve(outside.call(paid)),
          update: (receipt: string) => ({ log: [receipt] }),
          ...above,
          ...(approvers === undefined ? {} : { approvers }),
        });
      const app = new StateGraph(State)
        .addNode("small", pay(10))
        .addNode("large", pay(11))
        .addEdge(START, "small")
        .addEdge("small", "large")
        .compile({ checkpointer: new MemorySaver() });
      const first = await app.invoke({}, on("t"));
      expect(outside.calls).toEqual([10]);
      expect(asked(first).actionRequests).toMatchObject([{ args: { n: 11 } }]);
    },
  );

  it("a question that went out stands, even where the arguments have come to lie below", async () => {
    useLedger();
    let n = 11;
    const app = chain({ pay: (state, config) => pays(n, above)(state, config) });
    await app.invoke({}, on("t"));
    n = 1;
    const again = await app.invoke(null, on("t"));
    expect(asked(again).actionRequests).toMatchObject([{ args: { n: 11 } }]);
    expect(outside.calls).toEqual([]);
  });
});
