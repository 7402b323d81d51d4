import type { Machine } from "../machine.js";
import { median } from "../median.js";
import { marginalOf } from "./marginal.js";
import type { Marginal } from "./marginal.js";
import type { Sample } from "./measure.js";
import type { GrowthPlan } from "./plan.js";
import type { SaverName } from "./savers.js";
import type { TextKind } from "./text.js";

/** One figure a size, in the order of `turns`; `null` where it was not measured. */
export type Series = readonly (number | null)[];

/** Medians over the rounds. A ratio is taken within a round, whose measurements follow each other, and then the median. */
export interface SaverFigures {
  /** Database at rest, after close ÷ UTF-8 bytes of all texts. */
  readonly perText: Series;
  /** Run time ÷ run time with the saver that does nothing. */
  readonly timeVsOwn: Series;
  /** The same in processor time: steadier where others use the cores. */
  readonly cpuVsOwn: Series;
  /** `getState` in a fresh process ÷ SqliteSaver's. */
  readonly getStateVsSqlite: Series;
  /** Largest write-ahead log while open. */
  readonly walBytes: Series;
  readonly databaseBytes: Series;
  readonly ms: Series;
  readonly cpuMs: Series;
  readonly getStateMs: Series;
  /** Counted at the end, by the run and by the fresh process; a wrong count fails the benchmark. */
  readonly messages: Series;
}

export interface GrowthReport {
  readonly bench: "growth";
  readonly text: TextKind;
  readonly seed: number;
  readonly runs: number;
  readonly turns: readonly number[];
  readonly textBytes: Series;
  readonly savers: Readonly<Partial<Record<SaverName, SaverFigures>>>;
  readonly marginal: Marginal | null;
  readonly machine: Machine;
}

type Figure = (sample: Sample) => number | undefined;

const FIGURES = {
  ms: ({ ms }) => ms,
  cpuMs: ({ cpuMs }) => cpuMs,
  textBytes: ({ textBytes }) => textBytes,
  messages: ({ messages }) => messages,
  databaseBytes: ({ database }) => database?.bytes,
  walBytes: ({ database }) => database?.walBytes,
  getStateMs: ({ database }) => database?.getStateMs,
  perText: ({ database, textBytes }) => database && database.bytes / textBytes,
} as const satisfies Record<string, Figure>;

/** What the samples say, as one object. */
export function reportOf(plan: GrowthPlan, samples: readonly Sample[], machine: Machine): GrowthReport {
  const { text, seed, runs, turns, savers } = plan;
  return {
    bench: "growth",
    text,
    seed,
    runs,
    turns,
    textBytes: seriesOf(turns, samples, FIGURES.textBytes),
    savers: Object.fromEntries(savers.map((saver) => [saver, figuresOf(saver, turns, samples)])),
    marginal: marginalOf("slim", samples) ?? null,
    machine,
  };
}

function figuresOf(saver: SaverName, turns: readonly number[], samples: readonly Sample[]): SaverFigures {
  const series = (figure: Figure): Series => {
    return seriesOf(
      turns,
      samples.filter((sample) => sample.saver === saver),
      figure,
    );
  };
  return {
    perText: series(FIGURES.perText),
    timeVsOwn: series(versus("own", FIGURES.ms, samples)),
    cpuVsOwn: series(versus("own", FIGURES.cpuMs, samples)),
    getStateVsSqlite: series(versus("sqlite", FIGURES.getStateMs, samples)),
    walBytes: series(FIGURES.walBytes),
    databaseBytes: series(FIGURES.databaseBytes),
    ms: series(FIGURES.ms),
    cpuMs: series(FIGURES.cpuMs),
    getStateMs: series(FIGURES.getStateMs),
    messages: series(FIGURES.messages),
  };
}

function seriesOf(turns: readonly number[], samples: readonly Sample[], figure: Figure): Series {
  return turns.map((size) => {
    const values = samples.filter((sample) => sample.turns === size).map(figure);
    const middle = median(values.filter((value) => value !== undefined));
    return middle === null ? null : Number(middle.toFixed(4));
  });
}

/** The figure of a sample ÷ that of `peer` in the same round and size. */
function versus(peer: SaverName, figure: Figure, samples: readonly Sample[]): Figure {
  return (sample) => {
    const beside = samples.find(({ saver, run, turns }) => {
      return saver === peer && run === sample.run && turns === sample.turns;
    });
    const value = figure(sample);
    const base = beside && figure(beside);
    return value === undefined || base === undefined ? undefined : value / base;
  };
}
