import { expect, it } from "vitest";
import { show } from "../../bench/effect/command.js";
import { measureEffect } from "../../bench/effect/effect.js";
import type { EffectPlan } from "../../bench/effect/effect.js";
import { scratchFolder } from "./scratch.js";

it(
  "every contender makes every call once; an effect takes no more than two commits",
  { timeout: 240_000 },
  async () => {
    const scratch = scratchFolder();
    const plan: EffectPlan = { calls: [4, 14], runs: 1, contenders: ["bare", "task", "effect"] };
    const report = await measureEffect(plan, scratch.path, () => {});
    const commits = (name: string, index: number): number =>
      Math.round(report.savers[name]!.commits[index]! * plan.calls[index]!);
    // The graph's own commits are the same, however many effects there are.
    expect(commits("effect", 1) - commits("effect", 0)).toBeLessThanOrEqual(2 * 10);
    expect(commits("bare", 1)).toBe(commits("bare", 0));
    expect(commits("effect", 0) - commits("bare", 0)).toBeLessThanOrEqual(2 * 4);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    expect(show(report).match(/^ {2}effect\(\) /gm)).toHaveLength(3);
    expect(scratch.left()).toEqual([]);
  },
);
