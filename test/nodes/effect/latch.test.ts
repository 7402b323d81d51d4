import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { effect } from "../../../src/nodes/effect.js";
import { EffectTable } from "../../../src/nodes/effect-table.js";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import { takeOff } from "../../../src/nodes/owner.js";
import { resume } from "../../../src/nodes/resume.js";
import { resolve } from "../../../src/nodes/resolve.js";
import { ScriptedModel } from "../../scripted-model.js";
import {
  answer,
  asked,
  chain,
  force,
  fresh,
  happened,
  notHappened,
  on,
  Outside,
  reset,
  rowOf,
  saver,
  type Asked,
  type Interrupted,
} from "./support.js";

type Call = readonly [tool: string, args: Record<string, unknown>];

interface App {
  invoke(
    input: unknown,
    config: object,
  ): Promise<{ messages: BaseMessage[]; __interrupt__?: readonly { id: string; value: Asked }[] }>;
}

/** Tools whose effects lose their answer the first `losses` times, or are refused. */
function airline(handsOnConfig = false) {
  const outside = new Outside();
  const losses = new Map<string, number>();
  const book = effect<{ flight: string; seats?: number | undefined }, unknown>({
    name: fresh("book"),
    key: ({ flight }) => flight,
    run: async (args, context) => {
      const receipt = outside.call(args, context);
      const left = losses.get(context.key) ?? 0;
      losses.set(context.key, left - 1);
      if (args.flight === "full") throw new Error("flight is full: not available");
      if (left > 0) throw reset();
      return receipt;
    },
  });
  const schema = z.object({ flight: z.string(), seats: z.number().optional() });
  const called = (args: z.infer<typeof schema>, config?: RunnableConfig) =>
    book(args, handsOnConfig ? config : undefined);
  const tools = [tool(called, { name: "book", description: "Books.", schema })];
  return { outside, book, tools, lose: (flight: string, times = 1) => losses.set(flight, times) };
}

function says(...calls: Call[]): AIMessage {
  return new AIMessage({
    content: "",
    tool_calls: calls.map(([name, args], index) => ({
      name,
      args,
      id: `${name}-${JSON.stringify(args)}-${index}`,
      type: "tool_call" as const,
    })),
  });
}

const done = new AIMessage("done");

/** One task for each tool call. */
function agent(
  checkpointer: BaseCheckpointSaver,
  tools: ReturnType<typeof airline>["tools"],
  script: AIMessage[],
): App {
  const app: unknown = createAgent({ model: new ScriptedModel([...script, done]), tools, checkpointer });
  return app as App;
}

/** One task for all tool calls of a message. */
function toolNode(
  checkpointer: BaseCheckpointSaver,
  tools: ReturnType<typeof airline>["tools"],
  script: AIMessage[],
): App {
  const model = new ScriptedModel([...script, done]);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ messages }) =>
      (messages.at(-1) as Partial<AIMessage> | undefined)?.tool_calls?.length ? "tools" : "__end__",
    )
    .addEdge("tools", "model");
  const app: unknown = graph.compile({ checkpointer });
  return app as App;
}

const hello = { messages: [{ role: "user", content: "go" }] };

/** What the model was told by its tools. */
function told({ messages }: { messages: BaseMessage[] }): string[] {
  return messages.filter((message) => message.type === "tool").map(({ text }) => text);
}

