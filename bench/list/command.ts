import { tmpdir } from "node:os";
import { Command } from "commander";
import pc from "picocolors";
import type { Bench } from "../bench.js";
import { SAVER_LABELS, STORED_SAVERS } from "../growth/savers.js";
import { countOf, freshSeed, JSON_ONLY, saversOf, seedOf } from "../options.js";
import type { CommonOptions } from "../options.js";
import { asMilliseconds, asRatio, showComparison } from "../show-comparison.js";
import { measureList } from "./list.js";
import type { ListPlan, ListReport } from "./list.js";
import { LISTINGS } from "./lists.js";

type Options = Omit<ListPlan, "seed"> & CommonOptions;

export const list: Bench = {
  name: "list",
  summary: "listing the threads of a database and the checkpoints of a long thread, beside SqliteSaver",
  command: () =>
    new Command(list.name)
      .description(list.summary)
      .option(...JSON_ONLY, false)
      .option("--threads <n>", "threads in one database", countOf, 10_000)
      .option("--turns <n>", "turns of the long thread", countOf, 100)
      .option("--runs <n>", "rounds; figures are medians over them", countOf, 3)
      .option("--savers <list>", `of ${STORED_SAVERS.join(", ")}`, saversOf(STORED_SAVERS), ["sqlite", "slim"])
      .option("--seed <n>", "repeats the texts of another run", seedOf)
      .action(run),
};

async function run({ json, seed = freshSeed(), ...rest }: Options): Promise<void> {
  const report = await measureList({ ...rest, seed }, tmpdir(), (line) => console.error(pc.dim(line)));
  if (!json) console.log(show(report));
  console.log(JSON.stringify(report));
}

export function show({ seed, runs, threads, turns, listings, savers, machine }: ListReport): string {
  return showComparison({
    title: `list · ${threads} threads, and one of ${turns} turns · seed ${seed} · medians of ${runs} · fresh processes`,
    head: "",
    columns: listings.map((listing) => LISTINGS[listing].title),
    sections: [
      { title: "time ÷ SqliteSaver's", figure: "msVsBase", format: asRatio },
      { title: "processor time ÷ SqliteSaver's", figure: "cpuMsVsBase", format: asRatio },
      { title: "time, ms", figure: "ms", format: asMilliseconds },
    ],
    savers,
    labels: SAVER_LABELS,
    machine,
  });
}
