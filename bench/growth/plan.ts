import { SAVERS, SAVER_NAMES } from "./savers.js";
import type { BenchSaver, SaverName } from "./savers.js";
import type { TextKind } from "./text.js";

/** What is asked of the benchmark. */
export interface GrowthPlan {
  /** Ascending, without repeats. */
  readonly turns: readonly number[];
  readonly runs: number;
  readonly text: TextKind;
  readonly seed: number;
  readonly savers: readonly SaverName[];
}

/** One thread to run: round `run` of the plan, `turns` long, under `saver`. */
export interface Measurement {
  readonly run: number;
  readonly turns: number;
  readonly saver: SaverName;
  /** The same for all savers and sizes of a round: they see the same words. */
  readonly seed: number;
}

export const DEFAULTS = { turns: [25, 50, 100, 200], runs: 3, savers: SAVER_NAMES } as const;

/**
 * The measurements in their order: within a round and a size the savers follow each other, so that a machine that slows
 * down slows all of them; each round begins with another saver.
 */
export function measurementsOf({ turns, runs, seed, savers }: GrowthPlan): Measurement[] {
  return Array.from({ length: runs }, (_, run) => {
    const order = savers.map((_, index) => savers[(index + run) % savers.length]!);
    return turns.flatMap((size) =>
      order.filter((saver) => runsAt(saver, size)).map((saver) => ({ run, turns: size, saver, seed: seed + run })),
    );
  }).flat();
}

function runsAt(name: SaverName, turns: number): boolean {
  const saver: BenchSaver = SAVERS[name];
  return turns <= saver.largest;
}
