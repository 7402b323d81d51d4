import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunnableConfig } from "@langchain/core/runnables";
import { entrypoint, MemorySaver, task as functional } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { durable } from "../../../src/nodes/durable.js";
import { effect } from "../../../src/nodes/effect.js";
import { autoKey } from "../../../src/nodes/key.js";
import { memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { runningTask } from "../../../src/shared/langgraph.js";
import { runChild } from "../../child.js";
import { chain, fresh, on, Outside, saver } from "../effect/support.js";

beforeEach(() => setLedger(memoryLedger()));
afterEach(() => setLedger(undefined));

const inners: readonly (readonly [string, () => BaseCheckpointSaver])[] = [
  ["MemorySaver", () => new MemorySaver()],
  ["SqliteSaver", () => SqliteSaver.fromConnString(":memory:")],
];

/** A saver whose puts take a while, and which counts how often it is read. */
function slow(inner: BaseCheckpointSaver, ms = 20) {
  const put = inner.put.bind(inner);
  vi.spyOn(inner, "put").mockImplementation(async (...parameters) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return put(...parameters);
  });
  return { inner, reads: vi.spyOn(inner, "getTuple") };
}

/** An effect that notes, when it is called, whether each checkpoint that names its visit is there. */
function noting(inner: BaseCheckpointSaver, extra: object = {}) {
  const found: Record<string, boolean>[] = [];
  const outside = new Outside();
  const pay = effect<{ id: string; map: Readonly<Record<string, string>> }, unknown>({
    name: fresh("pay"),
    key: () => autoKey,
    run: async (args, context) => {
      const levels = Object.entries(args.map).map(async ([ns, id]) => {
        const configurable = { thread_id: "t", checkpoint_ns: ns, checkpoint_id: id };
        return [ns.replaceAll(/:[^|]*/g, ""), (await inner.getTuple({ configurable })) !== undefined] as const;
      });
      found.push(Object.fromEntries(await Promise.all(levels)));
      return outside.call({}, context);
    },
    ...extra,
  });
  const call = (config: RunnableConfig) => pay({ id: "o", map: runningTask(config)!.checkpointMap }, config);
  return { call, found, outside };
}

describe.each(inners)("durable around %s", (_, make) => {
  it("lets an effect wait for the checkpoints of its visit, in a node and in a subgraph", async () => {
    const { inner } = slow(make());
    const { call, found } = noting(inner);
    const inside = chain(undefined, { inside: async (_state, config) => ({ log: [await call(config)] }) });
    const app = chain(durable(inner), {
      outside: inside as never,
      after: async (_state, config) => ({ log: [await call(config)] }),
    });
    expect((await app.invoke({}, on("t"))).log).toHaveLength(2);
    expect(found).toEqual([{ "": true, outside: true }, { "": true }]);
  });

  it("and in a functional task, where what an earlier task returned is stored as well", async () => {
    const { inner } = slow(make());
    const putWrites = inner.putWrites.bind(inner);
    let stored = 0;
    vi.spyOn(inner, "putWrites").mockImplementation(async (...parameters) => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      await putWrites(...parameters);
      stored += 1;
    });
    const { call, found } = noting(inner);
    const storedBefore: number[] = [];
    const first = functional("first", () => Promise.resolve(1));
    const second = functional("second", async (_: number) => {
      const result = await call(undefined as never);
      storedBefore.push(stored);
      return result;
    });
    const app = entrypoint({ name: "work", checkpointer: durable(inner) }, async () => second(await first()));
    await app.invoke({}, on("t"));
    expect(found).toEqual([{ "": true }]);
    expect(storedBefore[0]).toBeGreaterThan(0);
  });

  it("does not read the saver again and again", async () => {
    const { inner, reads } = slow(make(), 60);
    const { call } = noting(inner);
    const app = chain(durable(inner), { node: async (_state, config) => ({ log: [await call(config)] }) });
    await app.invoke({}, on("t"));
    // The run itself reads once, the test once; the barrier once, since the call that stores had not begun by then.
    expect(reads.mock.calls.length).toBeLessThanOrEqual(3);
  });

  it("refuses durability exit, and sends nothing", async () => {
    const inner = make();
    const { call, outside } = noting(inner);
    const app = chain(durable(inner), { node: async (_state, config) => ({ log: [await call(config)] }) });
    await expect(app.invoke({}, { ...on("t"), durability: "exit" })).rejects.toMatchObject({ code: "NOT_DURABLE" });
    expect(outside.calls).toHaveLength(0);
  });

  it("waits for a bounded time, and then says which checkpoint did not arrive", async () => {
    const inner = make();
    const release: (() => void)[] = [];
    const put = inner.put.bind(inner);
    vi.spyOn(inner, "put").mockImplementation(async (...parameters) => {
      await new Promise<void>((resolve) => release.push(resolve));
      return put(...parameters);
    });
    const { call, outside } = noting(inner);
    const refused: unknown[] = [];
    const app = chain(durable(inner, { timeout: 50 }), {
      node: async (_state, config) => {
        refused.push(await call(config).catch((error: unknown) => error));
        vi.mocked(inner.put).mockImplementation(put);
        release.forEach((go) => go());
        return {};
      },
    });
    await app.invoke({}, on("t"));
    expect(refused).toMatchObject([{ code: "NOT_DURABLE", details: { threadId: "t" } }]);
    expect(String(refused[0])).toContain("was not stored within 50 ms");
    expect(outside.calls).toHaveLength(0);
  });

  it("tells at once, with the cause, that a checkpoint could not be stored", async () => {
    const inner = make();
    vi.spyOn(inner, "put").mockImplementation(() => Promise.reject(new Error("disk is full")));
    const { call, outside } = noting(inner);
    let refused: unknown;
    const before = Date.now();
    const app = chain(durable(inner), {
      node: async (_state, config) => {
        refused = await call(config).catch((error: unknown) => error);
        return {};
      },
    });
    await expect(app.invoke({}, on("t"))).rejects.toThrow("disk is full");
    expect(refused).toMatchObject({ code: "NOT_DURABLE", cause: { message: "disk is full" } });
    expect(Date.now() - before).toBeLessThan(5000);
    expect(outside.calls).toHaveLength(0);
  });

  it("a thread that another saver object stored is read once, and goes on", async () => {
    const inner = make();
    const { call } = noting(inner);
    let fails = true;
    const nodes = {
      node: async (_state: unknown, config: RunnableConfig) => {
        if (fails) throw new Error("dies");
        return { log: [await call(config)] };
      },
    };
    await expect(chain(durable(inner), nodes).invoke({}, on("t"))).rejects.toThrow("dies");
    fails = false;
    expect((await chain(durable(inner), nodes).invoke(null, on("t"))).log).toHaveLength(1);
  });
});

