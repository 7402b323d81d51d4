import { expect, it } from "vitest";
import { show } from "../../bench/resume/command.js";
import { measureResume } from "../../bench/resume/resume.js";
import type { ResumePlan } from "../../bench/resume/resume.js";
import { scratchFolder } from "./scratch.js";

const plan: ResumePlan = { turns: [2], runs: 1, seed: 7, savers: ["sqlite", "slim"] };

it("every saver's thread is found waiting, answered and run on; figures for it", { timeout: 120_000 }, async () => {
  const scratch = scratchFolder();
  const report = await measureResume(plan, scratch.path, () => {});
  const number = expect.any(Number) as number;
  const figures = { getStateMs: [number], resumeMs: [number] };
  expect(report).toMatchObject({
    ...{ bench: "resume", seed: 7, runs: 1, turns: [2] },
    savers: {
      sqlite: { ...figures, getStateMsVsBase: [1], resumeMsVsBase: [1] },
      slim: { ...figures, getStateMsVsBase: [number] },
    },
    machine: { node: process.version },
  });
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(show(report).match(/^ {2}SlimSaver /gm)).toHaveLength(6);
  expect(scratch.left()).toEqual([]);
});
