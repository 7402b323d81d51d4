import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { BaseTracer } from "@langchain/core/tracers/base";
import { tool } from "@langchain/core/tools";
import { Annotation, Command, MessagesAnnotation, START, StateGraph, interrupt } from "@langchain/langgraph";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { LEASE_KEY, Leases } from "../../src/checkpointer/lease.js";
import type { Lease } from "../../src/checkpointer/lease.js";
import { effect } from "../../src/nodes/index.js";
import { storeOf } from "../../src/store/home.js";
import { fresh, Outside, StillClock } from "../nodes/effect/support.js";
import { openSaver, temporaryFolder } from "./harness.js";

const TTL = 1000;
const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});
type Node = (state: typeof State.State, config: LangGraphRunnableConfig) => unknown;

function store(conn?: string) {
  const clock = new StillClock();
  const saver = openSaver(conn, { clock });
  const leases = new Leases(storeOf(saver)!);
  const acquire = (owner = "ann"): Lease => leases.acquire("t", { ttl: TTL, owner })!;
  const takeOver = (): Lease => {
    clock.time += TTL;
    return acquire("bob");
  };
  return { saver, leases, acquire, takeOver };
}

const on = (lease?: Lease, more: object = {}) => ({ configurable: { thread_id: "t", [LEASE_KEY]: lease }, ...more });

/** Nodes that run one after the other. */
function chain(checkpointer: SlimSaver | undefined, nodes: Record<string, Node>) {
  const graph = new StateGraph(State);
  const names = Object.keys(nodes);
  for (const name of names) graph.addNode(name, nodes[name] as never);
  names.forEach((name, index) => graph.addEdge((index === 0 ? START : names[index - 1]) as never, name as never));
  return graph.compile(checkpointer === undefined ? {} : { checkpointer });
}

const say = (name: string) => () => ({ log: [name] });

describe("a run under a lease", () => {
  it("asks, is answered, is updated and goes through subgraphs, all under it", async () => {
    const { saver, acquire } = store();
    const inner = chain(undefined, { ask: () => ({ log: [interrupt<string, string>("go on?")] }), then: say("then") });
    const app = chain(saver, { first: say("first"), inner: inner as never, last: say("last") });
    const lease = acquire();
    await app.invoke({ log: [] }, on(lease));
    await expect(app.invoke(new Command({ resume: "yes" }), on())).rejects.toMatchObject({ code: "STALE_FENCE" });
    const result = await app.invoke(new Command({ resume: "yes" }), on(lease));
    expect(result.log).toEqual(["first", "first", "yes", "then", "last"]);
    await expect(app.updateState(on(), { log: ["late"] })).rejects.toMatchObject({ code: "STALE_FENCE" });
    await app.updateState(on(lease), { log: ["update"] });
    expect((await app.getState(on())).values).toHaveProperty("log", [...result.log, "update"]);
  });

  it("leaves its token in no file and no trace", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const { saver, acquire } = store(file);
    const lease = acquire();
    const traces: unknown[] = [];
    class Recorder extends BaseTracer {
      readonly name = "recorder";
      protected persistRun(run: unknown): Promise<void> {
        return Promise.resolve(void traces.push(run));
      }
    }
    const app = chain(saver, { first: say("first"), ask: () => ({ log: [interrupt<string, string>("go on?")] }) });
    await app.invoke({ log: [] }, on(lease, { callbacks: [new Recorder()] }));
    await saver.close();
    expect(traces).toHaveLength(1);
    const seen = new Set<unknown>();
    const text = JSON.stringify(traces, (_key, value: unknown) => {
      if (typeof value !== "object" || value === null) return value;
      return seen.has(value) ? undefined : (seen.add(value), value);
    });
    expect(text).toContain('"thread_id":"t"');
    expect(text).not.toContain(lease.token);
    expect(readFileSync(file).includes(lease.token)).toBe(false);
  });

  it("may call a graph on a thread of its own, to which the lease does not belong", async () => {
    const { saver, acquire } = store();
    const other = chain(saver, { alone: say("alone") });
    const app = chain(saver, {
      call: async () => ({ log: (await other.invoke({ log: [] }, { configurable: { thread_id: "other" } })).log }),
    });
    expect((await app.invoke({ log: [] }, on(acquire()))).log).toEqual(["alone"]);
  });
});

