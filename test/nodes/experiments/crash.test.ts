/**
 * How LangGraph behaves when it is broken off, measured, and what effects make of it. The first test of each pair pins the
 * behaviour: when it fails after an upgrade, LangGraph has changed, and what is built on it has to be looked at.
 */
import { entrypoint, MemorySaver, START, StateGraph, task } from "@langchain/langgraph";
import { InMemoryCache } from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { afterEach, describe, expect, it } from "vitest";
import { autoKey } from "../../../src/nodes/key.js";
import { memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import type { Ledger } from "../../../src/nodes/ledger.js";
import { effect, resume } from "../../../src/nodes/index.js";
import { runningTask } from "../../../src/shared/langgraph.js";
import { crashPoints, fakeDownstream } from "../../../src/testing/index.js";
import type { Crash, Downstream } from "../../../src/testing/index.js";
import { chain, fresh, on, saver } from "../effect/support.js";
import type { NodeOf } from "../effect/support.js";
import { Log, turn } from "./support.js";

afterEach(() => setLedger(undefined));

/** A database whose saves take a while, as one beyond a network does. */
function slow<T extends BaseCheckpointSaver>(inner: T): T {
  const later = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) await turn();
  };
  return new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const call = (...args: unknown[]): unknown => (value as (...args: unknown[]) => unknown).apply(target, args);
      return name === "put" || name === "putWrites"
        ? async (...args: unknown[]) => (await later(), call(...args))
        : call;
    },
  });
}

type Build = (crash: Crash, storage: MemorySaver) => { invoke(input: unknown, config: object): Promise<unknown> };

/** One life that crashes right after the call, and the next one, as whoever finds an unfinished job goes on. */
async function twoLives(build: Build, durability: "sync" | "async", pass = 1): Promise<void> {
  const storage = new MemorySaver();
  const config = { ...on("t"), durability };
  const first = crashPoints.throwing({ at: "after call", pass });
  await build(first, storage)
    .invoke({}, config)
    .catch(() => undefined);
  expect(first.crashedAt).toBe("after call");
  const app = build(crashPoints.throwing({ at: "nowhere" }), storage);
  await resume(app as never, config).catch(() => app.invoke({}, config));
}

/** What three nodes do; each is told the life that it runs in. */
const three =
  (node: (crash: Crash, name: string) => NodeOf): Build =>
  (crash, storage) =>
    chain(slow(crash.watch(storage)), Object.fromEntries(["n1", "n2", "n3"].map((name) => [name, node(crash, name)])));

/** The functional form: a task for each. */
const tasks =
  (work: (crash: Crash, name: string) => Promise<unknown>): Build =>
  (crash, storage) => {
    const step = task("step", async (name: string) => work(crash, name));
    const app = entrypoint({ name: "flow", checkpointer: slow(crash.watch(storage)) }, async () => {
      for (const name of ["t1", "t2", "t3"]) await step(name);
      return "done";
    });
    return app as never;
  };

/** An effect that is keyed by its visit alone, in one life; on the ledger, or on that of the graph's saver. */
function keyed(crash: Crash, bank: Downstream, name: string, ledger?: Ledger) {
  const seen = crash.watch(bank);
  return effect<{ of: string }, unknown>({
    name,
    key: () => autoKey,
    run: (args, { key }) => seen.call(key, args),
    lookup: (_args, { key }) => seen.lookup(key),
    ...(ledger !== undefined && { ledger: crash.watch(ledger) }),
  });
}

/** How often each node or task acted. */
function timesOf({ calls }: Downstream): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { value } of calls) counts[(value as { of: string }).of] = (counts[(value as { of: string }).of] ?? 0) + 1;
  return counts;
}

describe("E2: a graph that is killed right after an effect", () => {
  const acting = (bank: Downstream, ids: string[]) =>
    three((crash, name) => async () => {
      ids.push(`${name} ${runningTask()!.taskId}`);
      await crash.watch(bank).call(name, { of: name });
      return { log: [name] };
    });

  it("comes back to the node under the same task id where durability is sync, and under another one where it is async", async () => {
    const seen: Record<string, number> = {};
    for (const durability of ["sync", "async"] as const) {
      const ids: string[] = [];
      await twoLives(acting(fakeDownstream({ seed: 1 }), ids), durability, 2);
      seen[durability] = new Set(ids.filter((id) => id.startsWith("n2"))).size;
    }
    expect(seen).toEqual({ sync: 1, async: 2 });
  });

  it("acts twice", async () => {
    const bank = fakeDownstream({ seed: 1 });
    await twoLives(acting(bank, []), "async", 2);
    expect(timesOf(bank)).toEqual({ n1: 2, n2: 2, n3: 1 });
  });

  it.each(["sync", "async"] as const)(
    "an effect acts once, even if only its visit names it (%s)",
    async (durability) => {
      const [bank, name, ledger] = [fakeDownstream({ seed: 1 }), fresh("pay"), memoryLedger()];
      await twoLives(
        three((crash, of) => async (_state, config) => ({
          log: [await keyed(crash, bank, name, ledger)({ of }, config)],
        })),
        durability,
        2,
      );
      expect(timesOf(bank)).toEqual({ n1: 1, n2: 1, n3: 1 });
    },
  );
});

