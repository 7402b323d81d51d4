/** The same runs in processes that are killed with SIGKILL: what is proved here is not the work of an exception. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fakeDownstream } from "../../src/testing/index.js";
import { compiled } from "../airline/compile.js";
import { outingsOf } from "./crash-drill.js";
import { settle } from "./outing.js";
import type { Ended, Outing } from "./outing.js";
import { verdictOf } from "./verdict.js";
import type { Verdict } from "./verdict.js";

export interface KillPlan {
  readonly runs: number;
  readonly seed: number;
  readonly rate: number;
  readonly unanswered: number;
  /** Processes at once, all on one database. */
  readonly lanes: number;
}

interface Files {
  readonly database: string;
  readonly bank: string;
  readonly log: string;
}

export interface KillErrand extends Pick<KillPlan, "seed" | "rate" | "unanswered"> {
  readonly files: Files;
  readonly life: string;
  readonly outings: readonly Outing[];
}

/** What a process writes down: that it is killed now, or how a run ended. */
export type LogLine =
  | { readonly run: string; readonly crashedAt: string }
  | ({ readonly run: string } & Pick<Ended, "as" | "unknown"> & { readonly why?: string });

/** Far beyond what a process needs from one death to the next. */
const HUNG_AFTER_MS = 120_000;

export async function killDrill(plan: KillPlan, folder: string): Promise<Verdict> {
  const program = await compiled(join(import.meta.dirname, "fixtures/mortal-payer.ts"), folder);
  const files = { database: join(folder, "kills.db"), bank: join(folder, "bank"), log: join(folder, "log") };
  const outings = outingsOf(plan.runs);
  const lanes = Array.from({ length: plan.lanes }, (_, lane) =>
    live(program, plan, files, { lane, outings: outings.filter((_outing, index) => index % plan.lanes === lane) }),
  );
  await Promise.all(lanes);
  const bank = fakeDownstream({ seed: plan.seed, file: files.bank });
  const before = { calls: [...bank.calls], lookups: [...bank.lookups] };
  const first = outings.map((outing) => endedOf(outing, linesOf(files)));
  const world = { file: files.database, bank, seed: plan.seed, rate: 0 };
  const last: Ended[] = [];
  for (const one of first) last.push(one.as === "waiting" ? await settle(one.outing, world) : one);
  return verdictOf(first, last, before, bank);
}

interface Lane {
  readonly lane: number;
  readonly outings: readonly Outing[];
}

/** One process after the other, until every run of the lane has ended. */
async function live(
  program: string,
  { seed, rate, unanswered }: KillPlan,
  files: Files,
  { lane, outings }: Lane,
): Promise<void> {
  for (let life = 1; ; life += 1) {
    const ended = new Set(linesOf(files).flatMap((line) => ("as" in line ? [line.run] : [])));
    const left = outings.filter(({ run }) => !ended.has(run));
    if (left.length === 0) return;
    const errand: KillErrand = { files, seed, rate, unanswered, life: `${lane}.${life}`, outings: left };
    await oneLife(program, errand);
  }
}

async function oneLife(program: string, errand: KillErrand): Promise<void> {
  const child = spawn(process.execPath, [program, JSON.stringify(errand)], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, LANGSMITH_TRACING: "false" },
    timeout: HUNG_AFTER_MS,
  });
  let stderr = "";
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (code !== 0 && signal !== "SIGKILL")
    throw new Error(`A process of the drill ended with ${signal ?? code}:\n${stderr}`);
}

function linesOf({ log }: Files): LogLine[] {
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LogLine);
}

function endedOf(outing: Outing, lines: readonly LogLine[]): Ended {
  const mine = lines.filter(({ run }) => run === outing.run);
  const crashes = mine.flatMap((line) => ("crashedAt" in line ? [line.crashedAt] : []));
  const end = mine.find((line) => "as" in line);
  return end === undefined
    ? { outing, as: "broken", crashes, unknown: [], why: "It has no end." }
    : { outing, as: end.as, crashes, unknown: end.unknown, ...(end.why !== undefined && { why: end.why }) };
}
