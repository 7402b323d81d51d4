import { cpSync, mkdirSync } from "node:fs";
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
import type { BuildAnswer, BuildTask } from "./build-process.js";
import type { ContinueAnswer, ContinueTask } from "./continue-process.js";
import { messagesBefore } from "./thread.js";

export interface ResumePlan {
  /** Ascending, without repeats. */
  readonly turns: readonly number[];
  /** How often each thread is read and continued, each time in fresh processes and from the same database. */
  readonly runs: number;
  readonly seed: number;
  readonly savers: readonly SaverName[];
}

export const FIGURES = ["getStateMs", "getStateCpuMs", "resumeMs", "resumeCpuMs"] as const;
type Figure = (typeof FIGURES)[number];

export interface ResumeReport {
  readonly bench: "resume";
  readonly seed: number;
  readonly runs: number;
  readonly turns: readonly number[];
  readonly base: "sqlite";
  readonly savers: Comparison<Figure>;
  readonly machine: Machine;
}

type State = Pick<ContinueAnswer, "messages" | "asks">;

const BUILD = join(import.meta.dirname, "build-process.ts");
const CONTINUE = join(import.meta.dirname, "continue-process.ts");

/** Measures everything of the plan, one process at a time; databases live below `scratch` while they are measured. */
export async function measureResume(
  plan: ResumePlan,
  scratch: string,
  progress: (line: string) => void,
): Promise<ResumeReport> {
  const { turns, runs, seed, savers } = plan;
  const machine = machineOfSavers();
  const samples: Sample<Figure>[] = [];
  for (const size of turns) {
    samples.push(...(await inScratchFolder(scratch, (folder) => measureSize(plan, size, folder, progress))));
  }
  const columns = turns.map(String);
  const comparison = compare({ columns, savers, figures: FIGURES, base: "sqlite" }, samples);
  return { bench: "resume", seed, runs, turns, base: "sqlite", savers: comparison, machine };
}

/** Each thread is run once; each round continues a copy of it. */
async function measureSize(
  { savers, runs, seed }: ResumePlan,
  turns: number,
  folder: string,
  progress: (line: string) => void,
): Promise<Sample<Figure>[]> {
  for (const saver of savers) {
    mkdirSync(join(folder, saver));
    await inChild<BuildAnswer>(BUILD, { saver, file: fileOf(folder, saver), turns, seed } satisfies BuildTask);
    progress(`${turns} turns, ${SAVERS[saver].label}: waits`);
  }
  const samples: Sample<Figure>[] = [];
  for (const { saver, run } of inTurns(savers, runs)) {
    const figures = await inScratchFolder(folder, (copies) => continueCopy(saver, turns, folder, copies));
    samples.push({ saver, column: String(turns), run, figures });
    progress(`${turns} turns, ${SAVERS[saver].label}: read in ${figures.getStateMs.toFixed(0)} ms`);
  }
  return samples;
}

async function continueCopy(
  saver: SaverName,
  turns: number,
  folder: string,
  copies: string,
): Promise<Record<Figure, number>> {
  cpSync(join(folder, saver), join(copies, saver), { recursive: true });
  const file = fileOf(copies, saver);
  const read = await inChild<ContinueAnswer>(CONTINUE, { saver, file, what: "getState" } satisfies ContinueTask);
  expectState(read, { messages: messagesBefore(turns), asks: true }, saver);
  const continued = await inChild<ContinueAnswer>(CONTINUE, { saver, file, what: "resume" } satisfies ContinueTask);
  expectState(continued, { messages: turns * MESSAGES_A_TURN, asks: false }, saver);
  return {
    getStateMs: read.ms,
    getStateCpuMs: read.cpuMs,
    resumeMs: continued.ms,
    resumeCpuMs: continued.cpuMs,
  };
}

function fileOf(folder: string, saver: SaverName): string {
  return join(folder, saver, "thread.db");
}

function expectState(found: ContinueAnswer, wanted: State, saver: SaverName): void {
  if (found.messages === wanted.messages && found.asks === wanted.asks) return;
  const shown = ({ messages, asks }: State): string => `${messages} messages, ${asks ? "asking" : "asking nothing"}`;
  throw new Error(`${SAVERS[saver].label} in a fresh process: ${shown(found)}; it should be ${shown(wanted)}.`);
}
