import { Annotation, Command, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { SlimSaver } from "../../../src/checkpointer/slim-saver.js";
import { resume } from "../../../src/nodes/resume.js";
import { on, State } from "./support.js";

/** A node that fails once between its two questions, at the top of the graph or in a subgraph. */
function failing(saver: MemorySaver | SlimSaver, nested: boolean) {
  let failures = 1;
  const build = () =>
    new StateGraph(State).addNode("node", async () => {
      const first = interrupt<string, string>("first?");
      failures -= 1;
      if (failures === 0) throw new Error("the bank is closed");
      return { log: [first, interrupt<string, string>("second?")] };
    });
  const graph = build().addEdge(START, "node");
  if (!nested) return graph.compile({ checkpointer: saver });
  const outer = new StateGraph(State).addNode("inner", graph.compile()).addEdge(START, "inner");
  return outer.compile({ checkpointer: saver });
}

const savers: [string, () => MemorySaver | SlimSaver, boolean][] = [
  ["SlimSaver", () => SlimSaver.fromConnString(":memory:"), false],
  ["MemorySaver", () => new MemorySaver(), false],
  ["SlimSaver, in a subgraph", () => SlimSaver.fromConnString(":memory:"), true],
  ["MemorySaver, in a subgraph", () => new MemorySaver(), true],
];

describe("an answer that a run took before it failed", () => {
  it.each(savers)("is not asked for again, and reaches no other question: %s", async (_, saver, nested) => {
    const app = failing(saver(), nested);
    await app.invoke({}, on("t"));
    const { pending } = await resume(app, on("t"));
    const id = pending[0]!.interruptId;
    await expect(resume(app, on("t"), { [id]: "one" })).rejects.toThrow("the bank is closed");
    await expect(resume(app, on("t"), { [id]: "one" })).rejects.toMatchObject({ code: "ALREADY_ANSWERED" });
    const next = await resume(app, on("t"));
    expect(next.pending).toMatchObject([{ value: "second?" }]);
    const { values } = await resume(app, on("t"), { [next.pending[0]!.interruptId]: "two" });
    expect(values.log).toEqual(["one", "two"]);
  });

  it.each(savers)("a question that came after a failure is still asked: %s", async (_, saver, nested) => {
    let failures = 1;
    const inner = new StateGraph(State)
      .addNode("node", async () => {
        failures -= 1;
        if (failures === 0) throw new Error("the bank is closed");
        return { log: [interrupt<string, string>("first?")] };
      })
      .addEdge(START, "node");
    const app = nested
      ? new StateGraph(State)
          .addNode("inner", inner.compile())
          .addEdge(START, "inner")
          .compile({ checkpointer: saver() })
      : inner.compile({ checkpointer: saver() });
    await app.invoke({}, on("t")).catch(() => undefined);
    const { pending } = await resume(app, on("t"));
    expect(pending).toMatchObject([{ value: "first?" }]);
    expect((await resume(app, on("t"), { [pending[0]!.interruptId]: "one" })).values.log).toEqual(["one"]);
  });

  it("LangGraph by itself goes on showing the question, and gives a second answer to the next one", async () => {
    const app = failing(new MemorySaver(), false);
    await app.invoke({}, on("t"));
    const asked = async () => (await app.getState(on("t"))).tasks[0]!.interrupts[0]!;
    const { id = "" } = await asked();
    await app.invoke(new Command({ resume: { [id]: "one" } }) as never, on("t")).catch(() => undefined);
    expect(await asked()).toMatchObject({ id, value: "first?" });
    const { log } = await app.invoke(new Command({ resume: { [id]: "one" } }) as never, on("t"));
    expect(log).toEqual(["one", "one"]);
  });
});

const Fan = Annotation.Root({ log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }) });

it("beside a branch that still asks, the failed one waits for its answer, and goes on with its own", async () => {
  let failures = 1;
  const app = new StateGraph(Fan)
    .addNode("failing", async () => {
      const first = interrupt<string, string>("first?");
      failures -= 1;
      if (failures === 0) throw new Error("the bank is closed");
      return { log: [first] };
    })
    .addNode("asking", async () => ({ log: [interrupt<string, string>("other?")] }))
    .addEdge(START, "failing")
    .addEdge(START, "asking")
    .compile({ checkpointer: SlimSaver.fromConnString(":memory:") });
  await app.invoke({}, on("t"));
  const { pending } = await resume(app, on("t"));
  const idOf = (value: string): string => pending.find((question) => question.value === value)!.interruptId;
  await resume(app, on("t"), { [idOf("first?")]: "one" }).catch(() => undefined);
  const open = await resume(app, on("t"));
  expect(open.pending).toMatchObject([{ value: "other?" }]);
  const { values, status } = await resume(app, on("t"), { [idOf("other?")]: "two" });
  expect([status, ...values.log.sort()]).toEqual(["finished", "one", "two"]);
});
