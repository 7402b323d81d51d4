import { describe, expect, it } from "vitest";
import { fakeDownstream, TestClock } from "../../src/testing/index.js";
import type { Downstream } from "../../src/testing/index.js";
import { Child } from "../child.js";
import { temporaryFolder } from "../checkpointer/harness.js";

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(() => undefined).catch((error: unknown) => error);

/** How each of many calls ended, by key. */
async function outcomes(downstream: Downstream, keys: readonly number[]): Promise<Record<string, unknown>> {
  const ended: Record<string, unknown> = {};
  for (const key of keys) {
    const { status, code } = ((await errorOf(downstream.call(`k${key}`))) ?? {}) as { status?: number; code?: string };
    ended[`k${key}`] = status ?? code ?? "done";
  }
  return ended;
}

const thousand = Array.from({ length: 1000 }, (_, index) => index);
const count = (values: unknown[], wanted: unknown): number => values.filter((value) => value === wanted).length;

describe("a downstream", () => {
  it("does what it is told, as often as it is told", async () => {
    const bank = fakeDownstream({ seed: 1 });
    expect(await bank.call("a", { cents: 5 })).toEqual({ key: "a", value: { cents: 5 }, number: 1 });
    expect(await bank.call("a", { cents: 5 })).toMatchObject({ number: 2 });
    expect([bank.times("a"), bank.times("b"), bank.duplicates]).toEqual([2, 0, ["a"]]);
  });

  it("recognises a key only if it is told to, and counts the raw calls all the same", async () => {
    const bank = fakeDownstream({ seed: 1, deduplicate: true });
    const [first, again] = [await bank.call("a", 1), await bank.call("a", 2)];
    expect(again).toEqual(first);
    expect([bank.calls.length, bank.times("a"), bank.duplicates]).toEqual([2, 1, []]);
  });

  it("refuses, and loses answers, at the given rates; what is lost happened, what is refused did not", async () => {
    const bank = fakeDownstream({ seed: 3, refused: 0.1, lost: 0.2 });
    const ended = await outcomes(bank, thousand);
    const [refused, lost] = [402, "ECONNRESET"].map((how) => count(Object.values(ended), how));
    expect(refused).toBeGreaterThan(70);
    expect(refused).toBeLessThan(130);
    expect(lost).toBeGreaterThan(140);
    expect(lost).toBeLessThan(220);
    for (const [key, how] of Object.entries(ended)) expect(bank.times(key)).toBe(how === 402 ? 0 : 1);
    expect(
      count(
        bank.calls.map(({ answered }) => answered),
        false,
      ),
    ).toBe(lost);
  });

  it("makes the same calls go wrong for the same seed, whatever their order", async () => {
    const rates = { refused: 0.3, lost: 0.3 };
    const forwards = await outcomes(fakeDownstream({ seed: 5, ...rates }), thousand);
    expect(await outcomes(fakeDownstream({ seed: 5, ...rates }), thousand.toReversed())).toEqual(forwards);
    expect(await outcomes(fakeDownstream({ seed: 6, ...rates }), thousand)).not.toEqual(forwards);
  });

  it("answers a lookup with the truth, and some of them not at all", async () => {
    const bank = fakeDownstream({ seed: 1, refused: 0.5, unanswered: 0.04 });
    await outcomes(bank, thousand);
    let open = 0;
    for (const key of [...thousand, "never"].map((name) => `k${name}`)) {
      const said = (await bank.lookup(key)).outcome;
      if (said === "unknown") open += 1;
      else expect(said).toBe(key === "knever" ? "absent" : bank.times(key) === 1 ? "succeeded" : "failed");
    }
    expect(open).toBeGreaterThan(20);
    expect(open).toBeLessThan(65);
    expect(
      count(
        bank.lookups.map(({ answered }) => answered),
        false,
      ),
    ).toBe(open);
  });

  it("takes its time, half of it before it does anything", async () => {
    const clock = new TestClock();
    const bank = fakeDownstream({ seed: 1, delay: "10s", clock });
    const call = bank.call("a");
    await clock.advance("4s");
    expect(bank.calls).toHaveLength(0);
    await clock.advance("2s");
    expect(bank.calls).toHaveLength(1);
    await clock.advance("4s");
    expect(await call).toMatchObject({ key: "a" });
  });

  it("draws its delay between two lengths", async () => {
    const clock = new TestClock({ skipSleeps: true });
    const bank = fakeDownstream({ seed: 1, delay: ["1s", "3s"], clock });
    const before = clock.now();
    for (const key of thousand.slice(0, 100)) await bank.call(`k${key}`);
    const mean = (clock.now() - before) / 100;
    expect(mean).toBeGreaterThan(1700);
    expect(mean).toBeLessThan(2300);
  });

  it("refuses what is no rate and no seed", () => {
    for (const options of [{ seed: 1, refused: -1 }, { seed: 1, unanswered: 2 }, { seed: "1" as never }]) {
      expect(() => fakeDownstream(options)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }) as Error);
    }
  });
});

it("a downstream with a file is the same for every process, also after one of them was killed", async () => {
  const file = `${temporaryFolder()}/bank`;
  const caller = new URL("fixtures/caller.ts", import.meta.url);
  const ended = await Promise.all(["a", "b"].map((key) => Child.start(caller, { file, key, calls: 50 }).ended()));
  expect(ended.map(({ signal }) => signal)).toEqual(["SIGKILL", "SIGKILL"]);
  const bank = fakeDownstream({ seed: 1, file });
  expect([bank.times("a"), bank.times("b"), bank.calls.length]).toEqual([50, 50, 100]);
  expect(await bank.lookup("a")).toMatchObject({ outcome: "succeeded", result: { key: "a" } });
});
