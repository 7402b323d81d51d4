import { median } from "./median.js";

/** What one saver came to in one round, at one place of the table's head. */
export interface Sample<Figure extends string> {
  readonly saver: string;
  readonly column: string;
  readonly run: number;
  readonly figures: Readonly<Record<Figure, number>>;
}

/** One figure a column, in their order; `null` where it was not measured. */
export type Series = readonly (number | null)[];

/** Medians over the rounds, and each figure ÷ that of the base in the same round, and then the median. */
export type SaverFigures<Figure extends string> = Readonly<Record<Figure | `${Figure}VsBase`, Series>>;

export type Comparison<Figure extends string> = Readonly<Record<string, SaverFigures<Figure>>>;

export interface ComparisonPlan<Figure extends string> {
  readonly columns: readonly string[];
  readonly savers: readonly string[];
  readonly figures: readonly Figure[];
  /** The saver whose figures the others are divided by. */
  readonly base: string;
}

/** What the samples say of each saver. */
export function compare<Figure extends string>(
  { columns, savers, figures, base }: ComparisonPlan<Figure>,
  samples: readonly Sample<Figure>[],
): Comparison<Figure> {
  const besides = (sample: Sample<Figure>): Sample<Figure> | undefined =>
    samples.find(({ saver, column, run }) => saver === base && column === sample.column && run === sample.run);
  const series = (saver: string, figure: (sample: Sample<Figure>) => number | undefined): Series =>
    columns.map((column) => {
      const ours = samples.filter((sample) => sample.saver === saver && sample.column === column);
      return rounded(median(ours.map(figure).filter((value) => value !== undefined)));
    });
  const of = (saver: string): [string, Series][] =>
    figures.flatMap((figure) => [
      [figure, series(saver, (sample) => sample.figures[figure])],
      [`${figure}VsBase`, series(saver, (sample) => ratio(sample.figures[figure], besides(sample)?.figures[figure]))],
    ]);
  return Object.fromEntries(savers.map((saver) => [saver, Object.fromEntries(of(saver)) as SaverFigures<Figure>]));
}

function ratio(value: number, base: number | undefined): number | undefined {
  return base === undefined || base === 0 ? undefined : value / base;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(4));
}
