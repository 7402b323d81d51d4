/** `npm run drill`: all drills in full, a table for each; it ends with 1 on any breach. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { countOf, freshSeed, seedOf } from "../../bench/options.js";
import { crashDrill } from "./crash-drill.js";
import { killDrill } from "./kill-drill.js";
import { raceDrill } from "./race.js";
import { showRace, showVerdict } from "./show.js";

interface Options {
  readonly runs: number;
  readonly kills: number;
  readonly rounds: number;
  readonly seed: number;
}

const RATE = 0.05;
const UNANSWERED = 0.04;

async function run({ runs, kills, rounds, seed }: Options): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "waypoint-drill-"));
  const folder = (name: string): string => {
    mkdirSync(join(scratch, name));
    return join(scratch, name);
  };
  const print = (text: string): boolean => process.stdout.write(`${text}\n\n`);
  const plan = { seed, rate: RATE, unanswered: UNANSWERED };
  try {
    print(`Crash drill · seed ${seed} (--seed repeats it)`);
    const crashed = await crashDrill({ ...plan, runs }, folder("crash"));
    print(showVerdict(`${runs} runs that crash, by an exception`, crashed));
    const killed = await killDrill({ ...plan, runs: kills, lanes: 2 }, folder("kill"));
    print(showVerdict(`${kills} runs that are killed, by SIGKILL`, killed));
    const raced = await raceDrill({ rounds, seed }, folder("race"));
    print(showRace(`${rounds} approvals that two processes answer at once`, raced));
    const breaches = [crashed, killed, raced].flatMap((drill) => drill.breaches);
    print(breaches.length === 0 ? "No breach." : `${breaches.length} breaches.`);
    process.exitCode = breaches.length === 0 ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

await new Command("drill")
  .description("Payments in runs that crash, are killed and race each other: each must be made once.")
  .option("--runs <n>", "runs that crash", countOf, 1000)
  .option("--kills <n>", "runs that are killed", countOf, 200)
  .option("--rounds <n>", "approvals that two processes answer", countOf, 500)
  .option("--seed <n>", "repeats another drill", seedOf, freshSeed())
  .action(run)
  .parseAsync();
