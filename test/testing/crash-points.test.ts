import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { SlimSaver } from "../../src/checkpointer/slim-saver.js";
import { effect, ledgerOf, memoryLedger, resume, setLedger } from "../../src/nodes/index.js";
import { crashPoints, fakeDownstream, SimulatedCrash } from "../../src/testing/index.js";
import type { Crash, CrashPlan, Downstream } from "../../src/testing/index.js";
import { Child } from "../child.js";
import { chain, fresh, on, rowOf } from "../nodes/effect/support.js";
import { temporaryFolder } from "../checkpointer/harness.js";

const never: CrashPlan = { at: "nowhere" };

function paying(crash: Crash, bank: Downstream, name: string) {
  const seen = crash.watch(bank);
  return effect<{ id: string }, unknown>({
    name,
    key: ({ id }) => id,
    run: (args, { key }) => seen.call(key, args),
    lookup: (_args, { key }) => seen.lookup(key),
  });
}

function life(saver: SlimSaver, bank: Downstream, plan: CrashPlan, name: string) {
  const crash = crashPoints.throwing(plan);
  const pay = paying(crash, bank, name);
  const app = chain(crash.watch(saver), { pay: async (_, config) => ({ log: [await pay({ id: "1" }, config)] }) });
  return { crash, app };
}

describe("a life that nobody ends", () => {
  it("passes the points around intent, call, record, writes and checkpoint in their order", async () => {
    const { crash, app } = life(SlimSaver.fromConnString(":memory:"), fakeDownstream({ seed: 1 }), never, fresh("pay"));
    await app.invoke({}, { ...on("t"), durability: "sync" });
    const ofTheNode = crash.passed.slice(crash.passed.indexOf("before intent"));
    expect(ofTheNode).toEqual(crashPoints.names);
    expect(crash.crashedAt).toBeUndefined();
  });
});

describe("a life that ends at", () => {
  it.each(crashPoints.names)("%s leaves what was stored before it, and nothing after it", async (at) => {
    const saver = SlimSaver.fromConnString(":memory:");
    const bank = fakeDownstream({ seed: 1 });
    const name = fresh("pay");
    const dying = life(saver, bank, { at }, name);
    await dying.app.invoke({}, { ...on("t"), durability: "sync" }).catch(() => undefined);
    expect(dying.crash.crashedAt).toBe(at);
    expect(bank.calls).toHaveLength(
      at === "before intent" || at === "after intent" || at === "before call" ? 0 : expectCall(at),
    );
    if (at === "after intent" || at === "before call" || at === "after call" || at === "before record") {
      expect(rowOf(ledgerOf(saver), name, "1").state).toBe("STARTED");
    }
    const next = life(saver, bank, never, name);
    const going = await resume(next.app as never, on("t")).catch(() => undefined);
    if (going === undefined) await next.app.invoke({}, on("t"));
    expect(bank.times("1")).toBe(1);
    expect((await next.app.getState(on("t"))).tasks).toEqual([]);
  });

  /** Of the first put or putWrites, before which nothing was called. */
  function expectCall(at: string): number {
    return /put/i.test(at) ? 0 : 1;
  }

  it("a point lets nothing more out, whatever still runs of it", async () => {
    const saver = SlimSaver.fromConnString(":memory:");
    const bank = fakeDownstream({ seed: 1 });
    const { crash, app } = life(saver, bank, { at: "after call" }, fresh("pay"));
    const view = crash.watch(saver);
    await app.invoke({}, on("t")).catch(() => undefined);
    await expect(async () => view.getTuple(on("t"))).rejects.toThrow(SimulatedCrash);
    await expect(async () => crash.watch(bank).call("2")).rejects.toThrow(SimulatedCrash);
    await expect(async () => ledgerOf(view).store.database.get("SELECT 1")).rejects.toThrow(SimulatedCrash);
    expect(() => crash.pass("anything")).toThrow(SimulatedCrash);
    expect(bank.calls).toHaveLength(1);
    expect(await saver.getTuple(on("t"))).toBeDefined();
  });
});

describe("the points of", () => {
  it("a ledger by itself are passed beside any other saver", async () => {
    const crash = crashPoints.throwing({ at: "after record" });
    const ledger = memoryLedger();
    const name = fresh("pay");
    setLedger(crash.watch(ledger));
    const bank = fakeDownstream({ seed: 1 });
    const pay = paying(crash, bank, name);
    const app = chain(crash.watch(new MemorySaver()), { pay: async () => ({ log: [await pay({ id: "1" })] }) });
    await app.invoke({}, on("t")).catch(() => undefined);
    setLedger(undefined);
    expect(crash.crashedAt).toBe("after record");
    expect(rowOf(ledger, name, "1").state).toBe("SUCCEEDED");
  });

  it("one's own are passed by hand", async () => {
    const crash = crashPoints.throwing({ at: "after mail", pass: 2 });
    expect(await crash.around("mail", () => "sent")).toBe("sent");
    await expect(crash.around("mail", () => "sent")).rejects.toMatchObject({
      name: "SimulatedCrash",
      point: "after mail",
    });
    expect(crash.passed).toEqual(["before mail", "after mail", "before mail", "after mail"]);
  });
});

describe("a rate", () => {
  const firstCrash = (seed: number): number => {
    const crash = crashPoints.throwing({ rate: 0.05, seed });
    try {
      for (;;) crash.pass("here");
    } catch {
      return crash.passed.length;
    }
  };

  it("is kept over many lives, and the same seed crashes at the same pass", () => {
    const lengths = Array.from({ length: 2000 }, (_, seed) => firstCrash(seed));
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    expect(mean).toBeGreaterThan(17);
    expect(mean).toBeLessThan(23);
    expect(firstCrash(7)).toBe(lengths[7]);
  });

  it("may be for some points only", () => {
    const crash = crashPoints.throwing({ rate: 1, seed: 1, points: ["there"] });
    crash.pass("here");
    expect(() => crash.pass("there")).toThrow(SimulatedCrash);
  });
});

it("a plan that cannot be meant is refused", () => {
  for (const plan of [{ rate: 2, seed: 1 }, { rate: 0.1, seed: Number.NaN }, { at: "" }, { at: "here", pass: 0 }]) {
    expect(() => crashPoints.throwing(plan)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }) as Error);
  }
});

it("a life that is killed ends by SIGKILL, and says before where", async () => {
  const file = `${temporaryFolder()}/points`;
  const { signal, messages } = await Child.start(new URL("fixtures/mortal.ts", import.meta.url), { file }).ended();
  expect(signal).toBe("SIGKILL");
  expect(messages).toEqual([]);
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(file, "utf8")).toBe("here");
});
