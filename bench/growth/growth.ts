import { machineOfSavers } from "../machine.js";
import { SAVERS } from "./savers.js";
import { measure } from "./measure.js";
import type { Sample } from "./measure.js";
import { measurementsOf } from "./plan.js";
import type { GrowthPlan } from "./plan.js";
import { reportOf } from "./report.js";
import type { GrowthReport } from "./report.js";

/** Measures everything of the plan, one process at a time; databases live below `scratch` while they are measured. */
export async function measureGrowth(
  plan: GrowthPlan,
  scratch: string,
  progress: (line: string) => void,
): Promise<GrowthReport> {
  const machine = machineOfSavers();
  const measurements = measurementsOf(plan);
  const samples: Sample[] = [];
  for (const measurement of measurements) {
    const sample = await measure(measurement, plan.text, scratch);
    samples.push(sample);
    progress(`${samples.length}/${measurements.length} ${progressOf(sample)}`);
  }
  return reportOf(plan, samples, machine);
}

function progressOf({ run, turns, saver, ms }: Sample): string {
  return `run ${run + 1}, ${turns} turns, ${SAVERS[saver].label}: ${ms.toFixed(0)} ms`;
}