describe.each([
  ["createAgent", agent],
  ["StateGraph with ToolNode", toolNode],
])("in the tools of %s", (_, build) => {
  it("a refusal is told to the model in the same words on every pass, and nobody is asked", async () => {
    const { tools, outside } = airline();
    const app = build(saver(), tools, [says(["book", { flight: "full" }])]);
    const result = await app.invoke(hello, on("t"));
    expect(told(result)).toEqual([expect.stringContaining("flight is full: not available")]);
    expect(outside.calls).toHaveLength(1);
  });

  it("an unknown outcome asks a person instead of advising the model, and the answer is the tool's result", async () => {
    const { tools, outside, lose } = airline();
    lose("LH1");
    const app = build(saver(), tools, [says(["book", { flight: "LH1" }])]);
    const result = await app.invoke(hello, on("t"));
    expect(result.__interrupt__?.[0]?.value).toMatchObject({
      type: "waypoint.unknown_effect",
      effects: [{ key: "LH1" }],
    });
    expect(told(result)).toEqual([]);
    const after = await app.invoke(answer(happened("booked by hand")), on("t"));
    expect(told(after)).toEqual(["booked by hand"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("answered as failed, the model hears why", async () => {
    const { tools, outside, lose } = airline();
    lose("LH1");
    const app = build(saver(), tools, [says(["book", { flight: "LH1" }])]);
    await app.invoke(hello, on("t"));
    expect(told(await app.invoke(answer(notHappened), on("t")))).toEqual([expect.stringContaining("not in the books")]);
    expect(outside.calls).toHaveLength(1);
  });

  it("the same key with other arguments asks a person, who may let the model know", async () => {
    const { tools, outside } = airline();
    const app = build(saver(), tools, [says(["book", { flight: "LH1" }]), says(["book", { flight: "LH1", seats: 2 }])]);
    const result = await app.invoke(hello, on("t"));
    const question = result.__interrupt__?.[0]?.value;
    expect(question).toMatchObject({ type: "waypoint.latched", matters: [{ code: "IDEMPOTENCY_CONFLICT" }] });
    const wrong = await app.invoke(answer("go on"), on("t"));
    expect(wrong.__interrupt__?.[0]?.value.matters[0]?.problem).toMatch(/not an object/);
    const retried = await app.invoke(answer({ ...notHappened, as: "retry" }), on("t"));
    expect(retried.__interrupt__?.[0]?.value.matters[0]?.problem).toMatch(/still so/);
    const after = await app.invoke(answer(notHappened), on("t"));
    expect(told(after)[1]).toContain("with other arguments");
    expect(after.messages.at(-1)?.content).toBe("done");
    expect(outside.calls).toHaveLength(1);
  });

  it("while a matter is open, the thread's other effects are not carried out; once it is settled they are", async () => {
    const { tools, outside, lose, book } = airline();
    lose("LH1");
    const checkpointer = saver();
    const app = build(checkpointer, tools, [says(["book", { flight: "LH1" }])]);
    const id = (await app.invoke(hello, on("t"))).__interrupt__![0]!.value.effects[0]!.effectId;
    const node = chain(checkpointer, { other: async () => ({ log: [await book({ flight: "LH2" })] }) });
    const sameThread = node.invoke({}, { configurable: { thread_id: "t", checkpoint_ns: "" } });
    await expect(sameThread).rejects.toMatchObject({ code: "EFFECT_LATCHED", details: { matter: id } });
    expect((await node.invoke({}, on("another"))).log).toEqual([{ receipt: 2 }]);
    await resolve(ledgerOf(checkpointer), id, { as: "succeeded", by: "ada", evidence: "seen" });
    expect(new EffectTable(ledgerOf(checkpointer).store).latchOn("t", "eff_other")).toBeUndefined();
    expect(outside.counts).toEqual({ LH1: 1, LH2: 1 });
  });

  it("a tool call that comes under the latch asks, and goes on by whatever answer once the matter is settled", async () => {
    const { tools, outside, lose, book } = airline();
    const checkpointer = saver();
    lose("LH1");
    const first = build(checkpointer, tools, [says(["book", { flight: "LH1" }])]);
    const id = (await first.invoke(hello, on("t"))).__interrupt__![0]!.value.effects[0]!.effectId;
    // A new input on the thread: LangGraph forgets the question, the latch does not.
    const next = build(checkpointer, tools, [
      says(["book", { flight: "LH1" }]),
      says(["book", { flight: "LH2" }]),
      says(["book", { flight: "LH2" }]),
    ]);
    const held = await next.invoke(hello, on("t"));
    const question = held.__interrupt__!.map(({ value }) => value).find(({ type }) => type === "waypoint.latched")!;
    expect(question.matters).toMatchObject([{ code: "EFFECT_LATCHED", matter: id }]);
    expect(outside.counts).toEqual({ LH1: 1 });
    const after = await next.invoke(answer(happened("seen in the books")), on("t"));
    expect(after.__interrupt__).toBeUndefined();
    expect(told(after).at(-1)).toContain("receipt");
    expect(rowOf(ledgerOf(checkpointer), book.definition.name, "LH1").state).toBe("SUCCEEDED");
    expect(outside.counts).toEqual({ LH1: 1, LH2: 1 });
  });

  it("two calls of one message: one unknown, one fine, and nothing is paid twice", async () => {
    const { tools, outside, lose } = airline();
    lose("LH1");
    const app = build(saver(), tools, [says(["book", { flight: "LH2" }], ["book", { flight: "LH1" }])]);
    let result = await app.invoke(hello, on("t"));
    for (let passes = 0; result.__interrupt__ !== undefined && passes < 4; passes += 1) {
      const byId = result.__interrupt__.map(({ id }) => [id, happened("by hand")] as const);
      result = await app.invoke(answer(Object.fromEntries(byId)), on("t"));
    }
    expect(told(result).sort()).toEqual(["by hand", expect.stringContaining("receipt")]);
    expect(outside.counts).toEqual({ LH1: 1, LH2: 1 });
  });

  it("under durability exit nothing is sent and a person is asked", async () => {
    const { tools, outside } = airline(true);
    const app = build(saver(), tools, [says(["book", { flight: "LH1" }])]);
    const result = await app.invoke(hello, { ...on("t"), durability: "exit" });
    expect(result.__interrupt__?.[0]?.value).toMatchObject({
      type: "waypoint.latched",
      matters: [{ code: "NOT_DURABLE" }],
    });
    expect(outside.calls).toHaveLength(0);
    const after = await app.invoke(answer({ ...notHappened, as: "retry" }), on("t"));
    expect(told(after)).toEqual([expect.stringContaining("receipt")]);
    expect(outside.calls).toHaveLength(1);
  });
});

describe("in tools", () => {
  it("a node retry after the answer spends the slot again, where the tool was not handed the config", async () => {
    const { outside, lose, book } = airline();
    lose("LH1");
    let failures = 2;
    const schema = z.object({ flight: z.string() });
    const shaky = async (args: { flight: string }) => {
      const receipt = await book(args);
      if (failures-- > 0) throw new Error("flaky");
      return `${JSON.stringify(receipt)} ${String(interrupt("said?"))}`;
    };
    const tools = [tool(shaky, { name: "book", description: ".", schema })];
    const app = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode(tools, { handleToolErrors: false }), {
        retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false },
      })
      .addEdge(START, "tools")
      .compile({ checkpointer: saver() }) as unknown as App;
    const first = await app.invoke({ messages: [says(["book", { flight: "LH1" }])] }, on("t"));
    expect(first.__interrupt__?.[0]?.value.type).toBe("waypoint.unknown_effect");
    const second = await app.invoke(answer(happened("by hand")), on("t"));
    expect(second.__interrupt__?.[0]?.value).toBe("said?");
    expect(told(await app.invoke(answer("yes"), on("t")))).toEqual(['"by hand" yes']);
    expect(outside.calls).toHaveLength(1);
  });

  it("a store that cannot be written stops the run; it does not advise the model", async () => {
    const checkpointer = saver();
    const { tools, outside } = airline();
    const app = agent(checkpointer, tools, [says(["book", { flight: "LH1" }])]);
    const { database } = ledgerOf(checkpointer).store;
    database.run(
      "CREATE TEMP TRIGGER full BEFORE UPDATE ON main.waypoint_effects BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
    );
    const result = await app.invoke(hello, on("t"));
    expect(result.__interrupt__?.[0]?.value).toMatchObject({ matters: [{ code: "UNKNOWN_OUTCOME" }] });
    database.run("DROP TRIGGER full");
    const after = await app.invoke(answer({ ...notHappened, as: "retry" }), on("t"));
    expect(after.__interrupt__?.[0]?.value).toMatchObject({ type: "waypoint.unknown_effect" });
    expect(told(await app.invoke(answer(happened("seen")), on("t")))).toEqual(["seen"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("even where no question can be written down", async () => {
    const checkpointer = saver();
    const { tools, outside } = airline();
    const app = agent(checkpointer, tools, [says(["book", { flight: "LH1" }])]);
    const { database } = ledgerOf(checkpointer).store;
    for (const table of ["effects", "questions", "latches"]) {
      database.run(
        `CREATE TEMP TRIGGER full_${table} BEFORE INSERT ON main.waypoint_${table} BEGIN SELECT RAISE(ABORT, 'disk is full'); END`,
      );
    }
    const result = await app.invoke(hello, on("t"));
    expect(result.__interrupt__?.[0]?.value).toMatchObject({ matters: [{ code: "LEDGER_UNAVAILABLE" }] });
    expect(told(result)).toEqual([]);
    expect(outside.calls).toHaveLength(0);
  });

  it("a call that somebody else is carrying out asks, and goes on by whatever answer once that has ended", async () => {
    const checkpointer = saver();
    const { tools, outside, book } = airline();
    const app = agent(checkpointer, tools, [says(["book", { flight: "LH1" }])]);
    await app.invoke(hello, on("other"));
    force(ledgerOf(checkpointer), book.definition.name, "LH1", { state: "STARTED" });
    const land = takeOff(rowOf(ledgerOf(checkpointer), book.definition.name, "LH1").token);
    const result = await app.invoke(hello, on("t"));
    expect(result.__interrupt__?.[0]?.value).toMatchObject({ matters: [{ code: "EFFECT_IN_PROGRESS" }] });
    land();
    force(ledgerOf(checkpointer), book.definition.name, "LH1", { state: "SUCCEEDED" });
    expect(told(await app.invoke(answer("go on"), on("t")))).toEqual([expect.stringContaining("receipt")]);
    expect(outside.calls).toHaveLength(1);
  });

  it("and a resume without an answer goes on once the process that carried it out is dead", async () => {
    const checkpointer = saver();
    const { tools, outside, book } = airline();
    const app = agent(checkpointer, tools, [says(["book", { flight: "LH1" }])]);
    await app.invoke(hello, on("other"));
    force(ledgerOf(checkpointer), book.definition.name, "LH1", { state: "STARTED" });
    const land = takeOff(rowOf(ledgerOf(checkpointer), book.definition.name, "LH1").token);
    await app.invoke(hello, on("t"));
    await expect(resume(app as never, on("t"))).resolves.toMatchObject({ status: "waiting", woken: [] });
    land();
    const { pending } = await resume(app as never, on("t"));
    expect(pending[0]?.value).toMatchObject({ type: "waypoint.unknown_effect" });
    expect(outside.calls).toHaveLength(1);
  });
});

describe("with duplicate calls", () => {
  it("one tool call id in two messages is two visits", async () => {
    const outside = new Outside();
    const note = effect<{ text: string }, unknown>({
      name: fresh("note"),
      key: ({ text }) => text,
      run: async (args, context) => outside.call(args, context),
    });
    const tools = [
      tool((args: { text: string }) => note(args), {
        name: "note",
        description: "Notes.",
        schema: z.object({ text: z.string() }),
      }),
    ];
    const call = (text: string) =>
      new AIMessage({ content: "", tool_calls: [{ name: "note", args: { text }, id: "call_1", type: "tool_call" }] });
    const app = agent(saver(), tools as never, [call("a"), call("b"), call("a")]);
    const result = await app.invoke(hello, on("t"));
    expect(told(result)).toHaveLength(3);
    expect(outside.counts).toEqual({ a: 1, b: 1 });
  });
});

it("in a node, a conflict is thrown and holds up nothing", async () => {
  const { book, outside } = airline();
  const app = chain(saver(), {
    node: async () => {
      await book({ flight: "LH1" });
      const conflict = await book({ flight: "LH1", seats: 2 }).catch(
        (error: unknown) => (error as { code: string }).code,
      );
      return { log: [conflict, await book({ flight: "LH2" })] };
    },
  });
  const result: Interrupted = await app.invoke({}, on("t"));
  expect(asked(result)).toBeUndefined();
  expect(result.log).toEqual(["IDEMPOTENCY_CONFLICT", { receipt: 2 }]);
  expect(outside.calls).toHaveLength(2);
});
