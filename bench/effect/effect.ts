import { join } from "node:path";
import { inChild } from "../child.js";
import { compare } from "../comparison.js";
import type { Comparison, Sample } from "../comparison.js";
import { machineOfSavers } from "../machine.js";
import type { Machine } from "../machine.js";
import { inTurns } from "../rounds.js";
import { inScratchFolder } from "../scratch-folder.js";
import { CONTENDERS } from "./contenders.js";
import type { ContenderName } from "./contenders.js";
import type { RunAnswer, RunTask } from "./run-process.js";

export interface EffectPlan {
  /** Calls in one run; ascending, without repeats. */
  readonly calls: readonly number[];
  readonly runs: number;
  readonly contenders: readonly ContenderName[];
}

/** Of one call: time on the wall, on the processor, and commits. */
export const FIGURES = ["ms", "cpuMs", "commits"] as const;
type Figure = (typeof FIGURES)[number];

export interface EffectReport {
  readonly bench: "effect";
  readonly runs: number;
  readonly calls: readonly number[];
  readonly base: "bare";
  readonly savers: Comparison<Figure>;
  readonly machine: Machine;
}

const RUN = join(import.meta.dirname, "run-process.ts");

/** Measures everything of the plan, one process at a time; databases live below `scratch` while they are measured. */
export async function measureEffect(
  { calls, runs, contenders }: EffectPlan,
  scratch: string,
  progress: (line: string) => void,
): Promise<EffectReport> {
  const machine = machineOfSavers();
  const samples: Sample<Figure>[] = [];
  for (const count of calls) {
    for (const { saver: contender, run } of inTurns(contenders, runs)) {
      const figures = await measure(contender, count, scratch);
      samples.push({ saver: contender, column: String(count), run, figures });
      progress(`${count} calls, ${CONTENDERS[contender].label}: ${figures.ms.toFixed(2)} ms a call`);
    }
  }
  const columns = calls.map(String);
  const comparison = compare({ columns, savers: contenders, figures: FIGURES, base: "bare" }, samples);
  return { bench: "effect", runs, calls, base: "bare", savers: comparison, machine };
}

async function measure(contender: ContenderName, calls: number, scratch: string): Promise<Record<Figure, number>> {
  return inScratchFolder(scratch, async (folder) => {
    const task: RunTask = { contender, calls, file: join(folder, "bench.db") };
    const { ms, cpuMs, commits, made } = await inChild<RunAnswer>(RUN, task);
    if (made !== calls)
      throw new Error(`${CONTENDERS[contender].label}: ${made} calls were made; it should be ${calls}.`);
    return { ms: ms / calls, cpuMs: cpuMs / calls, commits: commits / calls };
  });
}
