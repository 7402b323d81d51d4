/** Verdicts as tables for people. */
import { alignedTable } from "../../bench/table.js";
import { crashPoints } from "../../src/testing/index.js";
import type { RaceVerdict } from "./race.js";
import { percent } from "./verdict.js";
import type { Verdict } from "./verdict.js";

export function showVerdict(title: string, verdict: Verdict): string {
  const { runs, payments, calls, lookups, unanswered, byPoint } = verdict;
  const rows = [
    ["runs", String(runs)],
    ["  that crashed at least once", String(verdict.crashed)],
    ["  completed by themselves", String(verdict.completed)],
    ["  waiting for a person", String(verdict.waiting)],
    ["  crashed, lookups answered, recovered by themselves", percent(verdict.recovered)],
    ["payments", String(payments)],
    ["  raw calls, after a person answered what was open", String(calls)],
    ["lookups", String(lookups)],
    ["  that went unanswered", String(unanswered)],
    ["crashes", String(verdict.crashes)],
    ...crashPoints.names.map((point) => [`  ${point}`, String(byPoint[point] ?? 0)]),
  ];
  return table(title, rows, verdict.breaches);
}

export function showRace(title: string, { rounds, calls, answers, breaches }: RaceVerdict): string {
  const pairs = Object.entries(answers).sort(([one], [other]) => one.localeCompare(other));
  const rows = [
    ["approvals", String(rounds)],
    ["raw calls", String(calls)],
    ...pairs.map(([pair, times]) => [`  ${pair}`, String(times)]),
  ];
  return table(title, rows, breaches);
}

const SHOWN = 20;

function table(title: string, rows: string[][], breaches: readonly string[]): string {
  const more = breaches.length > SHOWN ? [`… and ${breaches.length - SHOWN} more`] : [];
  const shown = [...breaches.slice(0, SHOWN), ...more].map((breach) => `  BREACH ${breach}`);
  return [title, ...alignedTable([...rows, ["breaches", String(breaches.length)]]), ...shown].join("\n");
}
