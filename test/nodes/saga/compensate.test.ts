import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compensate } from "../../../src/nodes/compensate.js";
import { EffectTable } from "../../../src/nodes/effect-table.js";
import { effect } from "../../../src/nodes/effect.js";
import { memoryLedger } from "../../../src/nodes/ledger.js";
import { absent, succeeded, unknown, type Outcome } from "../../../src/nodes/outcome.js";
import { takeOff } from "../../../src/nodes/owner.js";
import { reconcile } from "../../../src/nodes/reconcile.js";
import { resolve } from "../../../src/nodes/resolve.js";
import { attemptsOf, force, fresh, happened, refusedConnection, reset } from "../effect/support.js";
import { became, booked, undoRow } from "./support.js";

const because = { reason: "the flight was cancelled" };

describe("compensate", () => {
  it("takes back what happened, the last one first, each with its receipt and a key of its own", async () => {
    const { ledger, agency, state } = await booked({ flight: {}, hotel: {}, car: {} });
    const report = await compensate(ledger, "trip", because);
    expect(agency.calls.slice(3)).toEqual(["cancel car", "cancel hotel", "cancel flight"]);
    expect(agency.receipts).toEqual(["car", "hotel", "flight"].map((id) => ({ ticket: `ticket of ${id}` })));
    expect(agency.keys).toEqual(["undo:car", "undo:hotel", "undo:flight"]);
    expect(report).toMatchObject({ threadId: "trip", compensated: 3, irreversible: 0, open: 0, done: true });
    expect(["flight", "hotel", "car"].map(state)).toEqual(["COMPENSATED", "COMPENSATED", "COMPENSATED"]);
  });

  it("called again, calls nothing again, and reports the same", async () => {
    const { ledger, agency } = await booked({ flight: {}, hotel: {} });
    const first = await compensate(ledger, "trip", because);
    const again = await compensate(ledger, "trip", because);
    expect(became(again)).toEqual(became(first));
    expect(agency.calls).toHaveLength(4);
  });

  it("called twice at the same moment, takes each back once", async () => {
    const { ledger, agency, state } = await booked({ flight: {}, hotel: {} });
    await Promise.all([compensate(ledger, "trip"), compensate(ledger, "trip")]);
    await compensate(ledger, "trip");
    expect(agency.calls.slice(2)).toEqual(["cancel hotel", "cancel flight"]);
    expect(state("flight")).toBe("COMPENSATED");
  });

  it("leaves other threads alone, and refuses to take back what no thread did", async () => {
    const { ledger, agency } = await booked({ flight: {} });
    expect(await compensate(ledger, "another")).toMatchObject({ steps: [], done: true });
    await expect(compensate(ledger, "")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(compensate(ledger, "trip", { reason: "" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(compensate(ledger, "trip", { onFailure: "ignore" } as never)).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    await expect(compensate({} as never, "trip")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(agency.calls).toEqual(["book flight"]);
  });

  it("says what has no undo, leaves it as it is, and takes back the rest", async () => {
    const { ledger, agency, state } = await booked({ flight: {}, mail: { irreversible: true }, car: {} });
    const report = await compensate(ledger, "trip");
    expect(became(report)).toEqual(["car: compensated", "mail: irreversible", "flight: compensated"]);
    expect(report).toMatchObject({ compensated: 2, irreversible: 1, open: 0, done: true });
    expect(report.steps[1]?.why).toBe("the effect has no undo");
    expect(agency.calls.slice(3)).toEqual(["cancel car", "cancel flight"]);
    expect(state("mail")).toBe("SUCCEEDED");
  });

  it("keeps the reason with the effect, and the undo's attempts in the ledger", async () => {
    const { ledger, names } = await booked({ flight: {} });
    await compensate(ledger, "trip", because);
    const [row] = new EffectTable(ledger.store).all("trip");
    expect(row?.evidence).toBe("taken back: the flight was cancelled");
    expect(undoRow(ledger, names.flight!, "flight")).toMatchObject({ state: "SUCCEEDED", threadId: "trip" });
    expect(attemptsOf(ledger, `undo:${names.flight}`, "undo:flight")).toMatchObject([{ outcome: "succeeded" }]);
  });

  it("what is taken back is not carried out again under its key", async () => {
    const { ledger, agency, run } = await booked({ flight: {} });
    await compensate(ledger, "trip");
    await expect(run()).rejects.toMatchObject({ code: "COMPENSATED" });
    expect(agency.calls).toEqual(["book flight", "cancel flight"]);
  });

  it("does not take back what certainly did not happen", async () => {
    const { ledger, names, agency } = await booked({ flight: {}, hotel: {}, car: {} });
    force(ledger, names.car!, "car", { state: "RETRYABLE" });
    force(ledger, names.hotel!, "hotel", { state: "FAILED" });
    expect(became(await compensate(ledger, "trip"))).toEqual(["flight: compensated"]);
    expect(agency.calls.slice(3)).toEqual(["cancel flight"]);
  });
});

describe("an undo that fails", () => {
  it("is told and not thrown, keeps what was done before it, and is tried again by the next call", async () => {
    let down = true;
    const undo = async () => (down ? Promise.reject(refusedConnection()) : undefined);
    const { ledger, agency, state, names } = await booked({ flight: {}, hotel: { undo }, car: {} });
    const report = await compensate(ledger, "trip");
    expect(became(report)).toEqual(["car: compensated", "hotel: failed", "flight: waiting"]);
    expect(report).toMatchObject({ compensated: 1, open: 2, done: false });
    expect(report.steps[1]?.why).toContain("ECONNREFUSED");
    expect(report.steps[2]?.why).toContain(names.hotel);
    expect(state("hotel")).toBe("COMPENSATION_FAILED");
    expect(state("flight")).toBe("SUCCEEDED");
    down = false;
    expect(await compensate(ledger, "trip")).toMatchObject({ compensated: 3, done: true });
    expect(agency.calls.slice(3)).toEqual(["cancel car", "cancel flight"]);
    expect(state("hotel")).toBe("COMPENSATED");
  });

  it("for good, is tried again as well, in a round of its own", async () => {
    let refusals = 1;
    const rounds: number[] = [];
    const undo = async (_: unknown, __: unknown, { round }: { round: number }) => {
      rounds.push(round);
      if (refusals-- > 0) throw new Error("the office is closed");
    };
    const { ledger } = await booked({ hotel: { undo } });
    expect((await compensate(ledger, "trip")).steps).toMatchObject([
      { now: "failed", why: expect.stringContaining("closed") as string },
    ]);
    expect(await compensate(ledger, "trip")).toMatchObject({ done: true });
    expect(rounds).toEqual([1, 2]);
  });

  it("stands in nobody's way with onFailure: continue", async () => {
    const undo = async () => Promise.reject(new Error("closed"));
    const { ledger, agency } = await booked({ flight: {}, hotel: { undo }, car: {} });
    const report = await compensate(ledger, "trip", { reason: "rain", onFailure: "continue" });
    expect(became(report)).toEqual(["car: compensated", "hotel: failed", "flight: compensated"]);
    expect(agency.calls.slice(3)).toEqual(["cancel car", "cancel flight"]);
  });

  it("is tried again within its retry, with backoff", async () => {
    let failures = 2;
    const undo = async () => (failures-- > 0 ? Promise.reject(refusedConnection()) : undefined);
    const { ledger, clock } = await booked({ hotel: { undo, retry: { maxAttempts: 3, initialInterval: "1s" } } });
    expect(await compensate(ledger, "trip")).toMatchObject({ done: true });
    expect(clock.slept).toHaveLength(2);
  });

  it("can be settled by hand, by the effect's id or the undo's", async () => {
    for (const which of ["effectId", "undoId"] as const) {
      const undo = async () => Promise.reject(new Error("closed"));
      const { ledger, state } = await booked({ hotel: { undo } });
      const [step] = (await compensate(ledger, "trip")).steps;
      await resolve(ledger, step![which]!, { as: "succeeded", by: "ada", evidence: "cancelled by phone" });
      expect(state("hotel")).toBe("COMPENSATED");
      expect(await compensate(ledger, "trip")).toMatchObject({ compensated: 1, done: true });
      await expect(resolve(ledger, step![which]!, happened("x") as never)).rejects.toMatchObject({
        code: "EFFECT_CLOSED",
      });
    }
  });

  it("whose module is not loaded is said, and nothing is called", async () => {
    const { ledger, names, agency } = await booked({ hotel: {} });
    ledger.store.database.run("UPDATE waypoint_effects SET name = 'nobody defines this' WHERE name = ?", names.hotel);
    expect(became(await compensate(ledger, "trip"))).toEqual(["hotel: undefined"]);
    expect(agency.calls).toEqual(["book hotel"]);
  });

  it("a ledger that cannot be written is thrown, and nothing is called", async () => {
    const { ledger, agency } = await booked({ hotel: {} });
    ledger.store.database.run(
      "CREATE TEMP TRIGGER full BEFORE INSERT ON main.waypoint_effects BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
    );
    await expect(compensate(ledger, "trip")).rejects.toMatchObject({ code: "LEDGER_UNAVAILABLE" });
    expect(agency.calls).toEqual(["book hotel"]);
    ledger.store.database.run("DROP TRIGGER full");
    expect(await compensate(ledger, "trip")).toMatchObject({ done: true });
  });
});

describe("what is not known", () => {
  it("is looked up first: what happened is taken back, what did not happen is not", async () => {
    const { ledger, agency, names } = await booked({
      flight: { lookup: async () => succeeded({ ticket: "found" }) },
      car: { lookup: async () => absent() },
    });
    for (const id of ["flight", "car"]) force(ledger, names[id]!, id, { state: "UNKNOWN" });
    expect(became(await compensate(ledger, "trip"))).toEqual(["flight: compensated"]);
    expect(agency.receipts).toEqual([{ ticket: "found" }]);
  });

  it("and stays unknown is not taken back, nor what was done before it", async () => {
    const { ledger, agency, names } = await booked({ flight: {}, car: { lookup: async () => unknown() } });
    force(ledger, names.car!, "car", { state: "UNKNOWN" });
    expect(became(await compensate(ledger, "trip"))).toEqual(["car: unknown", "flight: waiting"]);
    expect(agency.calls.filter((call) => call.startsWith("cancel"))).toEqual([]);
  });

  it("an effect that is being carried out is left alone", async () => {
    const { ledger, agency, names } = await booked({ flight: {} });
    force(ledger, names.flight!, "flight", { state: "STARTED" });
    const [row] = new EffectTable(ledger.store).all("trip");
    const land = takeOff(row!.token);
    expect(became(await compensate(ledger, "trip"))).toEqual(["flight: running"]);
    land();
    expect(agency.calls).toEqual(["book flight"]);
  });

  it("an undo that may have happened is not repeated without a lookup; a person settles it", async () => {
    let calls = 0;
    const undo = async () => ((calls += 1), Promise.reject(reset()));
    const { ledger, state } = await booked({ hotel: { undo } });
    const [step] = (await compensate(ledger, "trip")).steps;
    expect(step).toMatchObject({ now: "unknown", why: expect.stringContaining("socket hang up") as string });
    expect(state("hotel")).toBe("COMPENSATION_FAILED");
    expect(became(await compensate(ledger, "trip"))).toEqual(["hotel: unknown"]);
    expect(calls).toBe(1);
    await resolve(ledger, step!.undoId!, { as: "succeeded", by: "ada", evidence: "seen" });
    expect(state("hotel")).toBe("COMPENSATED");
    expect(calls).toBe(1);
  });

  it("with lookupUndo, it is asked with the receipt, and what it says counts", async () => {
    let calls = 0;
    let says = unknown();
    const receipts: unknown[] = [];
    const { ledger, state } = await booked({
      hotel: {
        undo: async () => ((calls += 1), calls === 1 ? Promise.reject(reset()) : undefined),
        lookupUndo: async (_, receipt) => (receipts.push(receipt), says),
      },
    });
    expect(became(await compensate(ledger, "trip"))).toEqual(["hotel: unknown"]);
    says = absent();
    await reconcile(ledger, { threadId: "trip" });
    expect(state("hotel")).toBe("COMPENSATION_FAILED");
    expect(became(await compensate(ledger, "trip"))).toEqual(["hotel: compensated"]);
    expect(calls).toBe(2);
    expect(receipts[0]).toEqual({ ticket: "ticket of hotel" });
  });

  it("reconcile finds by lookupUndo that an effect is taken back", async () => {
    const undo = async () => Promise.reject(reset());
    let says: Outcome<unknown> = unknown();
    const { ledger, state } = await booked({ hotel: { undo, lookupUndo: async () => says } });
    await compensate(ledger, "trip");
    says = succeeded("cancelled");
    expect(await reconcile(ledger)).toMatchObject({ settled: 1, unknown: 0 });
    expect(state("hotel")).toBe("COMPENSATED");
  });
});

it("whatever fails, and how often: every undo happens once, in reverse order, and the walk ends", async () => {
  const failure = fc.constantFrom("refused", "not-sent", "lost before", "lost after");
  const trips = fc.array(fc.array(failure, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(trips, async (plans) => {
      const undone: string[] = [];
      const steps = plans.map((plan, index) => {
        const id = `step ${index}`;
        const left = [...plan];
        const undo = async (): Promise<void> => {
          const now = left.shift();
          if (now === "refused") throw new Error("the office is closed");
          if (now === "not-sent") throw refusedConnection();
          if (now === "lost before") throw reset();
          undone.push(id);
          if (now === "lost after") throw reset();
        };
        return [id, { undo, lookupUndo: async () => (undone.includes(id) ? succeeded("gone") : absent()) }] as const;
      });
      const { ledger } = await booked(Object.fromEntries(steps));
      let report = await compensate(ledger, "trip");
      for (let calls = 0; !report.done && calls < 20; calls += 1) report = await compensate(ledger, "trip");
      expect(report.done).toBe(true);
      expect(undone).toEqual(steps.map(([id]) => id).reverse());
    }),
    { numRuns: 40 },
  );
});

it("a name that belongs to undos is refused, and so is a lookup of an undo that is not there", () => {
  const rest = { key: () => "k", run: async () => 1 };
  expect(() => effect({ name: "undo:x", ...rest })).toThrow(expect.objectContaining({ code: "EFFECT_DEFINITION" }));
  expect(() => effect({ name: fresh("x"), ...rest, lookupUndo: async () => absent() })).toThrow(/lookupUndo/);
});

it("in a ledger of its own, effects without a graph are left where they are", async () => {
  const ledger = memoryLedger();
  const pay = effect<object, number>({
    name: fresh("pay"),
    key: () => "k",
    run: async () => 1,
    undo: async () => undefined,
    ledger,
  });
  await pay({});
  expect(await compensate(ledger, "t")).toMatchObject({ steps: [] });
});
