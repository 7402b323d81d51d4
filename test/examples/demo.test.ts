import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const PATIENCE = 120_000;

let temp: string;
beforeEach(() => (temp = mkdtempSync(join(tmpdir(), "waypoint-test-demo-"))));
afterEach(() => rmSync(temp, { recursive: true, force: true }));

/** Starts `npm run demo` with a temp folder of its own, in a process group of its own, as a shell does. */
function demo() {
  const child = spawn("npm", ["run", "demo"], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temp, FORCE_COLOR: "" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const printed = { stdout: "", stderr: "" };
  child.stdout.on("data", (text: Buffer) => (printed.stdout += text.toString()));
  child.stderr.on("data", (text: Buffer) => (printed.stderr += text.toString()));
  return { child, printed };
}

function leftBehind(): string[] {
  return readdirSync(temp).filter((name) => name.startsWith("waypoint-demo-"));
}

describe("npm run demo", () => {
  it("keeps its promises, in a pipe, and cleans up", { timeout: PATIENCE }, async () => {
    const { child, printed } = demo();
    const [code] = (await once(child, "close")) as [number | null];
    expect({ code, stderr: printed.stderr }).toEqual({ code: 0, stderr: "" });
    expect(printed.stdout).toMatch(/rebook/);
    expect(printed.stdout).toMatch(/it died by SIGKILL/);
    expect(printed.stdout.match(/✓ bookings: 1, raw calls at the airline: 1/g)).toHaveLength(2);
    expect(printed.stdout).toMatch(/"applied":false,"reason":"already-decided"/);
    expect(printed.stdout).toMatch(/SlimSaver +\d+ kB, [\d.]+ times smaller/);
    expect(printed.stdout).toMatch(/All \d+ promises kept/);
    expect(printed.stdout).not.toContain("\u001b");
    expect(leftBehind()).toEqual([]);
  });

  it("cleans up when it is interrupted", { timeout: PATIENCE }, async () => {
    const { child, printed } = demo();
    while (!printed.stdout.includes("somebody approves")) await once(child.stdout, "data");
    expect(leftBehind()).toHaveLength(1);
    process.kill(-(child.pid ?? 0), "SIGINT");
    await once(child, "close");
    expect(leftBehind()).toEqual([]);
  });
});
