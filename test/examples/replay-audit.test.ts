import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

it("the example's own tests pass under node:test", { timeout: 60_000 }, async () => {
  // Inside of another runner node:test would report to that one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const main = "examples/replay-audit/main.ts";
  const { stdout } = await run(process.execPath, ["--import", "tsx", main], { cwd: ROOT, env });
  expect(stdout).toMatch(/refund made POST http:\S+ in runs 0 and 1/);
  expect(stdout).toMatch(/pass 2/);
  expect(stdout).toMatch(/fail 0/);
});
