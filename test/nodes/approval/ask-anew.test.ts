import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Annotation, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { tool } from "langchain";
import { createAgent } from "langchain";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Approval } from "../../../src/nodes/approval.js";
import { approvalNode, type ApprovalNodeOptions } from "../../../src/nodes/approval-node.js";
import { ApprovalTable } from "../../../src/nodes/approval-table.js";
import { decide, pendingApprovals } from "../../../src/nodes/decide.js";
import { EffectTable } from "../../../src/nodes/effect-table.js";
import type { Ledger } from "../../../src/nodes/ledger.js";
import { absent, succeeded, unknown } from "../../../src/nodes/outcome.js";
import { assertPermitted } from "../../../src/nodes/permission.js";
import { resume } from "../../../src/nodes/resume.js";
import { safeTools } from "../../../src/nodes/safe-tools.js";
import { safeToolsMiddleware } from "../../../src/nodes/safe-tools-middleware.js";
import type { ToolPolicy } from "../../../src/nodes/tool-policy.js";
import { ScriptedModel } from "../../scripted-model.js";
import { approve, asked, MINUTE, on, Outside, plain, useLedger, type Payload, type StillClock } from "./support.js";

const Shop = Annotation.Root({
  due: Annotation<number>,
  log: Annotation<string[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
});
interface Refund {
  amount: number;
}
type Options = ApprovalNodeOptions<typeof Shop.State, Refund, string>;

let outside: Outside;
let ledger: Ledger;
let clock: StillClock;
/** What the outside says to the next calls, before it takes one. */
let failures: Error[];
let keys: string[];

beforeEach(() => {
  outside = new Outside();
  ({ ledger, clock } = useLedger());
  failures = [];
  keys = [];
});

const notSent = () => Object.assign(new Error("down"), { code: "ECONNREFUSED", syscall: "connect" });
const broken = () => Object.assign(new Error("hang up"), { code: "ECONNRESET" });

function send(args: unknown, key: string): Promise<string> {
  keys.push(key);
  const failure = failures.shift();
  return failure === undefined ? Promise.resolve(outside.call(args)) : Promise.reject(failure);
}

function shop(more: Partial<Options> = {}) {
  const refund = approvalNode<typeof Shop.State, Refund, string>({
    name: "refund-anew",
    propose: ({ due }) => ({ action: "refund", args: { amount: due } }),
    perform: (args, { key }) => send(args, key),
    update: (receipt) => ({ log: [receipt] }),
    onReject: ({ reason }) => ({ log: [`refused: ${reason}`] }),
    validFor: "1m",
    ...more,
  });
  return new StateGraph(Shop)
    .addNode("refund", refund)
    .addEdge(START, "refund")
    .compile({ checkpointer: new MemorySaver() });
}

type App = ReturnType<typeof shop>;

async function decideOne(decision: Parameters<typeof decide>[2] = { type: "approve" }): Promise<Approval> {
  const [open] = await pendingApprovals(ledger, { threadId: "t" });
  return (await decide(ledger, open!.id, decision, { by: "ann" })).approval;
}

/** Asked, approved, and continued when the approval is too old. */
async function expired(app: App): Promise<Payload> {
  await app.invoke({ due: 5 }, on("t"));
  await decideOne();
  clock.advance(MINUTE + 1);
  const { pending } = await resume(app, on("t"));
  return pending[0]!.value as Payload;
}

describe("an approval that is too old by the time of the effect", () => {
  it("is asked for anew in the same visit, with the reason; the new one runs the action once", async () => {
    const app = shop();
    const question = await expired(app);
    expect(question.problem).toMatch(/was good until .* asked for again/);
    expect(question.actionRequests).toMatchObject([{ name: "refund", args: { amount: 5 } }]);
    expect(outside.calls).toEqual([]);
    await decideOne();
    await expect(resume(app, on("t"))).resolves.toMatchObject({ status: "finished", values: { log: ["done 1"] } });
    await expect(resume(app, on("t"))).resolves.toMatchObject({ status: "finished" });
    expect(outside.calls).toHaveLength(1);
  });

  it("is asked for as often as it grows too old, and each answer reaches its own question", async () => {
    const app = shop();
    await expired(app);
    for (let round = 1; round <= 2; round += 1) {
      await decideOne();
      clock.advance(MINUTE + 1);
      await expect(resume(app, on("t"))).resolves.toMatchObject({ status: "waiting" });
    }
    const last = await app.invoke(plain(approve), on("t"));
    expect(last).toMatchObject({ log: ["done 1"] });
    expect(outside.calls).toHaveLength(1);
  });

  it("may be rejected, and then nothing runs", async () => {
    const app = shop();
    await expired(app);
    await decideOne({ type: "reject", message: "too late" });
    await expect(resume(app, on("t"))).resolves.toMatchObject({ values: { log: ["refused: too late"] } });
    expect(outside.calls).toEqual([]);
  });

  it("allows nothing any more, even where another pass still holds it", async () => {
    const app = shop();
    await app.invoke({ due: 5 }, on("t"));
    const old = await decideOne();
    clock.advance(MINUTE + 1);
    await resume(app, on("t"));
    const intent = { approvalId: old.id, action: "refund", args: { amount: 5 }, effectId: "eff", visit: old.visit };
    const early = { ...intent, now: Date.parse(old.decidedAt!) };
    expect(() => assertPermitted(new ApprovalTable(ledger.store), early)).toThrow("asked for anew meanwhile");
  });

  it("keeps its idempotency key after an attempt that did not get through", async () => {
    failures = [notSent()];
    const app = shop();
    await app.invoke({ due: 5 }, on("t"));
    await expect(app.invoke(plain(approve), on("t"))).rejects.toThrow("down");
    clock.advance(MINUTE + 1);
    await resume(app, on("t"));
    await decideOne();
    await expect(resume(app, on("t"))).resolves.toMatchObject({ status: "finished" });
    expect(new Set(keys).size).toBe(1);
    expect(outside.calls).toHaveLength(1);
  });

  it("gets a key of its own when it is edited, since that is another action", async () => {
    failures = [notSent()];
    const app = shop();
    await app.invoke({ due: 5 }, on("t"));
    await expect(app.invoke(plain(approve), on("t"))).rejects.toThrow("down");
    clock.advance(MINUTE + 1);
    await resume(app, on("t"));
    await decideOne({ type: "edit", args: { amount: 4 } });
    await expect(resume(app, on("t"))).resolves.toMatchObject({ status: "finished" });
    expect(new Set(keys).size).toBe(2);
    expect(outside.calls).toEqual([{ amount: 4 }]);
  });

  it("shows what was allowed last, not what was proposed first", async () => {
    const app = shop();
    await app.invoke({ due: 5 }, on("t"));
    await decideOne({ type: "edit", args: { amount: 3 } });
    clock.advance(MINUTE + 1);
    const { pending } = await resume(app, on("t"));
    expect((pending[0]!.value as Payload).actionRequests[0]!.args).toEqual({ amount: 3 });
    await decideOne();
    await resume(app, on("t"));
    expect(outside.calls).toEqual([{ amount: 3 }]);
  });

  it("is not asked for again once the action was carried out", async () => {
    let crash = true;
    const update = (receipt: string) => {
      if (crash) throw new Error("crash");
      return { log: [receipt] };
    };
    const app = shop({ update });
    await app.invoke({ due: 5 }, on("t"));
    await expect(app.invoke(plain(approve), on("t"))).rejects.toThrow("crash");
    crash = false;
    clock.advance(MINUTE + 1);
    await expect(resume(app, on("t"))).resolves.toMatchObject({ values: { log: ["done 1"] } });
    expect(outside.calls).toHaveLength(1);
  });

  it("is not asked for while it is unknown whether the action was carried out; that is asked first", async () => {
    failures = [broken()];
    let seen = false;
    const app = shop({ lookup: () => Promise.resolve(seen ? absent() : unknown()) });
    await app.invoke({ due: 5 }, on("t"));
    await app.invoke(plain(approve), on("t"));
    clock.advance(MINUTE + 1);
    const first = await resume(app, on("t"));
    expect(first.pending[0]!.value).toMatchObject({ type: "waypoint.unknown_effect" });
    seen = true;
    const retry = { as: "retry", by: "ann", evidence: "not in the books" };
    await expect(resume(app, on("t"), { [first.pending[0]!.interruptId]: retry })).rejects.toMatchObject({
      code: "APPROVAL_EXPIRED",
      message: expect.stringContaining("resume(app, config)") as string,
    });
    const second = await resume(app, on("t"));
    expect((second.pending[0]!.value as Payload).problem).toContain("was good until");
    await decideOne();
    await expect(resume(app, on("t"))).resolves.toMatchObject({ status: "finished" });
    expect(outside.calls).toHaveLength(1);
  });
});

describe("the same in a tool", () => {
  const says = (...ids: string[]) =>
    new AIMessage({
      content: "",
      tool_calls: ids.map((id, index) => ({ name: "refund", args: { amount: index }, id })),
    });
  const policy: ToolPolicy = { tools: { refund: { approval: { validFor: "1m" } } } };
  const refund = tool(({ amount }) => outside.call(`refund ${amount}`), {
    name: "refund",
    description: "refunds",
    schema: z.object({ amount: z.number() }),
  });
  const texts = (values: unknown) =>
    (values as { messages: BaseMessage[] }).messages
      .filter((message) => ToolMessage.isInstance(message))
      .map((message) => message.text);

  it.each([true, false])("asks anew and runs once (asked by the middleware: %s)", async (middleware) => {
    const agent = createAgent({
      model: new ScriptedModel([says("c1"), new AIMessage("bye")]),
      tools: safeTools([refund], policy),
      middleware: middleware ? [safeToolsMiddleware(policy)] : [],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke({ messages: [new HumanMessage("hi")] }, on("t"));
    for (let round = 1; round <= 2; round += 1) {
      await decideOne();
      clock.advance(MINUTE + 1);
      const { pending } = await resume(agent, on("t"));
      expect((pending[0]!.value as Payload).problem).toContain("was good until");
      expect(outside.calls).toEqual([]);
    }
    await decideOne({ type: "edit", args: { amount: 7 } });
    const { values } = await resume(agent, on("t"));
    expect(texts(values)[0]).toContain("done 1");
    expect(outside.calls).toEqual(["refund 7"]);
    expect(new EffectTable(ledger.store).all("t")).toHaveLength(1);
  });

  it("two calls of one message with one id are two questions, and each runs as it was asked", async () => {
    const app = new StateGraph(MessagesAnnotation)
      .addNode("model", ({ messages }) => ({ messages: [messages.length > 1 ? new AIMessage("bye") : says("c", "c")] }))
      .addNode("tools", new ToolNode(safeTools([refund], policy)))
      .addEdge(START, "model")
      .addConditionalEdges("model", ({ messages }) => (messages.length > 2 ? END : "tools"), ["tools", END])
      .addEdge("tools", "model")
      .compile({ checkpointer: new MemorySaver() });
    const first = asked(await app.invoke({ messages: [new HumanMessage("hi")] }, on("t")));
    expect(first.actionRequests.map(({ args }) => args.amount).toSorted()).toEqual([0, 1]);
    const both = { decisions: [{ type: "approve" }, { type: "approve" }] };
    const done = await app.invoke(plain(both), on("t"));
    expect(texts(done)).toHaveLength(2);
    expect(outside.calls.toSorted()).toEqual(["refund 0", "refund 1"]);
  });
});

it("a lookup that finds the action spares the new question", async () => {
  failures = [broken()];
  let found = false;
  const app = shop({ lookup: () => Promise.resolve(found ? succeeded("found") : unknown()) });
  await app.invoke({ due: 5 }, on("t"));
  await app.invoke(plain(approve), on("t"));
  clock.advance(MINUTE + 1);
  found = true;
  const { pending } = await resume(app, on("t"));
  const answer = { as: "retry", by: "ann", evidence: "?" };
  await expect(resume(app, on("t"), { [pending[0]!.interruptId]: answer })).resolves.toMatchObject({
    values: { log: ["found"] },
  });
});
