import { Annotation, Command, START, StateGraph, interrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { openSaver, thread } from "./harness.js";

const State = Annotation.Root({
  answers: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});

const twoGates = () =>
  new StateGraph(State)
    .addNode("gates", () => ({ answers: [interrupt<string, string>("first?"), interrupt<string, string>("second?")] }))
    .addEdge(START, "gates");

describe("an answer that was given to nobody in particular", () => {
  it.each([
    ["a node", () => twoGates()],
    ["a subgraph", () => new StateGraph(State).addNode("gates", twoGates().compile()).addEdge(START, "gates")],
  ])("is taken by one question of %s, and by no later one after a recovery", async (_name, build) => {
    const app = build().compile({ checkpointer: openSaver() });
    await app.invoke({}, thread("t"));
    await app.invoke(new Command({ resume: "to the first" }), thread("t"));
    await app.invoke(null, thread("t"));
    const { tasks } = await app.getState(thread("t"));
    expect(tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value as string))).toEqual(["second?"]);
    const done = await app.invoke(new Command({ resume: "to the second" }), thread("t"));
    expect(done.answers).toEqual(["to the first", "to the second"]);
  });
});
