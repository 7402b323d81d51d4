import type { Verdict } from "../guards/index.js";
import type { Colors } from "./colors.js";
import { aligned, cell } from "./layout.js";
import type { Line } from "./layout.js";

/** What was found in one run. */
export interface RunVerdicts {
  readonly id: string;
  readonly solved?: boolean;
  readonly verdicts: readonly Verdict[];
}

export interface LoopsTally {
  readonly label: string;
  readonly runs: number;
  readonly reminded: number;
  readonly tripped: number;
}

export interface LoopsReport {
  readonly redacted: boolean;
  readonly tallies: readonly LoopsTally[];
  readonly runs: readonly RunVerdicts[];
}

/** A line for each verdict, and how many runs had some. */
export function renderLoops({ tallies, runs }: LoopsReport, colors: Colors): string {
  const found = runs.flatMap((run) => run.verdicts.map((verdict) => verdictLine(run, verdict, colors)));
  const head: Line = ["", "runs", "reminded", "tripped"].map((text) => cell(text, colors.dim));
  const counts = tallies.map(({ label, runs: all, reminded, tripped }): Line =>
    [label, String(all), String(reminded), String(tripped)].map((text) => cell(text)),
  );
  return [...aligned(found), ...(found.length > 0 ? [""] : []), ...aligned([head, ...counts])].join("\n");
}

function verdictLine({ id }: RunVerdicts, verdict: Verdict, colors: Colors): Line {
  const { level, detector, tool, count, index, evidence } = verdict;
  return [
    cell(id, colors.bold),
    cell(`message ${index}`),
    cell(level, level === "trip" ? colors.red : colors.yellow),
    cell(detector),
    cell(tool),
    cell(`${count}×`),
    cell(verdict.class),
    cell(evidence.firstError ?? "", colors.dim),
  ];
}
