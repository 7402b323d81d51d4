import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

it(
  "examples/slim-around-sqlite: the same conversation, a tenth of the bytes, nothing left behind",
  {
    timeout: 60_000,
  },
  async () => {
    const temp = mkdtempSync(join(tmpdir(), "waypoint-test-example-"));
    onTestFinished(() => {
      rmSync(temp, { recursive: true });
    });
    const { stdout, stderr } = await run("npx", ["tsx", "examples/slim-around-sqlite/main.ts"], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: temp },
    });
    expect(stderr).toBe("");
    expect(stdout).toContain("Both hold the same conversation.");
    const sizes = [...stdout.matchAll(/(\d+) kB/g)].map(([, size]) => Number(size));
    const [, plain = 0, inner = 0, objects = 0] = sizes;
    expect(inner + objects).toBeGreaterThan(0);
    expect(plain / (inner + objects)).toBeGreaterThan(10);
    expect(readdirSync(temp).filter((name) => name.startsWith("waypoint-example-"))).toEqual([]);
  },
);
