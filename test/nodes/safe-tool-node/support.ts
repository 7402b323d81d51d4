import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { interrupt, MessagesAnnotation, Send, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { SlimSaver } from "../../../src/checkpointer/slim-saver.js";
import type { SafeToolNode } from "../../../src/nodes/safe-tool-node.js";
import type { ToolPolicy } from "../../../src/nodes/tool-policy.js";
import { ScriptedModel } from "../../scripted-model.js";
import { Outside } from "../approval/support.js";
import { reset } from "../effect/support.js";

export interface Call {
  readonly name: string;
  readonly amount: number;
  readonly id: string;
}

export interface App {
  invoke(input: unknown, config: object): Promise<Result>;
}

export interface Result {
  readonly messages: BaseMessage[];
  readonly __interrupt__?: readonly { readonly id: string; readonly value: unknown }[];
}

export function says(...calls: Call[]): AIMessage {
  return new AIMessage({
    id: calls.map(({ id }) => id).join("+"),
    content: "",
    tool_calls: calls.map(({ name, amount, id }) => ({ name, args: { amount }, id, type: "tool_call" as const })),
  });
}

export const bye = new AIMessage("bye");

/** Tools that count how often they ran. `lost` reaches the outside and does not hear back, `question` asks by itself. */
export function toolbox() {
  const outside = new Outside();
  const run: Record<string, (amount: number) => Promise<string>> = {
    lost: async (amount) => {
      outside.call(`lost ${amount}`);
      throw reset();
    },
    question: async (amount) => {
      const said = String(interrupt(`question ${amount}`));
      outside.call(`question ${amount}`);
      return said;
    },
    failing: async (amount) => {
      outside.call(`failing ${amount}`);
      throw new Error("no such file");
    },
  };
  const named = (name: string) =>
    tool(async ({ amount }) => (run[name] ?? (async () => outside.call(`${name} ${amount}`)))(amount), {
      name,
      description: `Does ${name}.`,
      schema: z.object({ amount: z.number() }),
    });
  const tools = ["refund", "wire", "look", "lost", "question", "failing", "pay"].map(named);
  return { outside, tools };
}

export const gated = { approval: true } as const;
export const policy: ToolPolicy = { tools: { refund: gated, wire: gated, pay: {}, lost: {} } };

/** A model and its tools, one after the other until the model calls none. */
export function loopOf(
  script: AIMessage[],
  node: SafeToolNode,
  checkpointer: unknown = SlimSaver.fromConnString(":memory:"),
): App {
  const model = new ScriptedModel(script);
  const app: unknown = new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", node)
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ messages }) => (callsOf(messages).length > 0 ? "tools" : "__end__"))
    .addEdge("tools", "model")
    .compile(checkpointer === undefined ? {} : { checkpointer: checkpointer as SlimSaver });
  return app as App;
}

/** One task for each call, scheduled by `Send`. */
export function fanOutOf(
  message: AIMessage,
  node: SafeToolNode,
  input: (call: NonNullable<AIMessage["tool_calls"]>[number], messages: BaseMessage[]) => object,
): App {
  const app: unknown = new StateGraph(MessagesAnnotation)
    .addNode("model", () => ({ messages: [message] }))
    .addNode("tools", node)
    .addEdge(START, "model")
    .addConditionalEdges(
      "model",
      ({ messages }) => callsOf(messages).map((call) => new Send("tools", input(call, messages))),
      ["tools"],
    )
    .compile({ checkpointer: SlimSaver.fromConnString(":memory:") });
  return app as App;
}

function callsOf(messages: BaseMessage[]): NonNullable<AIMessage["tool_calls"]> {
  return (messages.at(-1) as Partial<AIMessage> | undefined)?.tool_calls ?? [];
}

/** What the model was told, by call id. */
export function told({ messages }: { messages: BaseMessage[] }): Record<string, string> {
  const answers = messages.filter((message) => ToolMessage.isInstance(message));
  return Object.fromEntries(answers.map(({ tool_call_id, status, text }) => [tool_call_id, `${status ?? ""} ${text}`]));
}
