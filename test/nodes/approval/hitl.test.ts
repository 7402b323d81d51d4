import { readFileSync } from "node:fs";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { createAgent, humanInTheLoopMiddleware, type AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { approvalNode } from "../../../src/nodes/approval-node.js";
import { requestApproval } from "../../../src/nodes/request-approval.js";
import { safeTools } from "../../../src/nodes/safe-tools.js";
import { safeToolsMiddleware } from "../../../src/nodes/safe-tools-middleware.js";
import type { ToolPolicy } from "../../../src/nodes/tool-policy.js";
import { ScriptedModel } from "../../scripted-model.js";
import { asked, chain, on, plain, State, useLedger, type Payload } from "./support.js";

/** What langchain's middleware asked for the calls below, as it was stored in a checkpoint. */
const { request: recorded } = JSON.parse(
  readFileSync(new URL("fixtures/hitl-request.json", import.meta.url), "utf8"),
) as { request: Omit<Payload, "approvals"> };

const calls = [
  { name: "refund", args: { order: "7", cents: 1200 }, id: "c1", type: "tool_call" as const },
  { name: "wire", args: { to: "Contoso", note: "“urgent”\n<b>" }, id: "c2", type: "tool_call" as const },
  { name: "look", args: { order: "7" }, id: "c3", type: "tool_call" as const },
];
const fewer = ["approve", "reject"] as const;

const policy: ToolPolicy = {
  tools: { refund: { approval: true }, wire: { approval: { allowedDecisions: fewer } } },
};

function agents(seen: { theirs: unknown[]; ours: unknown[] } = { theirs: [], ours: [] }) {
  const tools = (into: unknown[]) =>
    ["refund", "wire", "look"].map((name) =>
      tool((args) => `${name} done ${into.push({ name, args })}`, {
        name,
        description: name,
        schema: z.looseObject({}),
      }),
    );
  const model = () => new ScriptedModel([new AIMessage({ content: "", tool_calls: calls }), new AIMessage("bye")]);
  const hitl = humanInTheLoopMiddleware({
    interruptOn: { refund: true, wire: { allowedDecisions: [...fewer] } },
  } as never);
  return {
    theirs: createAgent({
      model: model(),
      tools: tools(seen.theirs),
      middleware: [hitl as unknown as AgentMiddleware],
      checkpointer: new MemorySaver(),
    }),
    ours: createAgent({
      model: model(),
      tools: safeTools(tools(seen.ours), policy),
      middleware: [safeToolsMiddleware(policy)],
      checkpointer: new MemorySaver(),
    }),
  };
}

const hello = { messages: [new HumanMessage("go")] };

/** The description with the arguments in it read as JSON: ours stand in canonical order, so that their hash does. */
function readDescription<T extends { description: string }>(action: T): object {
  const [words = "", args = "null"] = action.description.split("\nArgs: ");
  return { ...action, description: { words, args: JSON.parse(args) as unknown } };
}

function comparable({ actionRequests, reviewConfigs, ...rest }: Omit<Payload, "approvals">): object {
  return { ...rest, reviewConfigs, actionRequests: actionRequests.map(readDescription) };
}

describe("what humanInTheLoopMiddleware asked, as it was recorded", () => {
  it("is what the installed one still asks", async () => {
    expect(asked(await agents().theirs.invoke(hello, on("t")))).toEqual(recorded);
  });

  it("is what safeToolsMiddleware asks, key by key, and the approvals beside it", async () => {
    useLedger();
    const { approvals, ...own } = asked(await agents().ours.invoke(hello, on("t")));
    expect(comparable(own)).toEqual(comparable(recorded));
    expect(approvals.map(({ mode }) => mode)).toEqual(["open", "open"]);
  });

  it.each<[string, (args: Record<string, unknown>) => Promise<unknown>]>([
    [
      "requestApproval",
      (args) =>
        chain({
          ask: async () => ({ log: [(await requestApproval({ action: "refund", args })).type] }),
        }).invoke({}, on("t")),
    ],
    [
      "approvalNode",
      (args) =>
        new StateGraph(State)
          .addNode(
            "ask",
            approvalNode({
              name: "hitl",
              propose: () => ({ action: "refund", args }),
              perform: () => Promise.resolve("done"),
              update: (receipt: string) => ({ log: [receipt] }),
            }),
          )
          .addEdge(START, "ask")
          .compile({ checkpointer: new MemorySaver() })
          .invoke({}, on("t")),
    ],
  ])("has the shape in which %s asks", async (_, ask) => {
    useLedger();
    const { approvals, ...own } = asked(await ask(calls[0]!.args));
    expect(Object.keys(own).toSorted()).toEqual(Object.keys(recorded).toSorted());
    const [action] = own.actionRequests;
    expect(Object.keys(action!)).toEqual(Object.keys(recorded.actionRequests[0]!));
    expect(action).toMatchObject({ name: "refund", args: calls[0]!.args });
    expect(own.reviewConfigs).toEqual(recorded.reviewConfigs.slice(0, 1));
    expect(approvals).toHaveLength(1);
  });
});

describe("an answer that was made for humanInTheLoopMiddleware comes to the same", () => {
  const edited = { name: "refund", args: { order: "7", cents: 100 } };
  it.each([
    ["all approved", [{ type: "approve" }, { type: "approve" }]],
    ["one edited", [{ type: "edit", editedAction: edited }, { type: "approve" }]],
    ["all rejected", [{ type: "reject" }, { type: "reject", message: "not today" }]],
  ])("%s", async (_, decisions) => {
    useLedger();
    const seen = { theirs: [] as unknown[], ours: [] as unknown[] };
    const { theirs, ours } = agents(seen);
    const told: Record<string, string>[] = [];
    for (const agent of [theirs, ours]) {
      await agent.invoke(hello, on("t"));
      const { messages } = (await agent.invoke(plain({ decisions }), on("t"))) as { messages: BaseMessage[] };
      const answers = messages.flatMap((message) => (ToolMessage.isInstance(message) ? message : []));
      told.push(Object.fromEntries(answers.map((message) => [message.tool_call_id, message.text])));
    }
    const gated = (all: unknown[]) => (all as { name: string }[]).filter(({ name }) => name !== "look");
    expect(gated(seen.ours)).toEqual(gated(seen.theirs));
    for (const id of ["c1", "c2"].filter((_id, index) => decisions[index]!.type === "reject")) {
      expect(told[1]![id]).toEqual(told[0]![id]);
    }
    expect(Object.keys(told[1]!)).toEqual(expect.arrayContaining(Object.keys(told[0]!)));
  });
});
