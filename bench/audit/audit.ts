import { join } from "node:path";
import { inChild } from "../child.js";
import { thisMachine } from "../machine.js";
import type { Machine } from "../machine.js";
import { median } from "../median.js";
import { inScratchFolder } from "../scratch-folder.js";
import type { AuditAnswer, AuditTask } from "./audit-process.js";
import { writeProject } from "./write-project.js";

export interface AuditPlan {
  /** Files in the written project. */
  readonly files: number;
  /** How often it is audited, each time in a fresh process. */
  readonly runs: number;
  readonly seed: number;
}

/** Medians over the runs; parsing is part of the time. */
export interface AuditReport extends AuditPlan {
  readonly bench: "audit";
  readonly questions: number;
  readonly unsafe: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
  readonly machine: Machine;
}

const AUDIT = join(import.meta.dirname, "audit-process.ts");

/** Writes a project below `scratch` and audits it, one process at a time. */
export async function measureAudit(
  plan: AuditPlan,
  scratch: string,
  progress: (line: string) => void,
): Promise<AuditReport> {
  const machine = thisMachine(["oxc-parser"]);
  return inScratchFolder(scratch, async (folder) => {
    const { questions, unsafe } = writeProject(folder, plan.files, plan.seed);
    const answers: AuditAnswer[] = [];
    for (let run = 0; run < plan.runs; run += 1) {
      const task: AuditTask = { folder };
      const answer = await inChild<AuditAnswer>(AUDIT, task);
      if (answer.files !== plan.files || answer.unsafe !== unsafe)
        throw new Error(
          `Of ${plan.files} files and ${unsafe} unsafe nodes, ${answer.files} and ${answer.unsafe} were found.`,
        );
      progress(`run ${run + 1}: ${Math.round(answer.ms)} ms`);
      answers.push(answer);
    }
    const middle = (figure: "ms" | "cpuMs" | "peakBytes"): number => median(answers.map((each) => each[figure])) ?? 0;
    return {
      bench: "audit",
      ...plan,
      ...{ questions, unsafe, machine },
      ...{ ms: middle("ms"), cpuMs: middle("cpuMs"), peakBytes: middle("peakBytes") },
    };
  });
}