describe("E3: a functional flow that is killed right after an effect", () => {
  it("runs tasks again that had returned, under every durability", async () => {
    for (const durability of ["sync", "async"] as const) {
      const bank = fakeDownstream({ seed: 1 });
      await twoLives(
        tasks(async (crash, of) => crash.watch(bank).call(of, { of })),
        durability,
        2,
      );
      expect(timesOf(bank)).toEqual({ t1: 2, t2: 2, t3: 1 });
    }
  });

  it("effects in its tasks act once", async () => {
    for (const durability of ["sync", "async"] as const) {
      const [bank, name, ledger] = [fakeDownstream({ seed: 1 }), fresh("pay"), memoryLedger()];
      await twoLives(
        tasks(async (crash, of) => keyed(crash, bank, name, ledger)({ of })),
        durability,
        2,
      );
      expect(timesOf(bank)).toEqual({ t1: 1, t2: 1, t3: 1 });
    }
  });
});

describe("E4: the checkpoint that a visit is named by", () => {
  it("is not stored yet when LangGraph lets the node run", async () => {
    const storage = new MemorySaver();
    let found: unknown;
    const node: NodeOf = async () => {
      const [[ns, id] = []] = Object.entries(runningTask()!.checkpointMap);
      found = await storage.getTuple({ configurable: { thread_id: "t", checkpoint_ns: ns, checkpoint_id: id } });
      return {};
    };
    await chain(slow(storage), { node }).invoke({}, on("t"));
    expect(found).toBeUndefined();
  });

  it("is stored before an effect's intent", async () => {
    const storage = new MemorySaver();
    setLedger(memoryLedger());
    let found: unknown;
    const act = effect<null, null>({
      name: fresh("act"),
      key: () => autoKey,
      run: async () => {
        found = await storage.getTuple({ configurable: { thread_id: "t", ...place } });
        return null;
      },
    });
    let place = {};
    const node: NodeOf = async () => {
      const [[ns, id] = []] = Object.entries(runningTask()!.checkpointMap);
      place = { checkpoint_ns: ns, checkpoint_id: id };
      await act(null);
      return {};
    };
    await chain(slow(storage), { node }).invoke({}, on("t"));
    expect(found).toBeDefined();
  });
});

describe("E15: a process that dies between a node's writes and the next checkpoint", () => {
  const dying = async (bank: Downstream, name: string) => {
    const storage = saver();
    const build = (crash: Crash) =>
      chain(crash.watch(storage), {
        pay: async (_state, config) => ({ log: [await keyed(crash, bank, name)({ of: "pay" }, config)] }),
        mail: async () => ({ log: ["mailed"] }),
      });
    const first = crashPoints.throwing({ at: "before put", pass: 3 });
    await build(first)
      .invoke({}, { ...on("t"), durability: "sync" })
      .catch(() => undefined);
    expect(first.crashedAt).toBe("before put");
    return { storage, app: build(crashPoints.throwing({ at: "nowhere" })) };
  };

  it("leaves a thread of which LangGraph says that nothing is next, though it is not finished", async () => {
    const { app } = await dying(fakeDownstream({ seed: 1 }), fresh("pay"));
    const snapshot = (await app.getState(on("t"))) as unknown as { next: string[]; tasks: unknown[] };
    expect(snapshot.next).toEqual([]);
    expect(snapshot.tasks).toHaveLength(1);
  });

  it("position() says that there is work, and resume() finishes it without a second call", async () => {
    const bank = fakeDownstream({ seed: 1 });
    const { app, storage } = await dying(bank, fresh("pay"));
    expect((await storage.position("t"))?.state).toBe("working");
    expect((await resume(app as never, on("t"))).status).toBe("finished");
    expect((await storage.position("t"))?.state).toBe("done");
    expect(timesOf(bank)).toEqual({ pay: 1 });
  });
});

