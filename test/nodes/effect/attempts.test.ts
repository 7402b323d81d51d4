import { afterEach, describe, expect, it } from "vitest";
import { EffectTable } from "../../../src/nodes/effect-table.js";
import { effect } from "../../../src/nodes/effect.js";
import { ledgerOf, memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { absent, succeeded } from "../../../src/nodes/outcome.js";
import { reconcile } from "../../../src/nodes/reconcile.js";
import { resolve } from "../../../src/nodes/resolve.js";
import {
  answer,
  asked,
  attemptsOf,
  chain,
  force,
  fresh,
  HandClock,
  happened,
  on,
  Outside,
  rowOf,
  saver,
} from "./support.js";

afterEach(() => setLedger(undefined));

/** An effect that ends when the test lets it, whatever its signal says. */
function stubborn(extra: object = {}) {
  const outside = new Outside();
  const gates: (() => void)[] = [];
  const name = fresh("stubborn");
  const pay = effect<{ id: string }, unknown>({
    name,
    key: ({ id }) => id,
    timeout: "1s",
    run: async (args, context) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return outside.call(args, context);
    },
    ...extra,
  });
  return { pay, outside, gates, name };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

describe("an attempt that outlives its timeout", () => {
  it("is unknown, and what it brings late is kept as evidence and changes nothing", async () => {
    const clock = new HandClock();
    const ledger = memoryLedger({ clock });
    setLedger(ledger);
    const { pay, outside, gates, name } = stubborn();
    const call = pay({ id: "o" }).catch((error: unknown) => error);
    await until(() => gates.length === 1);
    clock.advance(1000);
    expect(await call).toMatchObject({ code: "UNKNOWN_OUTCOME", cause: { code: "EFFECT_TIMEOUT" } });
    gates[0]!();
    await until(() => outside.calls.length === 1);
    await turn();
    expect(rowOf(ledger, name, "o")).toMatchObject({ state: "UNKNOWN", result: null });
    expect(attemptsOf(ledger, name, "o")).toMatchObject([
      { outcome: "timed-out", late: expect.stringContaining('"receipt":1') as string },
    ]);
  });

  it("is not repeated while it still runs, even if the lookup does not see it", async () => {
    const clock = new HandClock();
    setLedger(memoryLedger({ clock }));
    const { pay, outside, gates } = stubborn({
      lookup: async () => absent(),
      retry: { maxAttempts: 3, initialInterval: 0 },
    });
    const call = pay({ id: "o" }).catch((error: unknown) => error);
    await until(() => gates.length === 1);
    clock.advance(1000);
    expect(String(await call)).toContain("still running");
    gates[0]!();
    await until(() => outside.calls.length === 1);
    expect(outside.calls).toHaveLength(1);
  });

  it("one that listens to its signal and did nothing may be tried again", async () => {
    const clock = new HandClock();
    setLedger(memoryLedger({ clock }));
    let attempts = 0;
    const pay = effect<object, string>({
      name: fresh("polite"),
      key: () => "k",
      timeout: 1000,
      retry: { maxAttempts: 2, initialInterval: 0 },
      lookup: async () => absent(),
      run: async (_, { signal }) => {
        attempts += 1;
        if (attempts === 2) return "done";
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
        return "never";
      },
    });
    const call = pay({});
    await until(() => attempts === 1);
    clock.advance(1000);
    await turn();
    await turn();
    clock.advance(0);
    expect(await call).toBe("done");
  });

  it("a person is shown what came late", async () => {
    const clock = new HandClock();
    const checkpointer = saver(clock);
    const { pay, outside, gates } = stubborn();
    const app = chain(checkpointer, { node: async () => ({ log: [await pay({ id: "o" })] }) });
    const run = app.invoke({}, on("t"));
    await until(() => gates.length === 1);
    clock.advance(1000);
    await run;
    gates[0]!();
    await until(() => outside.calls.length === 1);
    await turn();
    const again = asked(await app.invoke(answer("hm"), on("t")));
    expect(again?.effects[0]?.evidence.join()).toContain('"receipt":1');
    expect((await app.invoke(answer(happened("r")), on("t"))).log).toEqual(["r"]);
  });
});

it("an attempt that was taken over by somebody else changes nothing, and says so", async () => {
  const ledger = memoryLedger();
  setLedger(ledger);
  const { pay, gates, name } = stubborn({ timeout: undefined });
  const call = pay({ id: "o" }).catch((error: unknown) => error);
  await until(() => gates.length === 1);
  ledger.store.database.run(
    "UPDATE waypoint_effects SET fence = fence + 1, version = version + 1, attempt = attempt + 1",
  );
  gates[0]!();
  expect(await call).toMatchObject({ code: "STALE_FENCE" });
  expect(rowOf(ledger, name, "o")).toMatchObject({ state: "STARTED", result: null });
  expect(attemptsOf(ledger, name, "o")).toMatchObject([{ late: "SUCCEEDED" }]);
  expect(new EffectTable(ledger.store).conflicts()).toBe(1);
});

it("an aborted run does not start another effect, and waits for the one that is under way", async () => {
  const checkpointer = saver();
  const { pay, outside, gates, name } = stubborn({ timeout: undefined });
  const second = stubborn();
  const abort = new AbortController();
  let zombie: Promise<unknown> | undefined;
  const app = chain(checkpointer, {
    node: async () => {
      zombie = pay({ id: "o" })
        .then(() => second.pay({ id: "o" }))
        .catch((error: unknown) => error);
      return { log: [await zombie] };
    },
  });
  const run = app.invoke({}, { ...on("t"), signal: abort.signal }).catch((error: unknown) => error);
  await until(() => gates.length === 1);
  abort.abort();
  await run;
  gates[0]!();
  await zombie;
  expect(rowOf(ledgerOf(checkpointer), name, "o").state).toBe("SUCCEEDED");
  expect(outside.calls).toHaveLength(1);
  expect(second.gates).toHaveLength(0);
});

it("an effect whose outcome cannot be written down is looked up by the next run, and not repeated", async () => {
  const ledger = memoryLedger();
  setLedger(ledger);
  const outside = new Outside();
  const { database } = ledger.store;
  const pay = effect<object, unknown>({
    name: fresh("disk-full"),
    key: () => "k",
    lookup: async () => succeeded("found"),
    run: async (args, context) => {
      database.run(
        "CREATE TEMP TRIGGER full BEFORE UPDATE ON main.waypoint_effects BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
      );
      return outside.call(args, context);
    },
  });
  await expect(pay({})).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME" });
  database.run("DROP TRIGGER full");
  expect(await pay({})).toBe("found");
  expect(outside.calls).toHaveLength(1);
});

describe("reconcile", () => {
  it("looks up what is open, leaves alone what runs, reports what it does not know, and calls no run", async () => {
    const ledger = memoryLedger();
    setLedger(ledger);
    const outside = new Outside();
    const make = (name: string, extra: object = {}) =>
      effect<object, unknown>({
        name,
        key: () => "k",
        run: async (args, context) => outside.call(args, context),
        ...extra,
      });
    const names = {
      found: fresh("found"),
      missing: fresh("missing"),
      unsure: fresh("unsure"),
      unregistered: fresh("foreign"),
    };
    const { gates, pay: running } = stubborn({ timeout: undefined });
    const call = running({ id: "r" });
    await until(() => gates.length === 1);
    await make(names.found, { lookup: async () => succeeded("found") })({});
    await make(names.missing, { lookup: async () => absent() })({});
    await make(names.unsure)({});
    await make(names.unregistered)({});
    for (const name of Object.values(names)) force(ledger, name, "k", { state: "STARTED" });
    ledger.store.database.run(
      "UPDATE waypoint_effects SET name = 'nobody defines this' WHERE name = ?",
      names.unregistered,
    );
    const report = await reconcile(ledger);
    const now = Object.fromEntries(report.effects.map((entry) => [entry.name, entry.now]));
    expect(now).toMatchObject({
      [names.found]: "succeeded",
      [names.missing]: "retryable",
      [names.unsure]: "unknown",
      "nobody defines this": "unknown",
      [running.definition.name]: "running",
    });
    expect(report).toMatchObject({ settled: 2, unknown: 2 });
    expect(outside.calls).toHaveLength(4);
    gates[0]!();
    await call;
  });

  it("of one thread only", async () => {
    const checkpointer = saver();
    const { pay, gates } = stubborn({ timeout: undefined });
    const app = chain(checkpointer, { node: async () => ({ log: [await pay({ id: "o" })] }) });
    const run = app.invoke({}, on("t"));
    await until(() => gates.length === 1);
    expect((await reconcile(ledgerOf(checkpointer), { threadId: "t" })).effects).toHaveLength(1);
    expect((await reconcile(ledgerOf(checkpointer), { threadId: "other" })).effects).toHaveLength(0);
    gates[0]!();
    await run;
  });
});

describe("resolve", () => {
  it.each([
    ["an unknown id", "eff_none", happened("x"), "EFFECT_NOT_FOUND"],
    ["an incomplete resolution", "eff_none", { as: "succeeded", by: "", evidence: "x" }, "INVALID_INPUT"],
  ])("refuses %s", async (_, id, resolution, code) => {
    await expect(resolve(memoryLedger(), id, resolution as never)).rejects.toMatchObject({ code });
  });

  it("refuses what is known already, and what is under way, and changes nothing", async () => {
    const ledger = memoryLedger();
    setLedger(ledger);
    const { pay, gates, name } = stubborn({ timeout: undefined });
    const call = pay({ id: "o" });
    await until(() => gates.length === 1);
    const { id } = rowOf(ledger, name, "o");
    await expect(resolve(ledger, id, happened("x") as never)).rejects.toMatchObject({ code: "EFFECT_IN_PROGRESS" });
    gates[0]!();
    await call;
    await expect(resolve(ledger, id, happened("x") as never)).rejects.toMatchObject({ code: "EFFECT_CLOSED" });
    expect(await pay({ id: "o" })).toEqual({ receipt: 1 });
  });

  it("settles at once what a dead process left behind, and keeps who said so", async () => {
    const ledger = memoryLedger();
    setLedger(ledger);
    const { pay, gates, name } = stubborn({ timeout: undefined });
    const call = pay({ id: "o" });
    await until(() => gates.length === 1);
    gates[0]!();
    await call;
    force(ledger, name, "o", { state: "STARTED" });
    await resolve(ledger, rowOf(ledger, name, "o").id, happened("by hand") as never);
    expect(await pay({ id: "o" })).toBe("by hand");
    expect(rowOf(ledger, name, "o").evidence).toBe("ada: seen");
  });
});
