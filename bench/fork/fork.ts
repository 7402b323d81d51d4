import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { inChild } from "../child.js";
import { compare } from "../comparison.js";
import type { Comparison, Sample } from "../comparison.js";
import { GROWTH_THREAD, MESSAGES_A_TURN } from "../growth/graph.js";
import type { RunAnswer, RunTask } from "../growth/run-process.js";
import { SAVERS } from "../growth/savers.js";
import type { SaverName } from "../growth/savers.js";
import { machineOfSavers } from "../machine.js";
import type { Machine } from "../machine.js";
import { inTurns } from "../rounds.js";
import { inScratchFolder } from "../scratch-folder.js";
import { FORK_KINDS } from "./fork-kinds.js";
import type { ForkKind } from "./fork-kinds.js";
import type { ForkAnswer, ForkTask } from "./fork-process.js";

export interface ForkPlan {
  /** Length of the thread that is forked. */
  readonly turns: number;
  readonly forks: number;
  /** How often the forks are made, each time in a fresh process and on a copy of the same database. */
  readonly runs: number;
  readonly seed: number;
  readonly savers: readonly SaverName[];
}

export const FIGURES = ["percent", "bytesAFork", "msAFork"] as const;
type Figure = (typeof FIGURES)[number];

export interface ForkReport {
  readonly bench: "fork";
  readonly seed: number;
  readonly runs: number;
  readonly turns: number;
  readonly forks: number;
  /** How the thread was forked, in the order of the series. */
  readonly kinds: readonly ForkKind[];
  readonly base: "sqlite";
  readonly savers: Comparison<Figure>;
  readonly machine: Machine;
}

const RUN = join(import.meta.dirname, "../growth/run-process.ts");
const FORK = join(import.meta.dirname, "fork-process.ts");

/** Measures everything of the plan, one process at a time; databases live below `scratch` while they are measured. */
export async function measureFork(
  plan: ForkPlan,
  scratch: string,
  progress: (line: string) => void,
): Promise<ForkReport> {
  const { turns, forks, runs, seed, savers } = plan;
  const machine = machineOfSavers();
  const samples = await inScratchFolder(scratch, async (folder) => {
    for (const saver of savers) {
      mkdirSync(join(folder, saver));
      const task: RunTask = { saver, file: fileOf(folder, saver), turns, text: "words", seed };
      await inChild<RunAnswer>(RUN, task);
      progress(`${SAVERS[saver].label}: ${turns} turns are there`);
    }
    return measureForks(plan, folder, progress);
  });
  const comparison = compare({ columns: FORK_KINDS, savers, figures: FIGURES, base: "sqlite" }, samples);
  const counts = { seed, runs, turns, forks };
  return { bench: "fork", ...counts, kinds: FORK_KINDS, base: "sqlite", savers: comparison, machine };
}

async function measureForks(
  { turns, forks, runs, savers }: ForkPlan,
  folder: string,
  progress: (line: string) => void,
): Promise<Sample<Figure>[]> {
  const samples: Sample<Figure>[] = [];
  for (const kind of FORK_KINDS) {
    for (const { saver, run } of inTurns(savers, runs)) {
      const figures = await inScratchFolder(folder, (copies) =>
        forkCopy({ saver, kind, forks }, turns, folder, copies),
      );
      samples.push({ saver, column: kind, run, figures });
      progress(`${SAVERS[saver].label}, ${kind}: ${figures.percent.toFixed(2)}% more`);
    }
  }
  return samples;
}

async function forkCopy(
  what: Pick<ForkTask, "saver" | "kind" | "forks">,
  turns: number,
  folder: string,
  copies: string,
): Promise<Record<Figure, number>> {
  const { saver, forks } = what;
  cpSync(join(folder, saver), join(copies, saver), { recursive: true });
  const file = fileOf(copies, saver);
  const before = bytesIn(file);
  const task: ForkTask = { ...what, file, thread: GROWTH_THREAD };
  const { ms, messages } = await inChild<ForkAnswer>(FORK, task);
  expectForks(messages, what, turns);
  const added = bytesIn(file) - before;
  return { percent: (added * 100) / before, bytesAFork: added / forks, msAFork: ms / forks };
}

function fileOf(folder: string, saver: SaverName): string {
  return join(folder, saver, "thread.db");
}

/** Bytes of the pages that hold something. */
function bytesIn(file: string): number {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  const pragma = (name: string): number => database.pragma(name, { simple: true }) as number;
  const bytes = (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
  database.close();
  return bytes;
}

function expectForks(
  found: ForkAnswer["messages"],
  { saver, kind, forks }: Pick<ForkTask, "saver" | "kind" | "forks">,
  turns: number,
): void {
  const place = kind === "updateState" ? 0 : MESSAGES_A_TURN - 1;
  const right = found.every(
    ([before, after]) => before < turns * MESSAGES_A_TURN && before % MESSAGES_A_TURN === place && after === before + 1,
  );
  if (found.length === forks && right) return;
  const shown = found.map((counts) => counts.join(" → ")).join(", ");
  throw new Error(`${SAVERS[saver].label}, ${forks} forks by ${kind}: messages ${shown}.`);
}
