import { expect, it } from "vitest";
import { compare } from "../../bench/comparison.js";
import type { Sample } from "../../bench/comparison.js";
import { inTurns } from "../../bench/rounds.js";

const plan = { columns: ["1", "2"], savers: ["sqlite", "slim"], figures: ["ms"], base: "sqlite" } as const;

function sample(saver: string, column: string, run: number, ms: number): Sample<"ms"> {
  return { saver, column, run, figures: { ms } };
}

it("a ratio is taken within a round, and then the median", () => {
  const samples = [
    ...[sample("sqlite", "1", 0, 10), sample("sqlite", "1", 1, 100), sample("sqlite", "1", 2, 20)],
    ...[sample("slim", "1", 0, 5), sample("slim", "1", 1, 10), sample("slim", "1", 2, 18)],
  ];
  expect(compare(plan, samples)).toEqual({
    sqlite: { ms: [20, null], msVsBase: [1, null] },
    slim: { ms: [10, null], msVsBase: [0.5, null] },
  });
});

it("without the base there are figures, and no ratios", () => {
  expect(compare({ ...plan, savers: ["slim"] }, [sample("slim", "2", 0, 7)])).toEqual({
    slim: { ms: [null, 7], msVsBase: [null, null] },
  });
});

it("each round begins with another saver", () => {
  expect(inTurns(["a", "b", "c"], 2).map(({ run, saver }) => `${run}${saver}`)).toEqual([
    ...["0a", "0b", "0c"],
    ...["1b", "1c", "1a"],
  ]);
});