describe("a run whose thread somebody else has acquired meanwhile", () => {
  const lost = { sync: ["first"], async: ["first", "second", "third"], exit: ["first", "second", "third"] };

  it.each(["sync", "async", "exit"] as const)("changes nothing, under durability %s", async (durability) => {
    const { saver, acquire, takeOver } = store();
    const ran: string[] = [];
    const step = (name: string) => () => {
      ran.push(name);
      if (name === "first" && !taken) taken = takeOver();
      return { log: [name] };
    };
    let taken: Lease | undefined;
    const app = chain(saver, { first: step("first"), second: step("second"), third: step("third") });
    const run = app.invoke({ log: ["input"] }, on(acquire(), { durability }));
    await expect(run).rejects.toMatchObject({ code: "STALE_FENCE", details: { threadId: "t" } });
    expect(ran).toEqual(lost[durability]);

    // The new owner finds the thread as it was taken over: not even the result of the node has been planted.
    const tuple = await saver.getTuple(on());
    expect(tuple?.pendingWrites ?? []).toEqual([]);
    ran.length = 0;
    const result = await app.invoke(durability === "exit" ? { log: ["input"] } : null, on(taken));
    expect(ran).toEqual(["first", "second", "third"]);
    expect(result.log).toEqual(["input", "first", "second", "third"]);
  });

  it("is refused by whenDurable", async () => {
    const { saver, acquire, takeOver } = store();
    let refusal: unknown;
    const app = chain(saver, {
      wait: async (_state, config) => {
        await saver.whenDurable(config);
        takeOver();
        refusal = await saver.whenDurable(config).catch((error: unknown) => error);
      },
    });
    await expect(app.invoke({ log: [] }, on(acquire()))).rejects.toMatchObject({ code: "STALE_FENCE" });
    expect(refusal).toMatchObject({ code: "STALE_FENCE" });
  });

  it("carries no effect out in a node; the owner does, once", async () => {
    const { saver, acquire, takeOver } = store();
    const outside = new Outside();
    const pay = effect({
      name: fresh("pay"),
      key: () => "7",
      run: (args, context) => Promise.resolve(outside.call(args, context)),
    });
    let taken: Lease | undefined;
    const app = chain(saver, {
      pay: async (_state, config) => {
        taken ??= takeOver();
        await pay({}, config);
      },
    });
    await expect(app.invoke({ log: [] }, on(acquire()))).rejects.toMatchObject({ code: "STALE_FENCE" });
    expect(outside.calls).toEqual([]);
    await app.invoke(null, on(taken));
    expect(outside.counts).toEqual({ "7": 1 });
  });

  it("carries no effect out in a tool, and leaves the owner no question and no latch", async () => {
    const { saver, acquire, takeOver } = store();
    const outside = new Outside();
    const pay = effect({
      name: fresh("pay"),
      key: () => "7",
      run: (args, context) => Promise.resolve(outside.call(args, context)),
    });
    let taken: Lease | undefined;
    const payTool = tool(
      async (_args, config) => {
        taken ??= takeOver();
        return JSON.stringify(await pay({}, config));
      },
      { name: "pay", description: "pays", schema: z.object({}) },
    );
    const call = new AIMessage({
      content: "",
      tool_calls: [{ name: "pay", args: {}, id: "call-1", type: "tool_call" }],
    });
    const app = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode([payTool]))
      .addEdge(START, "tools")
      .compile({ checkpointer: saver });
    const input = { messages: [new HumanMessage("pay"), call] };
    await expect(app.invoke(input, on(acquire()))).rejects.toMatchObject({ code: "STALE_FENCE" });
    expect(outside.calls).toEqual([]);
    const result = await app.invoke(null, on(taken));
    const answer = result.messages.at(-1);
    expect(ToolMessage.isInstance(answer) && answer.text).toBe('{"receipt":1}');
    expect(outside.counts).toEqual({ "7": 1 });
    expect((await saver.position("t"))?.waitingFor).toEqual([]);
  });
});
