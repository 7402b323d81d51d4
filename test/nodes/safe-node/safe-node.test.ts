import { tool } from "@langchain/core/tools";
import {
  Annotation,
  Command,
  END,
  entrypoint,
  interrupt,
  isGraphInterrupt,
  MemorySaver,
  START,
  StateGraph,
  task,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { effect } from "../../../src/nodes/effect.js";
import { autoKey } from "../../../src/nodes/key.js";
import { ledgerOf, memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { succeeded } from "../../../src/nodes/outcome.js";
import { requestApproval } from "../../../src/nodes/request-approval.js";
import { resume } from "../../../src/nodes/resume.js";
import { safeNode, type Defer } from "../../../src/nodes/safe-node.js";
import { sleepUntil } from "../../../src/nodes/sleep-until.js";
import {
  answer,
  asked,
  chain,
  fresh,
  happened,
  on,
  Outside,
  reset,
  rowOf,
  saver,
  type StateOf,
} from "../effect/support.js";

afterEach(() => setLedger(undefined));

interface Order {
  readonly id: string;
}

/** An effect that notes what it was called with. */
function sending(extra: object = {}) {
  const outside = new Outside();
  const name = fresh("send");
  const send = effect<Order, unknown>({
    name,
    key: ({ id }) => id,
    run: async (args, context) => outside.call(args, context),
    ...extra,
  });
  return { send, outside, name, sent: () => outside.calls.map(({ key }) => key) };
}

type Body = (config: LangGraphRunnableConfig, defer: Defer) => Promise<object> | object;

function app(body: Body, checkpointer = saver(), options?: object) {
  return chain(
    checkpointer,
    { node: safeNode<StateOf, object>((_, config, { defer }) => body(config, defer)) },
    options,
  );
}

const retried = { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } };

describe("a deferred effect", () => {
  it("is carried out once, after the node has returned with every interrupt answered", async () => {
    const { send, outside } = sending();
    const seen: number[] = [];
    const graph = app(async (_, defer) => {
      defer(send, { id: "1" });
      const first: unknown = interrupt("first?");
      seen.push(outside.calls.length);
      return { log: [first, interrupt("second?"), outside.calls.length] };
    });
    await graph.invoke({}, on("t"));
    await graph.invoke(answer("a"), on("t"));
    expect(outside.calls).toEqual([]);
    expect((await graph.invoke(answer("b"), on("t"))).log).toEqual(["a", "b", 0]);
    expect(seen).toEqual([0, 0]);
    expect(outside.counts).toEqual({ "1": 1 });
  });

  it("waits for approvals, sleeps and other questions of ours as well", async () => {
    const { send, outside } = sending();
    const graph = app(async (config, defer) => {
      defer(send, { id: "1" });
      await sleepUntil("2020-01-01");
      const decision = await requestApproval({ action: "send", args: {} }, config);
      return { log: [decision.type] };
    });
    await graph.invoke({}, on("t"));
    expect(outside.calls).toEqual([]);
    await graph.invoke(answer({ decisions: [{ type: "approve" }] }), on("t"));
    expect(outside.calls).toHaveLength(1);
  });

  it("runs in the order in which it was deferred, each after the one before has ended", async () => {
    const { send, sent } = sending();
    const order: string[] = [];
    const slow = effect<Order, unknown>({
      name: fresh("slow"),
      key: ({ id }) => id,
      run: async ({ id }) => {
        order.push(`${id} starts`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${id} ends`);
      },
    });
    await app(async (_, defer) => {
      defer(slow, { id: "a" });
      defer(slow, { id: "b" });
      for (const id of ["3", "1", "2"]) defer(send, { id });
      return {};
    }).invoke({}, on("t"));
    expect(order).toEqual(["a starts", "a ends", "b starts", "b ends"]);
    expect(sent()).toEqual(["3", "1", "2"]);
  });

  it("is not carried out by a node that throws, whatever the retries; it is by the attempt that returns", async () => {
    const { send, outside } = sending();
    let attempts = 0;
    const graph = app(
      async (_, defer) => {
        attempts += 1;
        defer(send, { id: `attempt-${attempts}` });
        if (attempts < 3) throw new Error("flaky");
        return {};
      },
      saver(),
      retried,
    );
    await graph.invoke({}, on("t"));
    expect(outside.counts).toEqual({ "attempt-3": 1 });
  });

  it("leaves what the node returns as it is, a Command too", async () => {
    const { send, outside } = sending();
    const State = Annotation.Root({
      log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
    });
    const graph = new StateGraph(State)
      .addNode(
        "node",
        safeNode((_: typeof State.State, _config, { defer }) => {
          defer(send, { id: "1" });
          return new Command({ goto: "other", update: { log: ["node"] } });
        }),
        { ends: ["other", "never"] },
      )
      .addNode("other", () => ({ log: ["other"] }))
      .addNode("never", () => ({ log: ["never"] }))
      .addEdge(START, "node")
      .addEdge("other", END)
      .compile({ checkpointer: saver() });
    expect((await graph.invoke({}, on("t"))).log).toEqual(["node", "other"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("that fails fails the node with its own error; those before it are not repeated, those after it wait for it", async () => {
    const { send, sent } = sending();
    let open = false;
    const refused = effect<Order, unknown>({
      name: fresh("refused"),
      key: ({ id }) => id,
      run: async () => {
        if (!open) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });
        return "done";
      },
    });
    const graph = app(async (_, defer) => {
      defer(send, { id: "before" });
      defer(refused, { id: "middle" });
      defer(send, { id: "after" });
      return { log: ["returned"] };
    });
    await expect(graph.invoke({}, on("t"))).rejects.toThrow("ECONNREFUSED");
    expect(sent()).toEqual(["before"]);
    open = true;
    expect((await graph.invoke(null, on("t"))).log).toEqual(["returned"]);
    expect(sent()).toEqual(["before", "after"]);
  });

  it("whose outcome is unknown asks a person, after the node's own questions, and takes none of their answers", async () => {
    const outside = new Outside();
    const lossy = effect<Order, unknown>({
      name: fresh("lossy"),
      key: ({ id }) => id,
      run: async (args, context) => {
        outside.call(args, context);
        throw reset();
      },
    });
    const graph = app(async (_, defer) => {
      defer(lossy, { id: "1" });
      return { log: [interrupt("sure?")] };
    });
    await graph.invoke({}, on("t"));
    expect(asked(await graph.invoke(answer("yes"), on("t")))).toMatchObject({ type: "waypoint.unknown_effect" });
    expect((await graph.invoke(answer(happened("seen")), on("t"))).log).toEqual(["yes"]);
    expect(outside.calls).toHaveLength(1);
  });

  it("is found by its lookup after the process died in it", async () => {
    const checkpointer = saver();
    const { send, outside, name } = sending({ lookup: async () => succeeded("found") });
    const graph = app((_, defer) => (defer(send, { id: "1" }), { log: ["returned"] }), checkpointer);
    const { store } = ledgerOf(checkpointer);
    const failing = app((_, defer) => (defer(send, { id: "1" }), Promise.reject(new Error("dies"))), checkpointer);
    await failing.invoke({}, on("t")).catch(() => undefined);
    await graph.invoke(null, on("t"));
    store.database.run("UPDATE waypoint_effects SET state = 'STARTED', owner = 'gone', result = NULL");
    await graph.invoke({}, on("t"));
    expect(rowOf(ledgerOf(checkpointer), name, "1")).toMatchObject({ state: "SUCCEEDED" });
    expect(outside.calls).toHaveLength(1);
  });

  it("may use autoKey: each deferral is one of its own, after the direct calls", async () => {
    const outside = new Outside();
    const notify = effect<Order, unknown>({
      name: fresh("notify"),
      key: () => autoKey,
      run: async (args, context) => outside.call(args, context),
    });
    let failures = 0;
    const graph = app(
      async (_, defer) => {
        defer(notify, { id: "same" });
        defer(notify, { id: "same" });
        await notify({ id: "direct" });
        failures += 1;
        if (failures < 3) throw new Error("flaky");
        return { log: [interrupt("go on?")] };
      },
      saver(),
      retried,
    );
    await graph.invoke({}, on("t"));
    await graph.invoke(answer("yes"), on("t"));
    expect(outside.calls.map(({ args }) => (args as Order).id)).toEqual(["direct", "same", "same"]);
  });

  it("under an approval is checked against what was decided", async () => {
    const { send, outside } = sending();
    const graph = app(async (config, defer) => {
      const decision = await requestApproval({ action: "send", args: { id: "1" } }, config);
      if (decision.type !== "approve") return {};
      defer(send, decision.args);
      decision.args.id = "another";
      return {};
    });
    await graph.invoke({}, on("t"));
    await expect(graph.invoke(answer({ decisions: [{ type: "approve" }] }), on("t"))).rejects.toMatchObject({
      code: "APPROVAL_MISMATCH",
    });
    expect(outside.calls).toEqual([]);
  });

  it("works in an entrypoint and beside MemorySaver", async () => {
    setLedger(memoryLedger());
    const { send, outside } = sending();
    const flow = entrypoint(
      { name: "flow", checkpointer: new MemorySaver() },
      safeNode(async (input: string, _config, { defer }) => {
        defer(send, { id: input });
        return interrupt<string, string>("sure?");
      }),
    );
    await flow.invoke("1", on("t"));
    expect(outside.calls).toEqual([]);
    expect(await flow.invoke(new Command({ resume: "yes" }) as never, on("t"))).toBe("yes");
    expect(outside.counts).toEqual({ "1": 1 });
  });
});

describe("a swallowed interrupt", () => {
  const State = Annotation.Root({ log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }) });
  const inner = new StateGraph(State)
    .addNode("ask", async () => ({ log: [interrupt("inner?")] }))
    .addEdge(START, "ask")
    .compile();
  const elsewhere = new StateGraph(State)
    .addNode("ask", async () => ({ log: [interrupt("elsewhere?")] }))
    .addEdge(START, "ask")
    .compile({ checkpointer: new MemorySaver() });
  const step = task("asking-step", async () => interrupt<string, string>("step?"));
  const asking = tool(async () => interrupt<string, string>("tool?"), {
    name: "asking",
    description: "asks",
    schema: z.object({}),
  });

  it.each<[string, (config: LangGraphRunnableConfig) => unknown]>([
    ["try/catch", () => interrupt("sure?")],
    ["of an approval", (config) => requestApproval({ action: "send", args: {} }, config)],
    ["of a subgraph", () => inner.invoke({})],
    ["of a subgraph that was handed the config", (config) => inner.invoke({}, config)],
    ["of a graph with a saver of its own", () => elsewhere.invoke({}, on("elsewhere"))],
    ["of a functional task", () => step()],
    ["of a tool", (config) => asking.invoke({}, config)],
    ["in Promise.allSettled", () => Promise.allSettled([(async () => interrupt("sure?"))()])],
  ])("is an error, and nothing that was deferred is carried out: %s", async (_, ask) => {
    const { send, outside } = sending();
    const graph = app(async (config, defer) => {
      defer(send, { id: "1" });
      try {
        await ask(config);
      } catch {
        // The mistake.
      }
      return { log: ["went on"] };
    });
    const failed = graph.invoke({}, on("t"));
    await expect(failed).rejects.toMatchObject({ code: "INTERRUPT_SWALLOWED", details: { threadId: "t" } });
    expect(outside.calls).toEqual([]);
  });

  it("after an answered one is found as well; one that is thrown on is none", async () => {
    const { send, outside } = sending();
    let throwsOn = false;
    const graph = app(async (_, defer) => {
      const first: unknown = interrupt("first?");
      defer(send, { id: "1" });
      try {
        interrupt("second?");
      } catch (error) {
        if (throwsOn && isGraphInterrupt(error)) throw error;
      }
      return { log: [first] };
    });
    await graph.invoke({}, on("t"));
    await expect(graph.invoke(answer("a"), on("t"))).rejects.toMatchObject({ code: "INTERRUPT_SWALLOWED" });
    throwsOn = true;
    expect(asked(await graph.invoke(null, on("t")))).toBe("second?");
    expect(outside.calls).toEqual([]);
    await graph.invoke(answer("b"), on("t"));
    expect(outside.calls).toHaveLength(1);
  });

  it("is also a question that nobody waited for", async () => {
    const { send, outside } = sending();
    const graph = app((config, defer) => {
      defer(send, { id: "1" });
      void requestApproval({ action: "send", args: {} }, config).catch(() => undefined);
      return {};
    });
    await expect(graph.invoke({}, on("t"))).rejects.toMatchObject({ code: "INTERRUPT_SWALLOWED" });
    expect(outside.calls).toEqual([]);
  });

  it("is none where everything is answered: subgraphs, tasks and tools run as ever", async () => {
    const { send, outside } = sending();
    const graph = app(async (config, defer) => {
      defer(send, { id: "1" });
      const { log } = await inner.invoke({});
      return { log: [...log, await step(), await asking.invoke({}, config)] };
    });
    await graph.invoke({}, on("t"));
    // By id: LangGraph gives one plain answer to the subgraph, the task and the node alike.
    for (const said of ["a", "b", "c"]) {
      const { pending } = await resume(graph as never, on("t"));
      await resume(graph as never, on("t"), { [pending[0]!.interruptId]: said });
    }
    expect(await resume(graph as never, on("t"))).toMatchObject({
      status: "finished",
      values: { log: ["a", "b", "c"] },
    });
    expect(outside.calls).toHaveLength(1);
  });
});

describe("defer refuses", () => {
  it("what is no effect, at once", async () => {
    const graph = app((_, defer) => (defer((() => 1) as never, {}), {}));
    await expect(graph.invoke({}, on("t"))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(() => safeNode(undefined as never)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });

  it("to be called after the node has returned", async () => {
    const { send, outside } = sending();
    let late: Promise<unknown> | undefined;
    const graph = app((_, defer) => {
      late = new Promise((resolve) => setImmediate(resolve))
        .then(() => new Promise((resolve) => setTimeout(resolve, 20)))
        .then(() => defer(send, { id: "1" }))
        .catch((error: unknown) => error);
      return {};
    });
    await graph.invoke({}, on("t"));
    expect(await late).toMatchObject({ code: "INVALID_INPUT" });
    expect(outside.calls).toEqual([]);
  });

  it("to carry out what an attempt deferred that has timed out", async () => {
    const { send, outside } = sending();
    const gates: (() => void)[] = [];
    const ended: Promise<unknown>[] = [];
    const node = safeNode<StateOf, object>(async (_, _config, { defer }) => {
      const attempt = gates.length;
      defer(send, { id: `attempt-${attempt}` });
      if (attempt === 0) await new Promise<void>((resolve) => gates.push(resolve));
      return {};
    });
    const kept = (state: StateOf, config: LangGraphRunnableConfig): Promise<object> => {
      const run = node(state, config);
      ended.push(run.catch((error: unknown) => error));
      return run;
    };
    const graph = chain(saver(), { node: kept }, { ...retried, timeout: { runTimeout: 50 } });
    await graph.invoke({}, on("t"));
    gates[0]!();
    expect(await ended[0]).toMatchObject({ code: "STALE_FENCE" });
    expect(outside.counts).toEqual({ "attempt-1": 1 });
  });

  it("to carry out what was deferred in a run that was aborted", async () => {
    const { send, outside } = sending();
    const abort = new AbortController();
    const graph = app(async (_, defer) => {
      defer(send, { id: "1" });
      abort.abort();
      await new Promise((resolve) => setImmediate(resolve));
      return {};
    });
    await graph.invoke({}, { ...on("t"), signal: abort.signal }).catch(() => undefined);
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(outside.calls).toEqual([]);
  });

  it("to run outside a graph", async () => {
    const node = safeNode(() => ({}));
    await expect(node({}, {})).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
