/**
 * A killed process keeps its page cache, so a kill proves nothing about a power cut. What proves it: the system calls
 * that lie between the intent's commit and the outside call.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../checkpointer/harness.js";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;
if (!hasStrace) {
  process.stderr.write("The proof of the sync before an outside call is left out: strace is not installed.\n");
}

/** From the first row of a key action to what follows it: the outside call, the interrupt, the answer. */
const KEY_ACTIONS = [
  ["EFFECT BEGINS", "OUTSIDE CALL"],
  ["QUESTION BEGINS", "QUESTION IS ASKED"],
  ["DECISION BEGINS", "DECISION ENDS"],
] as const;

interface SystemCall {
  readonly name: string;
  /** The file it is about, or the text that it prints. */
  readonly rest: string;
}

describe.skipIf(!hasStrace && process.env.CI === undefined)("between the commit and what follows it", () => {
  it(
    "what may not be lost is synced before it has consequences, and an ordinary checkpoint is not",
    { timeout: 120_000 },
    () => {
      const calls = trace();
      for (const [begin, end] of KEY_ACTIONS) {
        const action = between(calls, begin, end);
        expect(action.findLastIndex(isWrite), begin).toBeGreaterThanOrEqual(0);
        expect(action.findLastIndex(isSync), begin).toBeGreaterThan(action.findLastIndex(isWrite));
      }

      const checkpoint = between(calls, "CHECKPOINT BEGINS", "CHECKPOINT ENDS");
      expect(checkpoint.some(isWrite)).toBe(true);
      expect(checkpoint.some(isSync)).toBe(false);
    },
  );
});

/** The writes and syncs of the program, in order. */
function trace(): SystemCall[] {
  const folder = temporaryFolder();
  const log = join(folder, "calls.txt");
  const program = fileURLToPath(new URL("./writer.ts", import.meta.url));
  const parameters = JSON.stringify({ file: join(folder, "agent.db") });
  const traced = ["-f", "-y", "-e", "trace=write,pwrite64,fsync,fdatasync", "-o", log];
  execFileSync("strace", [...traced, process.execPath, "--import", "tsx", program, parameters]);
  return readFileSync(log, "utf8")
    .split("\n")
    .map((line) => /^\d+ +(\w+)\(\d+<(.*)/.exec(line))
    .filter((match) => match !== null)
    .map(([, name = "", rest = ""]) => ({ name, rest }));
}

function between(calls: SystemCall[], begin: string, end: string): SystemCall[] {
  const at = (mark: string): number =>
    calls.findIndex(({ name, rest }) => name === "write" && rest.includes(`"${mark}`));
  expect([at(begin), at(end)]).not.toContain(-1);
  return calls.slice(at(begin), at(end));
}

const isLog = ({ rest }: SystemCall): boolean => rest.includes("agent.db-wal>");
const isWrite = (call: SystemCall): boolean => call.name === "pwrite64" && isLog(call);
const isSync = (call: SystemCall): boolean => /^f(data)?sync$/.test(call.name) && isLog(call);
