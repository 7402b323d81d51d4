import pc from "picocolors";
import { machineLine } from "../machine.js";
import { alignedTable } from "../table.js";
import type { GrowthReport, SaverFigures } from "./report.js";
import { SAVERS } from "./savers.js";
import type { SaverName } from "./savers.js";

interface Section {
  readonly title: string;
  readonly figure: keyof SaverFigures;
  readonly format: (value: number) => string;
}

const MEGABYTE = 1e6;

const SECTIONS: readonly Section[] = [
  { title: "database at rest ÷ text", figure: "perText", format: ratio },
  { title: "run time ÷ graph's own cost", figure: "timeVsOwn", format: ratio },
  { title: "processor time ÷ graph's own cost", figure: "cpuVsOwn", format: ratio },
  { title: "getState, fresh process ÷ SqliteSaver's", figure: "getStateVsSqlite", format: ratio },
  { title: "run time, ms", figure: "ms", format: (ms) => ms.toFixed(0) },
  { title: "getState, fresh process, ms", figure: "getStateMs", format: (ms) => ms.toFixed(1) },
  { title: "largest WAL while open, MB", figure: "walBytes", format: (bytes) => (bytes / MEGABYTE).toFixed(2) },
];

/** The report for people: ratios first, then the figures behind them, the marginal bytes and the machine. */
export function show(report: GrowthReport): string {
  const { text, seed, runs, turns, savers, machine } = report;
  const names = Object.keys(savers) as SaverName[];
  const table = alignedTable([
    ["turns", ...turns.map(String)],
    ...SECTIONS.flatMap(({ title, figure, format }) => [
      [title],
      ...names.map((name) => [`  ${SAVERS[name].label}`, ...savers[name]![figure].map((value) => cell(value, format))]),
    ]),
  ]);
  const titles = new Set(SECTIONS.map(({ title }) => title));
  return [
    pc.bold(`growth · ${text}, seed ${seed} · medians of ${runs} · about 5 KB of text a turn, all history kept`),
    ...table.map((line) => (titles.has(line) ? pc.cyan(line) : line)),
    marginalLine(report),
    pc.dim(machineLine(machine)),
  ].join("\n");
}

function marginalLine({ marginal }: GrowthReport): string {
  if (marginal === null) return "bytes added per turn: takes SlimSaver at three sizes or more";
  const { saver, early, late, change } = marginal;
  const span = ({ from, to, perText }: typeof early): string => `${perText.toFixed(3)} (turns ${from}–${to})`;
  const percent = (change - 1) * 100;
  const signed = `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(1)}%`;
  return `bytes added per turn ÷ text, ${SAVERS[saver].label}: ${span(early)}, ${span(late)}: ${signed}`;
}

function cell(value: number | null, format: (value: number) => string): string {
  return value === null ? "–" : format(value);
}

function ratio(value: number): string {
  return value < 100 ? value.toFixed(2) : value.toFixed(0);
}
