import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../checkpointer/harness.js";
import { crashDrill, outingsOf } from "./crash-drill.js";
import { killDrill } from "./kill-drill.js";
import { raceDrill } from "./race.js";
import { DURABILITIES, KEYS, SHAPES } from "./shapes.js";

const seed = Number(process.env.WAYPOINT_SEED ?? Math.floor(Math.random() * 1e6));
const plan = { seed, rate: 0.05, unanswered: 0.04 };
const short = { ...plan, runs: 60 };

describe("payments of runs that crash at every narrow place", () => {
  it("are made once each, and every run ends or waits for a person", { timeout: 120_000 }, async () => {
    process.stderr.write(`Crash drill: seed ${seed} (WAYPOINT_SEED sets it)\n`);
    const verdict = await crashDrill(short, temporaryFolder());
    expect(verdict.breaches).toEqual([]);
    expect(verdict.crashed).toBeGreaterThan(30);
    expect(verdict.completed + verdict.waiting).toBe(60);
  });

  it(
    "wait for a person where the lookup goes unanswered, and are made once when they have answered",
    { timeout: 120_000 },
    async () => {
      const verdict = await crashDrill({ ...plan, runs: 20, rate: 0.2, unanswered: 1 }, temporaryFolder());
      expect(verdict.breaches).toEqual([]);
      expect(verdict.waiting).toBeGreaterThan(5);
    },
  );

  it("crash at the same places again with the same seed", { timeout: 120_000 }, async () => {
    // An automatic key is another one each time, and so are the lookups that go unanswered.
    const again = { ...short, runs: 20, unanswered: 0 };
    const [first, second] = [await crashDrill(again, temporaryFolder()), await crashDrill(again, temporaryFolder())];
    expect(second).toEqual(first);
  });

  it("are seen to be made twice when the lookup is blind", { timeout: 120_000 }, async () => {
    const { breaches } = await crashDrill(
      { ...plan, runs: 20, rate: 0.1, sabotage: "blind-lookup" },
      temporaryFolder(),
    );
    expect(breaches).toContainEqual(expect.stringMatching(/was paid 2 times/));
  });

  it("survive SIGKILL at every narrow place just as well", { timeout: 300_000 }, async () => {
    const verdict = await killDrill({ ...plan, runs: 12, lanes: 1 }, temporaryFolder());
    expect(verdict.breaches).toEqual([]);
    expect(verdict.crashes).toBeGreaterThan(5);
  });

  it("are those of every shape under every durability, with both kinds of key", () => {
    const kinds = outingsOf(60).map(({ shape, durability, key }) => [shape, durability, key].join());
    expect(new Set(kinds).size).toBe(SHAPES.length * DURABILITIES.length * KEYS.length);
  });
});

describe("an approval that two processes answer at the same moment", () => {
  it("is carried out once, however they answer", { timeout: 120_000 }, async () => {
    const { breaches, calls, answers } = await raceDrill({ rounds: 30, seed }, temporaryFolder());
    expect(breaches).toEqual([]);
    expect(calls).toBe(30);
    // LangGraph takes a plain answer to a finished thread without a word; of the others one is told that it came too late.
    expect(Object.keys(answers)).not.toContainEqual(expect.stringMatching(/^(resume|decide): went on \+ went on/));
  });

  it("is seen to be carried out twice by a bare interrupt", { timeout: 120_000 }, async () => {
    const { breaches } = await raceDrill({ rounds: 9, seed, forms: ["bare"] }, temporaryFolder());
    expect(breaches).toContainEqual(expect.stringMatching(/was paid 2 times/));
  });
});
