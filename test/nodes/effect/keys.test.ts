import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { SlimSaver } from "../../../src/checkpointer/slim-saver.js";
import { effect } from "../../../src/nodes/effect.js";
import { autoKey } from "../../../src/nodes/key.js";
import { ledgerOf, memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { answer, chain, fresh, Outside, on, saver } from "./support.js";

afterEach(() => setLedger(undefined));

function notify(outside: Outside) {
  return effect<{ text: string }, unknown>({
    name: fresh("notify"),
    key: () => autoKey,
    run: async (args, context) => outside.call(args, context),
  });
}

describe("autoKey", () => {
  it("is one key for each call of a visit, through all its re-runs", async () => {
    const outside = new Outside();
    const send = notify(outside);
    const app = chain(saver(), {
      node: async () => {
        const log = [await send({ text: "same" }), await send({ text: "same" })];
        return { log: [...log, interrupt("go on?")] };
      },
    });
    await app.invoke({}, on("t"));
    expect((await app.invoke(answer("yes"), on("t"))).log).toEqual([{ receipt: 1 }, { receipt: 2 }, "yes"]);
    expect(outside.calls).toHaveLength(2);
    expect(new Set(outside.calls.map(({ key }) => key)).size).toBe(2);
  });

  it("is the same in a node retry", async () => {
    const outside = new Outside();
    const send = notify(outside);
    let attempts = 0;
    const node = async () => {
      await send({ text: "x" });
      if (++attempts < 3) throw new Error("flaky");
      return {};
    };
    const app = chain(
      saver(),
      { node },
      { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } },
    );
    await app.invoke({}, on("t"));
    expect(outside.calls).toHaveLength(1);
  });

  it("is another key in another visit: the next run, another node, another thread", async () => {
    const outside = new Outside();
    const send = notify(outside);
    const node = async () => ({ log: [await send({ text: "x" })] });
    const app = chain(saver(), { one: node, two: node });
    await app.invoke({}, on("t"));
    await app.invoke({}, on("t"));
    await app.invoke({}, on("u"));
    expect(outside.calls).toHaveLength(6);
  });

  it("in a tool goes by the tool call, with and without the config handed on, also when the node is retried", async () => {
    const outside = new Outside();
    const send = notify(outside);
    const schema = z.object({ text: z.string() });
    let failures = 1;
    const flaky = async () => {
      if (failures-- > 0) throw new Error("flaky");
      return "ok";
    };
    const tools = [
      tool((args: { text: string }) => send(args), { name: "bare", description: ".", schema }),
      tool((args: { text: string }, config) => send(args, config), { name: "handed", description: ".", schema }),
      tool(flaky, { name: "flaky", description: ".", schema: z.object({}) }),
    ];
    const ask = new AIMessage({
      content: "",
      tool_calls: [
        { name: "bare", args: { text: "a" }, id: "1", type: "tool_call" },
        { name: "handed", args: { text: "b" }, id: "2", type: "tool_call" },
        { name: "flaky", args: {}, id: "3", type: "tool_call" },
      ],
    });
    const app = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode(tools, { handleToolErrors: false }), {
        retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false },
      })
      .addEdge(START, "tools")
      .compile({ checkpointer: saver() });
    await app.invoke({ messages: [ask] }, on("t"));
    expect(outside.calls.map(({ args }) => (args as { text: string }).text).sort()).toEqual(["a", "b"]);
  });

  it.each([
    ["outside a graph", async (send: ReturnType<typeof notify>) => send({ text: "x" })],
    [
      "in a graph without a checkpointer",
      async (send: ReturnType<typeof notify>) =>
        chain(undefined, { node: async () => ({ log: [await send({ text: "x" })] }) }).invoke({}, {}),
    ],
  ])("is refused %s, where no visit could be found again", async (_, run) => {
    setLedger(memoryLedger());
    const outside = new Outside();
    await expect(run(notify(outside))).rejects.toMatchObject({ code: "AUTO_KEY" });
    expect(outside.calls).toHaveLength(0);
  });

  it("is refused under time travel, where a business key finds its record", async () => {
    const checkpointer = saver();
    const outside = new Outside();
    const send = notify(outside);
    const pay = effect<{ id: string }, unknown>({
      name: fresh("pay"),
      key: ({ id }) => id,
      run: async (args, context) => outside.call(args, context),
    });
    let auto = false;
    const app = chain(checkpointer, {
      node: async () => ({ log: [await pay({ id: "o" }), auto ? await send({ text: "x" }) : "-"] }),
    });
    await app.invoke({}, on("t"));
    const before: string[] = [];
    for await (const { config, metadata } of checkpointer.list(on("t"))) {
      if (metadata?.step === 0) before.push(config.configurable?.checkpoint_id as string);
    }
    const back = { configurable: { thread_id: "t", checkpoint_id: before[0] } };
    expect((await app.invoke(null, back)).log).toEqual([{ receipt: 1 }, "-"]);
    auto = true;
    await expect(app.invoke(null, back)).rejects.toMatchObject({ code: "AUTO_KEY" });
    expect(outside.calls).toHaveLength(1);
  });
});

