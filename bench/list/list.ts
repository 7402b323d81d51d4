import { join } from "node:path";
import { inChild } from "../child.js";
import { compare } from "../comparison.js";
import type { Comparison, Sample } from "../comparison.js";
import { SAVERS } from "../growth/savers.js";
import type { SaverName } from "../growth/savers.js";
import { machineOfSavers } from "../machine.js";
import type { Machine } from "../machine.js";
import { inTurns } from "../rounds.js";
import { inScratchFolder } from "../scratch-folder.js";
import type { FillAnswer, FillTask } from "./fill-process.js";
import type { ListAnswer, ListTask } from "./list-process.js";
import { LISTING_NAMES, LISTINGS } from "./lists.js";
import type { ListingName } from "./lists.js";

export interface ListPlan {
  /** Threads in the one database, each of one turn. */
  readonly threads: number;
  /** Turns of the one thread in the other database. */
  readonly turns: number;
  /** How often each listing is made, each time in a fresh process. */
  readonly runs: number;
  readonly seed: number;
  readonly savers: readonly SaverName[];
}

export const FIGURES = ["ms", "cpuMs"] as const;
type Figure = (typeof FIGURES)[number];

export interface ListReport {
  readonly bench: "list";
  readonly seed: number;
  readonly runs: number;
  readonly threads: number;
  readonly turns: number;
  /** What was listed, in the order of the series. */
  readonly listings: readonly ListingName[];
  readonly base: "sqlite";
  readonly savers: Comparison<Figure>;
  readonly machine: Machine;
}

/** A turn stores the input, the question, and one checkpoint after each of its three nodes. */
const CHECKPOINTS_A_TURN = 5;

const FILL = join(import.meta.dirname, "fill-process.ts");
const LIST = join(import.meta.dirname, "list-process.ts");

/** Measures everything of the plan, one process at a time; databases live below `scratch` while they are measured. */
export async function measureList(
  plan: ListPlan,
  scratch: string,
  progress: (line: string) => void,
): Promise<ListReport> {
  const { threads, turns, runs, seed, savers } = plan;
  const machine = machineOfSavers();
  const samples = await inScratchFolder(scratch, async (folder) => {
    for (const saver of savers) await fill(plan, saver, folder, progress);
    return measureListings(plan, folder, progress);
  });
  const comparison = compare({ columns: LISTING_NAMES, savers, figures: FIGURES, base: "sqlite" }, samples);
  const counts = { seed, runs, threads, turns };
  return { bench: "list", ...counts, listings: LISTING_NAMES, base: "sqlite", savers: comparison, machine };
}

async function fill(
  { threads, turns, seed }: ListPlan,
  saver: SaverName,
  folder: string,
  progress: (line: string) => void,
): Promise<void> {
  for (const [what, count] of [["threads", threads] as const, ["turns", turns] as const]) {
    const task: FillTask = { saver, file: fileOf(folder, saver, what), what, count, seed };
    await inChild<FillAnswer>(FILL, task);
    progress(`${SAVERS[saver].label}: ${count} ${what} are there`);
  }
}

async function measureListings(
  { threads, turns, runs, savers }: ListPlan,
  folder: string,
  progress: (line: string) => void,
): Promise<Sample<Figure>[]> {
  const there = { threads, turns: turns * CHECKPOINTS_A_TURN };
  const samples: Sample<Figure>[] = [];
  for (const listing of LISTING_NAMES) {
    const { of, most, title } = LISTINGS[listing];
    for (const { saver, run } of inTurns(savers, runs)) {
      const task: ListTask = { saver, file: fileOf(folder, saver, of), listing };
      const { ms, cpuMs, found } = await inChild<ListAnswer>(LIST, task);
      expectRows(found, Math.min(there[of], most), `${SAVERS[saver].label}, ${title}`);
      samples.push({ saver, column: listing, run, figures: { ms, cpuMs } });
      progress(`${SAVERS[saver].label}, ${title}: ${ms.toFixed(0)} ms`);
    }
  }
  return samples;
}

function fileOf(folder: string, saver: SaverName, what: FillTask["what"]): string {
  return join(folder, `${saver}-${what}.db`);
}

function expectRows(found: readonly string[], wanted: number, what: string): void {
  const different = new Set(found).size;
  if (found.length === wanted && different === wanted) return;
  throw new Error(`${what}: ${found.length} rows, ${different} of them different; it should be ${wanted}.`);
}
