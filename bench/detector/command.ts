import { Command } from "commander";
import pc from "picocolors";
import type { Bench } from "../bench.js";
import { machineLine } from "../machine.js";
import { countOf, freshSeed, JSON_ONLY, seedOf } from "../options.js";
import type { CommonOptions } from "../options.js";
import { alignedTable } from "../table.js";
import { measureDetector } from "./detector.js";
import type { DetectorPlan, DetectorReport } from "./detector.js";

type Options = Omit<DetectorPlan, "seed"> & CommonOptions;

export const detector: Bench = {
  name: "detector",
  summary: "time to look for loops in a long conversation, and in one more call of it",
  command: () =>
    new Command(detector.name)
      .description(detector.summary)
      .option(...JSON_ONLY, false)
      .option("--calls <n>", "length of the conversation", countOf, 1000)
      .option("--bytes <n>", "length of a result", countOf, 600)
      .option("--runs <n>", "rounds; figures are medians over them", countOf, 9)
      .option("--seed <n>", "repeats the texts of another run", seedOf)
      .action(run),
};

function run({ json, seed = freshSeed(), ...rest }: Options): void {
  const report = measureDetector({ ...rest, seed });
  if (!json) console.log(show(report));
  console.log(JSON.stringify(report));
}

export function show({ calls, bytes, runs, seed, histories, machine }: DetectorReport): string {
  const rows = Object.entries(histories).map(([kind, { foldMs, foldCpuMs, oneMoreUs, stateBytes, verdicts }]) => [
    kind,
    foldMs.toFixed(1),
    foldCpuMs.toFixed(1),
    oneMoreUs.toFixed(1),
    (stateBytes / 1000).toFixed(1),
    String(verdicts),
  ]);
  const title = `detector · ${calls} calls, results of ${bytes} characters · seed ${seed} · medians of ${runs}`;
  const table = alignedTable([
    ["calls are", "all of it, ms", "processor, ms", "one more, µs", "state, kB", "verdicts"],
    ...rows,
  ]);
  return [pc.bold(title), ...table, pc.dim(machineLine(machine))].join("\n");
}
