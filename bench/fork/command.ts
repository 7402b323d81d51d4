import { tmpdir } from "node:os";
import { Command } from "commander";
import pc from "picocolors";
import type { Bench } from "../bench.js";
import { SAVER_LABELS, STORED_SAVERS } from "../growth/savers.js";
import { countOf, freshSeed, JSON_ONLY, saversOf, seedOf } from "../options.js";
import type { CommonOptions } from "../options.js";
import { asMilliseconds, asRatio, showComparison } from "../show-comparison.js";
import { measureFork } from "./fork.js";
import type { ForkPlan, ForkReport } from "./fork.js";

type Options = Omit<ForkPlan, "seed"> & CommonOptions;

const KILOBYTE = 1000;

export const fork: Bench = {
  name: "fork",
  summary: "space that forks of a long thread add, and their time, beside SqliteSaver",
  command: () =>
    new Command(fork.name)
      .description(fork.summary)
      .option(...JSON_ONLY, false)
      .option("--turns <n>", "length of the thread", countOf, 200)
      .option("--forks <n>", "from as many old checkpoints", countOf, 20)
      .option("--runs <n>", "rounds; figures are medians over them", countOf, 3)
      .option("--savers <list>", `of ${STORED_SAVERS.join(", ")}`, saversOf(STORED_SAVERS), ["sqlite", "slim"])
      .option("--seed <n>", "repeats the texts of another run", seedOf)
      .action(run),
};

async function run({ json, seed = freshSeed(), ...rest }: Options): Promise<void> {
  const report = await measureFork({ ...rest, seed }, tmpdir(), (line) => console.error(pc.dim(line)));
  if (!json) console.log(show(report));
  console.log(JSON.stringify(report));
}

export function show({ seed, runs, turns, forks, kinds, savers, machine }: ForkReport): string {
  return showComparison({
    title: `fork · ${forks} forks of ${turns} turns, little said in them · seed ${seed} · medians of ${runs}`,
    head: "forked by",
    columns: kinds,
    sections: [
      { title: "space added, percent of the thread's database", figure: "percent", format: asRatio },
      { title: "bytes a fork ÷ SqliteSaver's", figure: "bytesAForkVsBase", format: asRatio },
      { title: "time a fork ÷ SqliteSaver's", figure: "msAForkVsBase", format: asRatio },
      { title: "kB a fork", figure: "bytesAFork", format: (bytes) => (bytes / KILOBYTE).toFixed(1) },
      { title: "time a fork, ms", figure: "msAFork", format: asMilliseconds },
    ],
    savers,
    labels: SAVER_LABELS,
    machine,
  });
}
