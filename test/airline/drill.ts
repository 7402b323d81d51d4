import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Errand } from "./errand.js";

/** Far beyond what a process needs from one death to the next. */
const HUNG_AFTER_MS = 120_000;

/**
 * Starts the agent's process, and starts it again whenever it was killed, until it ends by itself. Resolves to the number
 * of SIGKILLs; a process that ends in any other way fails the drill.
 */
export async function drill(program: string, errand: Errand): Promise<number> {
  mkdirSync(errand.folder, { recursive: true });
  for (let kills = 0; kills <= errand.deaths.length; kills += 1) {
    const { code, signal, stderr } = await live(program, errand);
    if (code === 0) return kills;
    if (signal !== "SIGKILL") throw new Error(`The agent's process ended with ${signal ?? code}:\n${stderr}`);
  }
  throw new Error(`The agent's process was killed more often than planned (${errand.deaths.length}).`);
}

/** The same in several processes at once, each with its share of the conversations and a folder of its own. */
export async function drillInLanes(program: string, lanes: readonly Errand[]): Promise<number> {
  const kills = await Promise.all(lanes.map((errand) => drill(program, errand)));
  return kills.reduce((sum, count) => sum + count, 0);
}

/** Deals the conversations out to two processes, for two cores. */
export function lanesOf(errand: Omit<Errand, "deaths">, plan: ReadonlyMap<string, readonly string[]>): Errand[] {
  return [0, 1].map((lane) => {
    const conversations = errand.conversations.filter((_, index) => index % 2 === lane);
    return {
      ...errand,
      folder: join(errand.folder, `lane-${lane}`),
      conversations,
      deaths: conversations.flatMap((id) => plan.get(id) ?? []),
    };
  });
}

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

async function live(program: string, errand: Errand): Promise<End> {
  const child = spawn(process.execPath, [program, JSON.stringify(errand)], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, LANGSMITH_TRACING: "false" },
    timeout: HUNG_AFTER_MS,
  });
  let stderr = "";
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, stderr };
}
