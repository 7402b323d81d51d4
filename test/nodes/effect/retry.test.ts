import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { delayAfter } from "../../../src/nodes/backoff.js";
import { limitsOf, type EffectDefinition } from "../../../src/nodes/definition.js";
import { effect } from "../../../src/nodes/effect.js";
import { ledgerOf, memoryLedger, setLedger } from "../../../src/nodes/ledger.js";
import { absent, unknown } from "../../../src/nodes/outcome.js";
import { reconcile } from "../../../src/nodes/reconcile.js";
import { again, answer, asked, chain, force, fresh, on, Outside, reset, rowOf, saver, StillClock } from "./support.js";

afterEach(() => setLedger(undefined));

const policy = fc.record({
  initialInterval: fc.integer({ min: 0, max: 10_000 }),
  maxInterval: fc.integer({ min: 0, max: 60_000 }),
  backoffFactor: fc.double({ min: 1, max: 4, noNaN: true }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
});
const failed = fc.record({
  id: fc.string(),
  attempt: fc.integer({ min: 1, max: 50 }),
  tries: fc.integer({ min: 1, max: 50 }),
});

const limits = (retry: object) => limitsOf({ name: "x", key: () => "k", run: async () => 1, retry });

describe("the time to the next attempt", () => {
  it("is bounded by the backoff from above, by the jitter and by Retry-After from below, and the same in every process", () => {
    fc.assert(
      fc.property(policy, failed, fc.nat(100_000), (retry, row, retryAfter) => {
        const { initialInterval, backoffFactor, maxInterval, jitter } = retry;
        const backoff = Math.min(maxInterval, initialInterval * backoffFactor ** (row.tries - 1));
        const delay = delayAfter(row, limits(retry));
        expect(delay).toBeGreaterThanOrEqual(Math.floor(backoff * (1 - jitter)));
        expect(delay).toBeLessThanOrEqual(Math.ceil(backoff));
        expect(delayAfter({ ...row }, limits(retry))).toBe(delay);
        expect(delayAfter(row, limits(retry), retryAfter)).toBe(Math.max(delay, retryAfter));
      }),
    );
  });

  it("differs between effects that failed together", () => {
    const delays = Array.from({ length: 100 }, (_, at) =>
      delayAfter({ id: `eff_${at}`, attempt: 1, tries: 1 }, limits({ initialInterval: 10_000 })),
    );
    expect(new Set(delays).size).toBeGreaterThan(90);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(4000);
  });

  it.each([-0.1, 1.1, Number.NaN])("a jitter of %s is refused", (jitter) => {
    expect(() => limits({ jitter })).toThrow(expect.objectContaining({ code: "EFFECT_DEFINITION" }));
  });
});

/** An effect that may get lost on its way for `losses` times, after it has reached the other side. */
function lossy(losses: number, more: Partial<EffectDefinition<{ id: string }, unknown>> = {}) {
  const outside = new Outside();
  const name = fresh("lossy");
  let left = losses;
  const send = effect<{ id: string }, unknown>({
    name,
    key: ({ id }) => id,
    run: async (args, context) => {
      const receipt = outside.call(args, context);
      if (left-- > 0) throw reset();
      return receipt;
    },
    idempotent: true,
    retry: { maxAttempts: 3 },
    ...more,
  });
  return { send, outside, name };
}

describe("where the other side knows the key", () => {
  it("an attempt that may have arrived is made again with the same key, within retry, and nobody is asked", async () => {
    const clock = new StillClock();
    setLedger(memoryLedger({ clock }));
    const { send, outside } = lossy(2);
    expect(await send({ id: "o" })).toEqual({ receipt: 3 });
    expect(outside.counts).toEqual({ o: 3 });
    expect(clock.slept).toHaveLength(2);
  });

  it("after the last attempt of retry the outcome is unknown, and a person is asked; retry makes one more", async () => {
    const checkpointer = saver(new StillClock());
    const { send, outside, name } = lossy(3);
    const app = chain(checkpointer, { node: async () => ({ log: [await send({ id: "o" })] }) });
    const first = await app.invoke({}, on("t"));
    expect(asked(first)).toMatchObject({ type: "waypoint.unknown_effect", effects: [{ attempts: 3 }] });
    expect(asked(first)?.effects[0]?.evidence.join()).toContain("the attempts of retry are used up");
    expect(rowOf(ledgerOf(checkpointer), name, "o").state).toBe("UNKNOWN");
    expect((await app.invoke(answer(again), on("t"))).log).toEqual([{ receipt: 4 }]);
    expect(outside.counts).toEqual({ o: 4 });
  });

  it("attempts are counted in the row across the retries of a node: together they are no more than retry allows", async () => {
    const checkpointer = saver(new StillClock());
    const { send, outside } = lossy(9);
    const retryPolicy = { maxAttempts: 4, initialInterval: 1, jitter: false, logWarning: false };
    const app = chain(checkpointer, { node: async () => ({ log: [await send({ id: "o" })] }) }, { retryPolicy });
    expect(asked(await app.invoke({}, on("t")))?.type).toBe("waypoint.unknown_effect");
    expect(outside.counts).toEqual({ o: 3 });
  });

  it("what a dead process left behind is carried out again, also by way of reconcile, and not past keyTtl", async () => {
    for (const age of [3_600_000, 3_600_001]) {
      const clock = new StillClock();
      const ledger = memoryLedger({ clock });
      setLedger(ledger);
      const { send, outside, name } = lossy(0, { keyTtl: "1h", retry: {} });
      await send({ id: "o" });
      force(ledger, name, "o", { state: "STARTED" });
      clock.time += age;
      const { effects } = await reconcile(ledger);
      expect(effects).toMatchObject([{ now: age > 3_600_000 ? "unknown" : "retryable" }]);
      const result = await send({ id: "o" }).catch((error: unknown) => (error as { code: string }).code);
      expect(result).toEqual(age > 3_600_000 ? "UNKNOWN_OUTCOME" : { receipt: 2 });
      expect(outside.calls).toHaveLength(age > 3_600_000 ? 1 : 2);
    }
  });

  it.each([
    ["cannot tell", unknown()],
    ["does not see it yet", absent({ authoritative: false })],
  ])("a lookup that %s does not stop it", async (_, says) => {
    setLedger(memoryLedger({ clock: new StillClock() }));
    const { send, outside } = lossy(1, { lookup: async () => says });
    expect(await send({ id: "o" })).toEqual({ receipt: 2 });
    expect(outside.counts).toEqual({ o: 2 });
  });

  it("without the promise, nothing is repeated", async () => {
    setLedger(memoryLedger({ clock: new StillClock() }));
    const { send, outside } = lossy(1, { idempotent: false });
    await expect(send({ id: "o" })).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME" });
    expect(outside.counts).toEqual({ o: 1 });
  });
});
