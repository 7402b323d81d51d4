import { randomInt } from "node:crypto";
import { tmpdir } from "node:os";
import { Command, InvalidArgumentError, Option } from "commander";
import pc from "picocolors";
import type { Bench } from "../bench.js";
import { dataFile } from "../data-folder.js";
import { measureGrowth } from "./growth.js";
import { DEFAULTS } from "./plan.js";
import type { GrowthPlan } from "./plan.js";
import { SAVER_NAMES } from "./savers.js";
import type { SaverName } from "./savers.js";
import { show } from "./show.js";
import { TEXT_KINDS } from "./text.js";

interface Options extends Omit<GrowthPlan, "seed"> {
  readonly seed?: number;
  readonly json: boolean;
}

export const growth: Bench = {
  name: "growth",
  summary: "storage, run time and getState as a ReAct thread grows, beside SqliteSaver and the graph's own cost",
  command: () =>
    new Command(growth.name)
      .description(growth.summary)
      .option("--json", "only the JSON line on stdout", false)
      .option("--turns <list>", "sizes of the thread", turnsOf, [...DEFAULTS.turns])
      .option("--runs <n>", "rounds; figures are medians over them", countOf, DEFAULTS.runs)
      .addOption(new Option("--text <kind>", "what the messages say").choices(TEXT_KINDS).default("words"))
      .option("--savers <list>", `of ${SAVER_NAMES.join(", ")}`, saversOf, [...DEFAULTS.savers])
      .option("--seed <n>", "repeats the texts of another run", seedOf)
      .action(run),
};

async function run({ json, seed = randomInt(2 ** 31), ...rest }: Options): Promise<void> {
  const plan: GrowthPlan = { ...rest, seed };
  if (plan.text === "airline") dataFile("airline-transcripts.jsonl");
  const report = await measureGrowth(plan, tmpdir(), (line) => console.error(pc.dim(line)));
  if (!json) console.log(show(report));
  console.log(JSON.stringify(report));
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It takes a whole number of at least 1.");
}

function seedOf(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It takes a whole number.");
}

function turnsOf(text: string): number[] {
  return [...new Set(text.split(",").map(countOf))].sort((a, b) => a - b);
}

function saversOf(text: string): SaverName[] {
  const asked = text.split(",");
  const unknown = asked.find((name) => !(SAVER_NAMES as string[]).includes(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no saver "${unknown}".`);
  return SAVER_NAMES.filter((name) => asked.includes(name));
}
