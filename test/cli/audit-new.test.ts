import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { z } from "zod";
import { baselineOf, newSince } from "../../src/audit/index.js";
import type { Finding } from "../../src/audit/index.js";
import { folderOf, UNSAFE } from "../audit/folder.js";
import { waypoint } from "./run.js";

const SCHEMA = join(import.meta.dirname, "../../docs/audit.schema.json");

let folder: string;

beforeEach(() => {
  folder = folderOf({ "a.ts": UNSAFE });
  vi.spyOn(process, "cwd").mockReturnValue(folder);
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function reportedIn(...args: string[]): Promise<string[]> {
  const { stdout } = await waypoint(["audit", "--format", "json", ...args]);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.map(({ code, interrupt: { file, line } }) => `${code} ${file}:${line}`);
}

function git(...args: string[]): void {
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd: folder, stdio: "ignore" });
}

it("a baseline that is not there is written, and from then on what is new is reported alone", async () => {
  const baseline = join(folder, "known.json");
  expect(await reportedIn("--baseline", baseline)).toEqual([]);
  expect(await reportedIn("--baseline", baseline)).toEqual([]);
  // What is known may move to another line; the same effect once more is new.
  writeFileSync(join(folder, "a.ts"), `// moved\n${UNSAFE}`);
  expect(await reportedIn("--baseline", baseline)).toEqual([]);
  const twice = UNSAFE.replace("  return", "  await stripe.refunds.create({});\n  return");
  writeFileSync(join(folder, "a.ts"), twice);
  writeFileSync(join(folder, "b.ts"), UNSAFE);
  expect(await reportedIn("--baseline", baseline)).toEqual(["WP101 a.ts:7", "WP101 b.ts:6"]);
});

it("what is no baseline is refused, and left as it is", async () => {
  const baseline = join(folder, "known.json");
  for (const text of ["", "{}", "[1]", '{"version":1,"known":{"a":"b"}}']) {
    writeFileSync(baseline, text);
    const { code, stderr } = await waypoint(["audit", "--baseline", baseline]);
    expect(code).toBe(1);
    expect(stderr).toContain("no baseline");
    expect(readFileSync(baseline, "utf8")).toBe(text);
  }
});

it("what a baseline knows is not new, and everything is new to an empty one", async () => {
  const { stdout } = await waypoint(["audit", "--format", "json"]);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  expect(newSince(findings, baselineOf(findings))).toEqual([]);
  expect(newSince(findings, baselineOf([]))).toEqual(findings);
});

it("--changed reports what has to do with files that differ from a commit, or are new", async () => {
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  expect(await reportedIn("--changed", "HEAD")).toEqual([]);
  writeFileSync(join(folder, "b.ts"), UNSAFE);
  expect(await reportedIn("--changed", "HEAD")).toEqual(["WP101 b.ts:6"]);
  writeFileSync(join(folder, "a.ts"), `// moved\n${UNSAFE}`);
  expect(await reportedIn("--changed", "HEAD")).toEqual(["WP101 a.ts:7", "WP101 b.ts:6"]);
});

it("--changed with what git does not know is one line, and no option of git", async () => {
  git("init", "-q");
  for (const ref of ["nowhere", "--output=stolen.txt"]) {
    const { code, stderr } = await waypoint(["audit", `--changed=${ref}`]);
    expect(code).toBe(1);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
});

it("--format json is what its published schema says", async () => {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(SCHEMA, "utf8")) as never);
  writeFileSync(join(folder, "broken.ts"), "const = ;");
  writeFileSync(join(folder, "c.ts"), `// waypoint-ignore WP101\n${UNSAFE}`);
  const loop = UNSAFE.replace("  return { ok: interrupt", "  for (;;) if (state) return { ok: interrupt");
  writeFileSync(join(folder, "d.ts"), loop);
  const { stdout } = await waypoint(["audit", "--format", "json"]);
  const report = JSON.parse(stdout) as { findings: { severity: string }[]; unusedIgnores: unknown[] };
  expect(schema.safeParse(report).error).toBeUndefined();
  expect(report.unusedIgnores).toHaveLength(1);
  const [first] = report.findings;
  expect(schema.safeParse({ ...report, findings: [{ ...first, severity: "grave" }] }).success).toBe(false);
});
