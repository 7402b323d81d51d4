import { tmpdir } from "node:os";
import { Command } from "commander";
import pc from "picocolors";
import type { Bench } from "../bench.js";
import { countOf, JSON_ONLY, sizesOf } from "../options.js";
import { showComparison } from "../show-comparison.js";
import { CONTENDER_NAMES, CONTENDERS } from "./contenders.js";
import { measureEffect } from "./effect.js";
import type { EffectPlan, EffectReport } from "./effect.js";

interface Options extends Pick<EffectPlan, "calls" | "runs"> {
  readonly json: boolean;
}

export const effect: Bench = {
  name: "effect",
  summary: "what an effect adds to an outside call, beside a bare call and LangGraph's task()",
  command: () =>
    new Command(effect.name)
      .description(effect.summary)
      .option(...JSON_ONLY, false)
      .option("--calls <list>", "calls in one run", sizesOf, [10, 100])
      .option("--runs <n>", "rounds; figures are medians over them", countOf, 5)
      .action(run),
};

async function run({ json, calls, runs }: Options): Promise<void> {
  const plan = { calls, runs, contenders: CONTENDER_NAMES };
  const report = await measureEffect(plan, tmpdir(), (line) => console.error(pc.dim(line)));
  if (!json) console.log(show(report));
  console.log(JSON.stringify(report));
}

export function show({ runs, calls, savers, machine }: EffectReport): string {
  return showComparison({
    title: `effect · calls one after the other in one run · medians of ${runs} · fresh processes`,
    head: "calls in a run",
    columns: calls.map(String),
    sections: [
      { title: "time of a call with all that is around it, ms", figure: "ms", format: (ms) => ms.toFixed(3) },
      { title: "processor time, ms", figure: "cpuMs", format: (ms) => ms.toFixed(3) },
      { title: "commits for a call", figure: "commits", format: (count) => count.toFixed(2) },
    ],
    savers,
    labels: Object.fromEntries(CONTENDER_NAMES.map((name) => [name, CONTENDERS[name].label])),
    machine,
  });
}
