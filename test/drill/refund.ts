/** A graph that asks a person before it pays, in the two forms that ask in a node. */
import { Annotation, interrupt, START, StateGraph } from "@langchain/langgraph";
import type { SlimSaver } from "../../src/checkpointer/slim-saver.js";
import { approvalNode, effect, requestApproval } from "../../src/nodes/index.js";
import type { Downstream } from "../../src/testing/index.js";
import type { App } from "./shapes.js";

/** `node`: approvalNode. `call`: requestApproval, then an effect. */
export const FORMS = ["node", "call"] as const;
/** `bare`: a plain interrupt, then the call; what the drill has to notice. */
export type Form = (typeof FORMS)[number] | "bare";

const State = Annotation.Root({ order: Annotation<string>, receipt: Annotation<unknown> });

interface Refund {
  readonly order: string;
}

export function refundApp(form: Form, saver: SlimSaver, bank: Downstream): App {
  const graph = new StateGraph(State)
    .addNode("refund", { node: asNode, call: asCall, bare: asBare }[form](bank))
    .addEdge(START, "refund")
    .compile({ checkpointer: saver });
  return graph;
}

function asNode(bank: Downstream) {
  return approvalNode<typeof State.State, Refund, unknown>({
    name: "race-refund",
    propose: ({ order }) => ({ action: "refund", args: { order } }),
    perform: (args, { key }) => bank.call(key, args),
    update: (receipt) => ({ receipt }),
  });
}

function asCall(bank: Downstream) {
  const pay = effect<Refund, unknown>({
    name: "race-pay",
    key: ({ order }) => order,
    run: (args, { key }) => bank.call(key, args),
    lookup: (_args, { key }) => bank.lookup(key),
  });
  return async ({ order }: typeof State.State, config: object): Promise<Partial<typeof State.State>> => {
    const decision = await requestApproval({ action: "refund", args: { order } }, config);
    return { receipt: decision.type === "approve" ? await pay(decision.args, config) : decision.type };
  };
}

function asBare(bank: Downstream) {
  return async ({ order }: typeof State.State): Promise<Partial<typeof State.State>> => {
    interrupt("Refund?");
    return { receipt: await bank.call(order, { order }) };
  };
}