describe("onReplay", () => {
  it("new: an effect that only its visit identifies happens once in each replay", async () => {
    const checkpointer = saver();
    const outside = new Outside();
    const send = effect<object, unknown>({
      name: fresh("send"),
      key: () => autoKey,
      onReplay: "new",
      run: async (args, context) => outside.call(args, context),
    });
    const app = chain(checkpointer, { node: async () => ({ log: [await send({}), interrupt("more?")] }) });
    await app.invoke({}, on("t"));
    await app.invoke(answer("yes"), on("t"));
    expect(outside.calls).toHaveLength(1);
    let first: unknown;
    for await (const { config, metadata } of checkpointer.list(on("t"))) if (metadata?.step === 0) first = config;
    await app.invoke(null, first as object);
    await app.invoke(answer("yes"), on("t"));
    expect(outside.calls).toHaveLength(2);
    expect(new Set(outside.calls.map(({ key }) => key)).size).toBe(2);
  });

  it("of any other word is refused", () => {
    const wrong = { name: fresh("x"), key: () => "k", run: async () => 1, onReplay: "reuse" as never };
    expect(() => effect(wrong)).toThrow(expect.objectContaining({ code: "EFFECT_DEFINITION" }) as Error);
  });
});

describe("the barrier", () => {
  it.each([
    ["SlimSaver", () => saver()],
    ["MemorySaver", () => (setLedger(memoryLedger()), new MemorySaver())],
  ])("under durability exit nothing is done (%s)", async (_, checkpointer) => {
    const outside = new Outside();
    const pay = effect<{ id: string }, unknown>({
      name: fresh("pay"),
      key: ({ id }) => id,
      run: async (args, context) => outside.call(args, context),
    });
    const app = chain(checkpointer(), { node: async () => ({ log: [await pay({ id: "o" })] }) });
    await expect(app.invoke({}, { ...on("t"), durability: "exit" })).rejects.toMatchObject({ code: "NOT_DURABLE" });
    expect(outside.calls).toHaveLength(0);
    expect((await app.invoke({}, on("t"))).log).toHaveLength(1);
  });

  it("the checkpoints that name the visit are stored before the call, in a subgraph too", async () => {
    const checkpointer = SlimSaver.fromConnString(":memory:");
    const stored: boolean[] = [];
    const put = checkpointer.put.bind(checkpointer);
    vi.spyOn(checkpointer, "put").mockImplementation(async (...parameters) => {
      await new Promise((resolve) => setTimeout(resolve, 15));
      return put(...parameters);
    });
    const pay = effect<object, unknown>({
      name: fresh("pay"),
      key: () => autoKey,
      run: async () => stored.push((await checkpointer.getTuple(on("t"))) !== undefined),
    });
    const inner = chain(undefined, { inside: async () => ({ log: [await pay({})] }) });
    const app = chain(checkpointer, { outside: inner as never, after: async () => ({ log: [await pay({})] }) });
    await app.invoke({}, on("t"));
    expect(stored).toEqual([true, true]);
  });

  it("the intent is synced to disk before the call, and a good effect costs two commits", async () => {
    const ledger = memoryLedger();
    setLedger(ledger);
    const { database } = ledger.store;
    const events: string[] = [];
    const transaction = database.transaction.bind(database);
    vi.spyOn(database, "transaction").mockImplementation((work, options) => {
      const before = changes();
      const result = transaction(work, options);
      if (changes() > before) events.push(options?.durable === true ? "synced commit" : "commit");
      return result;
    });
    const changes = (): number => database.get<{ n: number }>("SELECT total_changes() AS n")!.n;
    const pay = effect<object, unknown>({ name: fresh("pay"), key: () => "k", run: async () => events.push("call") });
    await pay({});
    await pay({});
    expect(events).toEqual(["synced commit", "call", "commit"]);
  });
});

describe("a definition", () => {
  const good = { name: "good", key: () => "k", run: async () => 1 };
  it.each([
    ["without a name", { ...good, name: "" }],
    ["without a key", { ...good, key: undefined }],
    ["without run", { ...good, run: "pay" }],
    ["with a lookup that is no function", { ...good, lookup: true }],
    ["with another ledger", { ...good, ledger: {} }],
    ["with no attempts", { ...good, retry: { maxAttempts: 0 } }],
  ])("%s is refused when it is made", (_, definition) => {
    expect(() => effect(definition as never)).toThrow(expect.objectContaining({ code: "EFFECT_DEFINITION" }) as Error);
  });

  it("with a duration nobody can read is refused when it is made", () => {
    expect(() => effect({ ...good, keyTtl: "a day" as never })).toThrow(/keyTtl/);
  });

  it.each([[""], [7], [undefined], ["x".repeat(1001)]])(
    "whose key is %s is refused before anything is done",
    async (key) => {
      setLedger(memoryLedger());
      const outside = new Outside();
      const pay = effect<object, unknown>({
        name: fresh("pay"),
        key: () => key as never,
        run: async (args, context) => outside.call(args, context),
      });
      await expect(pay({})).rejects.toMatchObject({ code: "EFFECT_DEFINITION" });
      expect(outside.calls).toHaveLength(0);
    },
  );

  it("of the same name: the same code replaces itself; other code is refused in production and replaces it elsewhere", () => {
    const name = fresh("twice");
    const make = (result: number) => effect({ ...good, name, run: async () => result });
    make(1);
    vi.stubEnv("NODE_ENV", "production");
    expect(() => make(2)).not.toThrow();
    expect(() => effect({ ...good, name, run: async () => 1 + 1 })).toThrow(/Two different effects/);
    vi.stubEnv("NODE_ENV", "development");
    expect(() => effect({ ...good, name, run: async () => 1 + 1 })).not.toThrow();
    vi.unstubAllEnvs();
  });
});

it("ledgerOf refuses what is no SlimSaver, and gives one saver one ledger", () => {
  const checkpointer = saver();
  expect(ledgerOf(checkpointer)).toBe(ledgerOf(checkpointer));
  expect(() => ledgerOf(new MemorySaver())).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }) as Error);
  expect(() => setLedger({} as never)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }) as Error);
});
