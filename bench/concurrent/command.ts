import { tmpdir } from "node:os";
import { Command } from "commander";
import pc from "picocolors";
import type { Bench } from "../bench.js";
import { SAVER_LABELS, SAVER_NAMES } from "../growth/savers.js";
import { countOf, freshSeed, JSON_ONLY, saversOf, seedOf, sizesOf } from "../options.js";
import type { CommonOptions } from "../options.js";
import { asMilliseconds, asRatio, showComparison } from "../show-comparison.js";
import { measureConcurrent } from "./concurrent.js";
import type { ConcurrentPlan, ConcurrentReport } from "./concurrent.js";

type Options = Omit<ConcurrentPlan, "seed"> & CommonOptions;

export const concurrent: Bench = {
  name: "concurrent",
  summary: "many threads at once in one process on one database, beside SqliteSaver and the graph's own cost",
  command: () =>
    new Command(concurrent.name)
      .description(concurrent.summary)
      .option(...JSON_ONLY, false)
      .option("--threads <list>", "how many run at once", sizesOf, [1, 4, 16, 64])
      .option("--turns <n>", "turns of each thread", countOf, 10)
      .option("--runs <n>", "rounds; figures are medians over them", countOf, 3)
      .option("--savers <list>", `of ${SAVER_NAMES.join(", ")}`, saversOf(SAVER_NAMES), ["own", "sqlite", "slim"])
      .option("--seed <n>", "repeats the texts of another run", seedOf)
      .action(run),
};

async function run({ json, seed = freshSeed(), ...rest }: Options): Promise<void> {
  const report = await measureConcurrent({ ...rest, seed }, tmpdir(), (line) => console.error(pc.dim(line)));
  if (!json) console.log(show(report));
  console.log(JSON.stringify(report));
}

export function show({ seed, runs, threads, turns, savers, machine }: ConcurrentReport): string {
  return showComparison({
    title: `concurrent · ${turns} turns a thread, one process, one database · seed ${seed} · medians of ${runs}`,
    head: "threads at once",
    columns: threads.map(String),
    sections: [
      { title: "wall time ÷ SqliteSaver's", figure: "msVsBase", format: asRatio },
      { title: "processor time ÷ SqliteSaver's", figure: "cpuMsVsBase", format: asRatio },
      { title: "turns a second", figure: "turnsPerSecond", format: (value) => value.toFixed(0) },
      { title: "wall time, ms", figure: "ms", format: asMilliseconds },
    ],
    savers,
    labels: SAVER_LABELS,
    machine,
  });
}
