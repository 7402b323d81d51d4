import { tmpdir } from "node:os";
import { Command } from "commander";
import pc from "picocolors";
import type { Bench } from "../bench.js";
import { SAVER_LABELS, STORED_SAVERS } from "../growth/savers.js";
import { countOf, freshSeed, JSON_ONLY, saversOf, seedOf, sizesOf } from "../options.js";
import type { CommonOptions } from "../options.js";
import { asMilliseconds, asRatio, showComparison } from "../show-comparison.js";
import { measureResume } from "./resume.js";
import type { ResumePlan, ResumeReport } from "./resume.js";

type Options = Omit<ResumePlan, "seed"> & CommonOptions;

export const resume: Bench = {
  name: "resume",
  summary: "a fresh process reads a thread that waits, and continues it, beside SqliteSaver",
  command: () =>
    new Command(resume.name)
      .description(resume.summary)
      .option(...JSON_ONLY, false)
      .option("--turns <list>", "sizes of the thread", sizesOf, [25, 50, 100, 200])
      .option("--runs <n>", "rounds; figures are medians over them", countOf, 5)
      .option("--savers <list>", `of ${STORED_SAVERS.join(", ")}`, saversOf(STORED_SAVERS), ["sqlite", "slim"])
      .option("--seed <n>", "repeats the texts of another run", seedOf)
      .action(run),
};

async function run({ json, seed = freshSeed(), ...rest }: Options): Promise<void> {
  const report = await measureResume({ ...rest, seed }, tmpdir(), (line) => console.error(pc.dim(line)));
  if (!json) console.log(show(report));
  console.log(JSON.stringify(report));
}

export function show({ seed, runs, turns, savers, machine }: ResumeReport): string {
  return showComparison({
    title: `resume · seed ${seed} · medians of ${runs} · a fresh process each time, from opening the saver`,
    head: "turns",
    columns: turns.map(String),
    sections: [
      { title: "getState ÷ SqliteSaver's", figure: "getStateMsVsBase", format: asRatio },
      { title: "answering an interrupt ÷ SqliteSaver's", figure: "resumeMsVsBase", format: asRatio },
      { title: "processor time of getState ÷ SqliteSaver's", figure: "getStateCpuMsVsBase", format: asRatio },
      { title: "processor time of answering ÷ SqliteSaver's", figure: "resumeCpuMsVsBase", format: asRatio },
      { title: "getState, ms", figure: "getStateMs", format: asMilliseconds },
      { title: "answering an interrupt and running on, ms", figure: "resumeMs", format: asMilliseconds },
    ],
    savers,
    labels: SAVER_LABELS,
    machine,
  });
}
