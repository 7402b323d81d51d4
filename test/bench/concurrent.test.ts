import { expect, it } from "vitest";
import { show } from "../../bench/concurrent/command.js";
import { measureConcurrent } from "../../bench/concurrent/concurrent.js";
import type { ConcurrentPlan } from "../../bench/concurrent/concurrent.js";
import { scratchFolder } from "./scratch.js";

const plan: ConcurrentPlan = { threads: [1, 3], turns: 2, runs: 1, seed: 7, savers: ["own", "sqlite", "slim"] };

it("every saver keeps every message of every thread that ran at once", { timeout: 120_000 }, async () => {
  const scratch = scratchFolder();
  const report = await measureConcurrent(plan, scratch.path, () => {});
  const number = expect.any(Number) as number;
  const figures = { ms: [number, number], cpuMs: [number, number], turnsPerSecond: [number, number] };
  expect(report).toMatchObject({
    ...{ bench: "concurrent", seed: 7, runs: 1, threads: [1, 3], turns: 2 },
    savers: { own: figures, sqlite: { ...figures, msVsBase: [1, 1] }, slim: figures },
  });
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(show(report).match(/^ {2}SlimSaver /gm)).toHaveLength(4);
  expect(scratch.left()).toEqual([]);
});
