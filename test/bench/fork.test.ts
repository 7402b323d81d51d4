import { expect, it } from "vitest";
import { show } from "../../bench/fork/command.js";
import { measureFork } from "../../bench/fork/fork.js";
import type { ForkPlan } from "../../bench/fork/fork.js";
import { scratchFolder } from "./scratch.js";

const plan: ForkPlan = { turns: 4, forks: 2, runs: 1, seed: 7, savers: ["sqlite", "slim"] };

it("every saver's forks begin where they should and hold what was added", { timeout: 120_000 }, async () => {
  const scratch = scratchFolder();
  const report = await measureFork(plan, scratch.path, () => {});
  const number = expect.any(Number) as number;
  const figures = { percent: [number, number], bytesAFork: [number, number], msAFork: [number, number] };
  expect(report).toMatchObject({
    ...{ bench: "fork", seed: 7, runs: 1, turns: 4, forks: 2, kinds: ["updateState", "invoke"] },
    savers: { sqlite: { ...figures, percentVsBase: [1, 1] }, slim: figures },
  });
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(show(report).match(/^ {2}SlimSaver /gm)).toHaveLength(5);
  expect(scratch.left()).toEqual([]);
});