describe.each([...inners, ["SlimSaver", () => saver()] as const])(
  "in a graph with checkpointer: false, under %s",
  (_, make) => {
    const app = (inner: BaseCheckpointSaver, call: (config: RunnableConfig) => Promise<unknown>) => {
      const inside = chain(false as never, { inside: async (_state, config) => ({ log: [await call(config)] }) });
      return chain(durable(inner, { timeout: 50 }), {
        outside: async (_state, config) => ({ log: (await inside.invoke({}, config)).log }),
      });
    };

    it("an effect with a key of the business happens, once", async () => {
      const inner = make();
      const outside = new Outside();
      const pay = effect<object, unknown>({
        name: fresh("pay"),
        key: () => "k",
        run: async (args, context) => outside.call(args, context),
        ledger: memoryLedger(),
      });
      const call = (config: RunnableConfig) => pay({}, config);
      await app(inner, call).invoke({}, on("t"));
      await app(inner, call).invoke({}, on("t"));
      expect(outside.calls).toHaveLength(1);
    });
  },
);

it("in a graph with checkpointer: false, an effect that only its visit identifies is refused, and the reason is said", async () => {
  const inner = new MemorySaver();
  const { call, outside } = noting(inner);
  const inside = chain(false as never, { inside: async (_state, config) => ({ log: [await call(config)] }) });
  const app = chain(durable(inner, { timeout: 50 }), { outside: inside as never });
  await expect(app.invoke({}, on("t"))).rejects.toMatchObject({
    code: "NOT_DURABLE",
    message: expect.stringContaining("checkpointer: false") as string,
  });
  expect(outside.calls).toHaveLength(0);
});

it("a SlimSaver, and what is durable already, is returned as it is; anything else is refused", () => {
  const slim = saver();
  expect(durable(slim)).toBe(slim);
  const once = durable(new MemorySaver());
  expect(durable(once)).toBe(once);
  for (const wrong of [undefined, null, {}, "saver"]) {
    expect(() => durable(wrong as never)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  }
});

describe("after a SIGKILL, with SqliteSaver", () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), "waypoint-durable-"))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it.each(["graph", "functional"] as const)(
    "the visit comes back under the same key, and nothing runs twice (%s)",
    async (shape) => {
      const lines = (): string[] =>
        existsSync(join(dir, "calls")) ? readFileSync(join(dir, "calls"), "utf8").trim().split("\n") : [];
      const file = new URL("fixtures/payer.ts", import.meta.url);
      const killed = await runChild(file, { dir, shape, die: true });
      expect(killed.signal).toBe("SIGKILL");
      const recovered = await runChild(file, { dir, shape, die: false });
      expect(recovered.messages, recovered.stderr).toEqual([["first", "paid"]]);
      expect(lines().map((line) => line.split(" ")[0])).toEqual(["first", "paid"]);
    },
  );
});
