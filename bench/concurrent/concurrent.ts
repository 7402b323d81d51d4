import { join } from "node:path";
import { inChild } from "../child.js";
import { compare } from "../comparison.js";
import type { Comparison, Sample } from "../comparison.js";
import { MESSAGES_A_TURN } from "../growth/graph.js";
import { SAVERS } from "../growth/savers.js";
import type { SaverName } from "../growth/savers.js";
import { machineOfSavers } from "../machine.js";
import type { Machine } from "../machine.js";
import { inTurns } from "../rounds.js";
import { inScratchFolder } from "../scratch-folder.js";
import type { RunAnswer, RunTask } from "./run-process.js";

export interface ConcurrentPlan {
  /** How many threads run at once; ascending, without repeats. */
  readonly threads: readonly number[];
  /** Turns of each thread. */
  readonly turns: number;
  readonly runs: number;
  readonly seed: number;
  readonly savers: readonly SaverName[];
}

export const FIGURES = ["ms", "cpuMs", "turnsPerSecond"] as const;
type Figure = (typeof FIGURES)[number];

export interface ConcurrentReport {
  readonly bench: "concurrent";
  readonly seed: number;
  readonly runs: number;
  readonly threads: readonly number[];
  readonly turns: number;
  readonly base: "sqlite";
  readonly savers: Comparison<Figure>;
  readonly machine: Machine;
}

const RUN = join(import.meta.dirname, "run-process.ts");

/** Measures everything of the plan, one process at a time; databases live below `scratch` while they are measured. */
export async function measureConcurrent(
  plan: ConcurrentPlan,
  scratch: string,
  progress: (line: string) => void,
): Promise<ConcurrentReport> {
  const { threads, turns, runs, seed, savers } = plan;
  const machine = machineOfSavers();
  const samples: Sample<Figure>[] = [];
  for (const count of threads) {
    for (const { saver, run } of inTurns(savers, runs)) {
      const figures = await measure({ saver, threads: count, turns, seed: seed + run }, scratch);
      samples.push({ saver, column: String(count), run, figures });
      progress(`${count} threads, ${SAVERS[saver].label}: ${figures.turnsPerSecond.toFixed(0)} turns a second`);
    }
  }
  const columns = threads.map(String);
  const comparison = compare({ columns, savers, figures: FIGURES, base: "sqlite" }, samples);
  return { bench: "concurrent", seed, runs, threads, turns, base: "sqlite", savers: comparison, machine };
}

async function measure(task: Omit<RunTask, "file">, scratch: string): Promise<Record<Figure, number>> {
  return inScratchFolder(scratch, async (folder) => {
    const { saver, threads, turns } = task;
    const file = join(folder, `${saver}.db`);
    const { ms, cpuMs, messages } = await inChild<RunAnswer>(RUN, { ...task, file } satisfies RunTask);
    expectMessages(messages, task);
    return { ms, cpuMs, turnsPerSecond: (threads * turns * 1000) / ms };
  });
}

function expectMessages(found: readonly number[], { saver, threads, turns }: Omit<RunTask, "file">): void {
  const wanted = turns * MESSAGES_A_TURN;
  if (found.length === threads && found.every((count) => count === wanted)) return;
  throw new Error(
    `${SAVERS[saver].label}, ${threads} threads at once: messages ${found.join(", ")}; each should have ${wanted}.`,
  );
}
