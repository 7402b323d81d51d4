import { median } from "../median.js";
import type { Sample } from "./measure.js";
import type { SaverName } from "./savers.js";

/** Bytes that a turn added between two sizes, divided by its text. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly perText: number;
}

/** Whether a turn late in a thread costs what an early one costs. */
export interface Marginal {
  readonly saver: SaverName;
  readonly early: Span;
  readonly late: Span;
  /** Late ÷ early: 1 where storage grows with the text. */
  readonly change: number;
}

/**
 * Compares the two largest sizes with an earlier pair; `undefined` with fewer than three sizes.
 * Within a round the words of a shorter thread begin the longer one, so that the difference is what the turns added.
 */
export function marginalOf(saver: SaverName, samples: readonly Sample[]): Marginal | undefined {
  const own = samples.filter((sample) => sample.saver === saver && sample.database !== undefined);
  const pairs = pairsOf([...new Set(own.map(({ turns }) => turns))].sort((a, b) => a - b));
  const late = pairs.at(-1);
  if (late === undefined || pairs.length < 2) return undefined;
  const spans = { early: spanOf(earlier(pairs, late), own), late: spanOf(late, own) };
  return { saver, ...spans, change: rounded(spans.late.perText / spans.early.perText) };
}

type Pair = readonly [from: number, to: number];

function pairsOf(sizes: readonly number[]): Pair[] {
  return sizes.slice(1).map((to, index) => [sizes[index]!, to]);
}

/** The pair that ends at a quarter of the largest size, as 100–200 does for 400–800, or the nearest before that. */
function earlier(pairs: readonly Pair[], [, largest]: Pair): Pair {
  return pairs.findLast(([, to]) => to <= largest / 4) ?? pairs[0]!;
}

function spanOf([from, to]: Pair, samples: readonly Sample[]): Span {
  const perRun = samples
    .filter(({ turns }) => turns === to)
    .map((after) => {
      const before = samples.find(({ run, turns }) => run === after.run && turns === from)!;
      return (after.database!.bytes - before.database!.bytes) / (after.textBytes - before.textBytes);
    });
  return { from, to, perText: rounded(median(perRun)!) };
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
