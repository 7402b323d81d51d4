/** The payment graph in every shape that LangGraph offers: three payments for one order, each an effect. */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, entrypoint, START, StateGraph, task } from "@langchain/langgraph";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod";
import type { SlimSaver } from "../../src/checkpointer/slim-saver.js";
import { autoKey, effect, effectContextOf, safeTools } from "../../src/nodes/index.js";
import type { ToolRule } from "../../src/nodes/index.js";
import type { Downstream } from "../../src/testing/index.js";
import { ScriptedModel } from "../scripted-model.js";

export const SHAPES = ["graph", "branches", "agent", "agent, at once", "functional"] as const;
export type Shape = (typeof SHAPES)[number];

/** `business`: the order's own key. `auto`: made of the visit. */
export const KEYS = ["business", "auto"] as const;
export type KeyKind = (typeof KEYS)[number];

export const DURABILITIES = ["sync", "async"] as const;
export type Durability = (typeof DURABILITIES)[number];

export interface App {
  invoke(input: unknown, config: object): Promise<unknown>;
}

export interface Parts {
  readonly saver: SlimSaver;
  readonly bank: Downstream;
  readonly shape: Shape;
  readonly key: KeyKind;
}

interface Payment {
  readonly order: string;
}

const LEGS = ["a", "b", "c"];

/** The three payments of one run; the downstream is told these names, whatever keys it gets. */
export function paymentsOf(run: string): string[] {
  return LEGS.map((leg) => `${run}-${leg}`);
}

/** The graph, and what it is started with. */
export function appOf(run: string, parts: Parts): { app: App; input: unknown } {
  return BUILDERS[parts.shape](run, parts);
}

const BUILDERS: Readonly<Record<Shape, (run: string, parts: Parts) => { app: App; input: unknown }>> = {
  graph: (run, parts) => ({ app: graph(run, parts, "chain"), input: { receipts: [] } }),
  branches: (run, parts) => ({ app: graph(run, parts, "branches"), input: { receipts: [] } }),
  agent: (run, parts) => agent(run, parts, "in turn"),
  "agent, at once": (run, parts) => agent(run, parts, "at once"),
  functional,
};

function payWith({ bank, key }: Parts) {
  return effect<Payment, unknown>({
    name: `drill-pay-${key}`,
    key: ({ order }) => (key === "auto" ? autoKey : order),
    run: (args, context) => bank.call(context.key, args),
    lookup: (_args, context) => bank.lookup(context.key),
  });
}

const State = Annotation.Root({
  receipts: Annotation<unknown[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
});

function graph(run: string, parts: Parts, form: "chain" | "branches"): App {
  const pay = payWith(parts);
  const builder = new StateGraph(State) as unknown as {
    addNode(name: string, node: (state: unknown, config: LangGraphRunnableConfig) => Promise<object>): void;
    addEdge(from: string, to: string): void;
    compile(options: object): App;
  };
  let before: string = START;
  for (const order of paymentsOf(run)) {
    builder.addNode(order, async (_state, config) => ({ receipts: [await pay({ order }, config)] }));
    builder.addEdge(form === "chain" ? before : START, order);
    before = order;
  }
  return builder.compile({ checkpointer: parts.saver });
}

function functional(run: string, parts: Parts): { app: App; input: unknown } {
  const pay = payWith(parts);
  const payment = task("payment", async (order: string) => pay({ order }));
  const app = entrypoint({ name: "drill", checkpointer: parts.saver }, async (orders: string[]) => {
    const receipts: unknown[] = [];
    for (const order of orders) receipts.push(await payment(order));
    return receipts;
  });
  return { app, input: paymentsOf(run) };
}

function agent(run: string, { saver, bank, key }: Parts, order: "in turn" | "at once"): { app: App; input: unknown } {
  const call = async (payment: Payment, config: LangGraphRunnableConfig): Promise<string> =>
    JSON.stringify(await bank.call(effectContextOf(config)!.key, payment));
  const schema = z.object({ order: z.string() });
  const pay = tool(call, { name: "pay", description: "Pays an order.", schema });
  const calls = paymentsOf(run).map((paid) => ({ name: "pay", args: { order: paid }, id: `call-${paid}` }));
  const turns = order === "in turn" ? calls.map((one) => [one]) : [calls];
  const said = [...turns.map((now) => new AIMessage({ content: "", tool_calls: now })), new AIMessage("Paid.")];
  const rule: ToolRule = {
    ...(key === "business" && { key: ({ order: paid }) => String(paid) }),
    lookup: (_args, context) => bank.lookup(context.key),
  };
  const app = createAgent({
    model: new ScriptedModel(said),
    tools: safeTools([pay], { tools: { pay: rule } }),
    checkpointer: saver,
  });
  return { app, input: { messages: [new HumanMessage("Pay.")] } };
}
