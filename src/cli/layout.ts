import { printable, widthOf } from "./terminal-text.js";

export type Paint = (text: string) => string;

/** A piece of a line. Its text is escaped here, once for all of the command line, and coloured after that. */
export interface Cell {
  readonly text: string;
  readonly paint: Paint;
}

export type Line = readonly Cell[];

/** A part of a page: its name at the left, its lines beside it. Without lines it is left out. */
export interface Section {
  readonly name: string;
  readonly lines: readonly Line[];
}

const GAP = "  ";

export function cell(text: string, paint: Paint = String): Cell {
  return { text, paint };
}

/** Lines whose cells stand below each other; the last cell of a line is as long as it is. */
export function aligned(lines: readonly Line[]): string[] {
  const safe = lines.map((line) => line.map(({ text, paint }) => ({ text: printable(text), paint })));
  const widths: number[] = [];
  for (const line of safe) {
    line.slice(0, -1).forEach(({ text }, column) => (widths[column] = Math.max(widths[column] ?? 0, widthOf(text))));
  }
  return safe.map((line) =>
    line
      .map(({ text, paint }, column) => {
        const missing = column === line.length - 1 ? 0 : (widths[column] ?? 0) - widthOf(text);
        return paint(text) + " ".repeat(missing);
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Sections below each other, each aligned by itself, their names in one column. */
export function page(sections: readonly Section[], paintName: Paint): string[] {
  const shown = sections.filter(({ lines }) => lines.length > 0);
  const width = Math.max(0, ...shown.map(({ name }) => widthOf(printable(name))));
  return shown.flatMap(({ name, lines }) =>
    aligned(lines).map((line, index) => {
      const label = index === 0 ? printable(name) : "";
      return paintName(label) + " ".repeat(width - widthOf(label)) + GAP + line;
    }),
  );
}
