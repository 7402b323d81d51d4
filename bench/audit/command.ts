import { tmpdir } from "node:os";
import { Command } from "commander";
import pc from "picocolors";
import type { Bench } from "../bench.js";
import { countOf, freshSeed, JSON_ONLY, seedOf } from "../options.js";
import type { CommonOptions } from "../options.js";
import { alignedTable } from "../table.js";
import { measureAudit } from "./audit.js";
import type { AuditPlan, AuditReport } from "./audit.js";

type Options = Omit<AuditPlan, "seed"> & CommonOptions;

export const audit: Bench = {
  name: "audit",
  summary: "the audit of a written project: time, parsing included, and memory",
  command: () =>
    new Command(audit.name)
      .description(audit.summary)
      .option(...JSON_ONLY, false)
      .option("--files <n>", "files of the project", countOf, 1000)
      .option("--runs <n>", "rounds; figures are medians over them", countOf, 5)
      .option("--seed <n>", "writes the project of another run", seedOf)
      .action(run),
};

async function run({ json, seed = freshSeed(), ...rest }: Options): Promise<void> {
  const report = await measureAudit({ ...rest, seed }, tmpdir(), (line) => console.error(pc.dim(line)));
  if (!json) console.log(show(report));
  console.log(JSON.stringify(report));
}

export function show({ files, questions, unsafe, runs, seed, ms, cpuMs, peakBytes, machine }: AuditReport): string {
  const rows = [
    ["time, s", (ms / 1000).toFixed(2)],
    ["processor time, s", (cpuMs / 1000).toFixed(2)],
    ["peak memory, MB", (peakBytes / 1e6).toFixed(0)],
    ["files a second", (files / (ms / 1000)).toFixed(0)],
  ];
  return [
    `audit · ${files} files, ${questions} questions, ${unsafe} of them unsafe · seed ${seed} · medians of ${runs} · fresh processes`,
    ...alignedTable(rows).map((line) => `  ${line}`),
    `  ${machine.cpu}, ${machine.cores} cores, load ${machine.load}, Node ${machine.node}`,
  ].join("\n");
}