describe("E19: a run that is aborted from outside", () => {
  const aborted = async (act: () => Promise<unknown>) => {
    const stop = new AbortController();
    const app = chain(saver(), {
      node: async () => {
        stop.abort(new Error("enough"));
        await turn();
        return { log: [await act()] };
      },
    });
    await app.invoke({}, { ...on("t"), signal: stop.signal }).catch(() => undefined);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    await app.invoke(null, on("t"));
  };

  it("acts all the same, is forgotten, and acts again", async () => {
    const bank = fakeDownstream({ seed: 1 });
    await aborted(() => bank.call("k", { of: "node" }));
    expect(timesOf(bank)).toEqual({ node: 2 });
  });

  it("an effect that had not begun does not begin, and is carried out once by the next run", async () => {
    const bank = fakeDownstream({ seed: 1 });
    const pay = keyed(crashPoints.throwing({ at: "nowhere" }), bank, fresh("pay"));
    await aborted(() => pay({ of: "node" }));
    expect(timesOf(bank)).toEqual({ node: 1 });
  });
});

describe("E21: a node with a cachePolicy", () => {
  const cached = (node: () => Promise<object>) =>
    new StateGraph(Log)
      .addNode("pay", node, { cachePolicy: true })
      .addEdge(START, "pay")
      .compile({ checkpointer: saver(), cache: new InMemoryCache() });

  it("is skipped for another thread whose input is equal: nothing is paid for it", async () => {
    const bank = fakeDownstream({ seed: 1 });
    const app = cached(async () => ({ log: [(await bank.call("k", { of: runningTask()!.threadId })).number] }));
    for (const thread of ["ann", "bob"]) await app.invoke({ log: [] }, on(thread));
    expect(timesOf(bank)).toEqual({ ann: 1 });
  });

  it("an effect is kept by thread: it pays for both, and for each of them once", async () => {
    const bank = fakeDownstream({ seed: 1 });
    const pay = keyed(crashPoints.throwing({ at: "nowhere" }), bank, fresh("pay"));
    const checkpointer = saver();
    const app = chain(checkpointer, { pay: async () => ({ log: [await pay({ of: runningTask()!.threadId })] }) });
    for (const thread of ["ann", "bob"]) {
      await app.invoke({}, on(thread));
      await resume(app as never, on(thread));
    }
    expect(timesOf(bank)).toEqual({ ann: 1, bob: 1 });
  });
});

const isUnknownThread = (error: unknown): boolean => (error as { code?: unknown }).code === "UNKNOWN_THREAD";

describe("E24: orders that are paid in runs which crash around the payment", () => {
  const POINTS = ["before call", "after call"];
  const orders = 40;

  /** Each order until it is paid, however many lives that takes; a downstream that refuses a key it has seen. */
  const payAll = async (pay: (crash: Crash, of: string) => NodeOf): Promise<void> => {
    for (let order = 0; order < orders; order += 1) {
      const storage = new MemorySaver();
      const config = { ...on("t"), durability: "async" };
      for (let life = 1; ; life += 1) {
        const crash = crashPoints.throwing({ rate: 0.15, seed: order * 1000 + life, points: POINTS });
        const nodes = Object.fromEntries(["a", "b", "c"].map((leg) => [leg, pay(crash, `${order}-${leg}`)]));
        const app = chain(slow(crash.watch(storage)), nodes);
        await resume(app as never, config)
          .catch((error: unknown) => (isUnknownThread(error) ? app.invoke({}, config) : undefined))
          .catch(() => undefined);
        for (let turns = 0; turns < 5; turns += 1) await turn();
        if (crash.crashedAt === undefined) break;
      }
    }
  };
  const twice = (bank: Downstream): number => Object.values(timesOf(bank)).filter((times) => times > 1).length;

  it("the task id as key pays some of them twice, though the other side knows every key", async () => {
    const bank = fakeDownstream({ seed: 1, deduplicate: true });
    await payAll((crash, of) => async () => {
      await crash.watch(bank).call(runningTask()!.taskId, { of });
      return { log: [of] };
    });
    const done = { ...bank, calls: bank.calls.filter(({ outcome }) => outcome === "done") } as Downstream;
    expect(twice(done)).toBeGreaterThan(0);
  });

  it("an effect pays each of them once, though the other side knows no key", async () => {
    const [bank, name, ledger] = [fakeDownstream({ seed: 1 }), fresh("pay"), memoryLedger()];
    await payAll((crash, of) => {
      const seen = crash.watch(bank);
      const pay = effect<{ of: string }, unknown>({
        name,
        ledger: crash.watch(ledger),
        key: (args) => args.of,
        run: (args, { key }) => seen.call(key, args),
        lookup: (_args, { key }) => seen.lookup(key),
      });
      return async (_state, config) => ({ log: [await pay({ of }, config)] });
    });
    expect(bank.calls).toHaveLength(orders * 3);
    expect(twice(bank)).toBe(0);
  });
});
