import pc from "picocolors";
import type { Comparison } from "./comparison.js";
import { machineLine } from "./machine.js";
import type { Machine } from "./machine.js";
import { alignedTable } from "./table.js";

export interface Section {
  readonly title: string;
  /** Key of a figure, or of its ratio. */
  readonly figure: string;
  readonly format: (value: number) => string;
}

export interface Page {
  readonly title: string;
  /** What the columns are. */
  readonly head: string;
  readonly columns: readonly string[];
  readonly sections: readonly Section[];
  readonly savers: Comparison<string>;
  readonly labels: Readonly<Record<string, string>>;
  readonly machine: Machine;
}

/** The comparison for people: a line for each saver in each section, and the machine. */
export function showComparison({ title, head, columns, sections, savers, labels, machine }: Page): string {
  const line = (saver: string, { figure, format }: Section): string[] => [
    `  ${labels[saver] ?? saver}`,
    ...(savers[saver]?.[figure] ?? []).map((value) => (value === null ? "–" : format(value))),
  ];
  const table = alignedTable([
    [head, ...columns],
    ...sections.flatMap((section) => [[section.title], ...Object.keys(savers).map((saver) => line(saver, section))]),
  ]);
  const titles = new Set(sections.map((section) => section.title));
  return [
    pc.bold(title),
    ...table.map((text) => (titles.has(text) ? pc.cyan(text) : text)),
    pc.dim(machineLine(machine)),
  ].join("\n");
}

export function asRatio(value: number): string {
  if (value !== 0 && value < 0.1) return value.toFixed(4);
  return value < 100 ? value.toFixed(2) : value.toFixed(0);
}

export function asMilliseconds(ms: number): string {
  return ms < 100 ? ms.toFixed(1) : ms.toFixed(0);
}
