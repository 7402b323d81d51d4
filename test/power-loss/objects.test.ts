/** What lies between the bytes of an object and the moment in which something may refer to it, as system calls. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../checkpointer/harness.js";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;
if (!hasStrace) process.stderr.write("The proof of the sync of an object is left out: strace is not installed.\n");

const SHARD = `${"a".repeat(32)}/bb`;
const NAME = "b".repeat(62);

describe.skipIf(!hasStrace && process.env.CI === undefined)("before a put into a folder is done", () => {
  it("the file is synced, then it takes its name, then its folder is synced", { timeout: 120_000 }, () => {
    const calls = trace();
    const from = calls.findIndex((call) => call.includes('"PUT BEGINS'));
    const to = calls.findIndex((call) => call.includes('"PUT ENDS'));
    expect([from, to]).not.toContain(-1);
    const steps = calls.slice(from, to).map(stepOf);
    const order = ["file written", "file synced", "renamed", "folder synced"].map((step) => steps.lastIndexOf(step));
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    // The folders that it made for it are on disk as well.
    expect(steps.filter((step) => step === "parent synced").length).toBeGreaterThanOrEqual(2);
  });
});

function trace(): string[] {
  const folder = temporaryFolder();
  const log = join(folder, "calls.txt");
  const program = fileURLToPath(new URL("./object-writer.ts", import.meta.url));
  const parameters = JSON.stringify({ dir: join(folder, "objects") });
  const traced = ["-f", "-y", "-e", "trace=write,pwrite64,fsync,fdatasync,rename,renameat,renameat2", "-o", log];
  execFileSync("strace", [...traced, process.execPath, "--import", "tsx", program, parameters]);
  return readFileSync(log, "utf8").split("\n");
}

function stepOf(call: string): string {
  const isOfTheFile = new RegExp(String.raw`/${NAME}\.[0-9a-f]{16}\.tmp>`).test(call);
  if (/^\d+ +p?write(64)?\(/.test(call) && isOfTheFile) return "file written";
  if (/^\d+ +f(data)?sync\(/.test(call)) {
    if (isOfTheFile) return "file synced";
    return call.includes(`/${SHARD}>`) ? "folder synced" : "parent synced";
  }
  return /^\d+ +rename(at2?)?\(/.test(call) && call.includes(`/${NAME}"`) ? "renamed" : "";
}
