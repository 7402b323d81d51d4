import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SafeToolNode } from "../../../src/nodes/safe-tool-node.js";
import { effect } from "../../../src/nodes/effect.js";
import { classifyError, ERROR_CLASSES, type ErrorClass } from "../../../src/shared/classify.js";
import { ScriptedModel } from "../../scripted-model.js";
import { asked, chain, fresh, on, refusedConnection, reset, saver } from "./support.js";

const http = (status: number, text: string): Error => Object.assign(new Error(text), { status });

/** For every class of error: what somebody outside might say, and where it must go. */
const ROUTES: readonly { class: ErrorClass; error: Error; goes: "to the model" | "to a person" }[] = [
  { class: "business-refusal", error: http(402, "the card was declined"), goes: "to the model" },
  { class: "invalid-arguments", error: http(422, "no such date"), goes: "to the model" },
  { class: "permission", error: http(403, "not yours"), goes: "to the model" },
  { class: "unknown-tool", error: new Error('Tool "pay" not found.'), goes: "to the model" },
  { class: "persistent", error: new Error("the ledger is closed at night"), goes: "to the model" },
  { class: "transient", error: refusedConnection(), goes: "to the model" },
  { class: "transient", error: http(429, "slow down"), goes: "to the model" },
  { class: "transient", error: reset(), goes: "to a person" },
  { class: "transient", error: http(500, "oops"), goes: "to a person" },
  { class: "timeout", error: http(504, "gateway"), goes: "to a person" },
  { class: "timeout", error: Object.assign(new Error("took too long"), { name: "TimeoutError" }), goes: "to a person" },
  { class: "model-unavailable", error: http(529, "overloaded"), goes: "to a person" },
];

function paying(error: Error) {
  let calls = 0;
  const pay = effect<object, unknown>({
    name: fresh("pay"),
    key: () => "k",
    run: () => ((calls += 1), Promise.reject(error)),
  });
  const schema = z.object({});
  const tools = [tool((args, config) => pay(args, config), { name: "pay", description: ".", schema })];
  return { pay, tools, calls: () => calls };
}

const message = new AIMessage({ content: "", tool_calls: [{ name: "pay", args: {}, id: "c1", type: "tool_call" }] });
type Tools = ReturnType<typeof paying>["tools"];

const inTools = (node: ToolNode) =>
  new StateGraph(MessagesAnnotation)
    .addNode("tools", node)
    .addNode("end", () => ({ messages: [new AIMessage("done")] }))
    .addEdge(START, "tools")
    .addEdge("tools", "end")
    .compile({ checkpointer: saver() });

const SHELLS: readonly (readonly [string, (tools: Tools) => Promise<unknown>])[] = [
  [
    "createAgent",
    (tools) =>
      createAgent({ model: new ScriptedModel([message, new AIMessage("done")]), tools, checkpointer: saver() }).invoke(
        { messages: [{ role: "user", content: "go" }] },
        on("t"),
      ),
  ],
  ["ToolNode", (tools) => inTools(new ToolNode(tools)).invoke({ messages: [message] }, on("t"))],
  ["SafeToolNode", (tools) => inTools(new SafeToolNode(tools, { tools: {} })).invoke({ messages: [message] }, on("t"))],
];

it("every class of error has a route", () => {
  expect(new Set(ROUTES.map((route) => route.class))).toEqual(new Set(ERROR_CLASSES));
  for (const route of ROUTES) expect(classifyError(route.error), route.error.message).toBe(route.class);
});

describe.each(SHELLS)("in a tool of %s", (_, run) => {
  it.each(ROUTES)("$class ($error.message) goes $goes", async ({ error, goes }) => {
    const { tools, calls } = paying(error);
    const { messages, __interrupt__: questions } = (await run(tools)) as {
      messages: BaseMessage[];
      __interrupt__?: { value: { type: string } }[];
    };
    const told = messages.filter(({ type }) => type === "tool").map(({ text }) => text);
    if (goes === "to the model") {
      expect(questions).toBeUndefined();
      expect(told).toEqual([expect.stringContaining(error.message)]);
      expect(messages.at(-1)?.text).toBe("done");
    } else {
      expect(questions?.[0]?.value.type).toBe("waypoint.unknown_effect");
      expect(told).toEqual([]);
    }
    expect(calls()).toBe(1);
  });
});

describe("in a node of a StateGraph, also under a retryPolicy", () => {
  it.each(ROUTES)(
    "$class ($error.message): what goes to the model is thrown, the rest asks; nothing is repeated",
    async ({ error, goes }) => {
      for (const maxAttempts of [1, 3]) {
        const { pay, calls } = paying(error);
        const retryPolicy = { maxAttempts, initialInterval: 1, jitter: false, logWarning: false, retryOn: () => true };
        const app = chain(saver(), { node: async () => ({ log: [await pay({})] }) }, { retryPolicy });
        const result = app.invoke({}, on("t"));
        if (goes === "to a person") expect(asked(await result)?.type).toBe("waypoint.unknown_effect");
        else await expect(result).rejects.toThrow(error.message);
        // What certainly did nothing may be tried again by a further run of the node.
        const isNotSent = goes === "to the model" && classifyError(error) === "transient";
        expect(calls()).toBe(isNotSent ? maxAttempts : 1);
      }
    },
  );
});
