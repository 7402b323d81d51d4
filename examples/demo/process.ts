import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Errand, Report } from "./worker.js";

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

export interface Ended {
  readonly pid: number | undefined;
  /** `SIGKILL` when it was killed. */
  readonly signal: NodeJS.Signals | null;
  readonly report: Report | undefined;
}

const running = new Set<ChildProcess>();

/**
 * Runs an errand in a new process.
 *
 * @throws Error when it ends in any way but with a report or a kill
 */
export async function inNewProcess(errand: Errand): Promise<Ended> {
  const child = fork(WORKER, [JSON.stringify(errand)], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  running.add(child);
  let report: Report | undefined;
  let stderr = "";
  child.on("message", (message) => (report = message as Report));
  child.stderr?.on("data", (text: Buffer) => (stderr += text.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  running.delete(child);
  if (report === undefined && signal !== "SIGKILL") {
    throw new Error(`Process ${child.pid} ended with ${signal ?? code}:\n${stderr}`);
  }
  return { pid: child.pid, signal, report };
}

/** Ends whatever still runs. */
export function killAll(): void {
  for (const child of running) child.kill("SIGKILL");
}
