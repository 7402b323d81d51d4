import { tmpdir } from "node:os";
import { Command, Option } from "commander";
import pc from "picocolors";
import type { Bench } from "../bench.js";
import { dataFile } from "../data-folder.js";
import { countOf, freshSeed, JSON_ONLY, saversOf, seedOf, sizesOf } from "../options.js";
import type { CommonOptions } from "../options.js";
import { measureGrowth } from "./growth.js";
import { DEFAULTS } from "./plan.js";
import type { GrowthPlan } from "./plan.js";
import { SAVER_NAMES } from "./savers.js";
import { show } from "./show.js";
import { TEXT_KINDS } from "./text.js";

type Options = Omit<GrowthPlan, "seed"> & CommonOptions;

export const growth: Bench = {
  name: "growth",
  summary: "storage, run time and getState as a ReAct thread grows, beside SqliteSaver and the graph's own cost",
  command: () =>
    new Command(growth.name)
      .description(growth.summary)
      .option(...JSON_ONLY, false)
      .option("--turns <list>", "sizes of the thread", sizesOf, [...DEFAULTS.turns])
      .option("--runs <n>", "rounds; figures are medians over them", countOf, DEFAULTS.runs)
      .addOption(new Option("--text <kind>", "what the messages say").choices(TEXT_KINDS).default("words"))
      .option("--savers <list>", `of ${SAVER_NAMES.join(", ")}`, saversOf(SAVER_NAMES), [...DEFAULTS.savers])
      .option("--seed <n>", "repeats the texts of another run", seedOf)
      .action(run),
};

async function run({ json, seed = freshSeed(), ...rest }: Options): Promise<void> {
  const plan: GrowthPlan = { ...rest, seed };
  if (plan.text === "airline") dataFile("airline-transcripts.jsonl");
  const report = await measureGrowth(plan, tmpdir(), (line) => console.error(pc.dim(line)));
  if (!json) console.log(show(report));
  console.log(JSON.stringify(report));
}
