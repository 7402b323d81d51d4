import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ShownAction } from "../../src/cli/shown-actions.js";
import type { ShownPosition } from "../../src/cli/shown-position.js";
import { makeDatabase, resumeThread, SECRET, THREADS } from "./fixture.js";
import { waypoint } from "./run.js";
import type { Printed } from "./run.js";

const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "src/cli/main.ts");
const folder = mkdtempSync(join(tmpdir(), "waypoint-cli-"));
const db = join(folder, "agent.db");

beforeAll(() => makeDatabase(db));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command in a process of its own, as a user does it. */
function inProcess(args: readonly string[], env: Record<string, string> = {}): Promise<Printed> {
  const { FORCE_COLOR: _force, NO_COLOR: _no, ...inherited } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--import", "tsx", MAIN, ...args],
      { cwd: ROOT, env: { ...inherited, ...env } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

async function json<T>(args: readonly string[]): Promise<T> {
  const { stdout } = await waypoint([...args, "--db", db, "--json"]);
  expect(stdout.trim()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  return JSON.parse(stdout) as T;
}

describe("waypoint show", () => {
  it.each(Object.values(THREADS))(
    "tells where thread %j stands, without values and without control characters",
    async (thread) => {
      const { code, stdout, stderr } = await waypoint(["show", thread, "--db", db]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(thread === THREADS.failed ? /failed/ : /waiting/);
      expect(stdout).not.toContain(SECRET);
      expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    },
  );

  it("shows values, escaped, when asked to", async () => {
    const { stdout } = await waypoint(["show", THREADS.unknown, "--db", db, "--no-redact"]);
    expect(stdout).toContain(`${SECRET} \\x1b[2J\\u{202e}`);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("gives the same to a program as JSON", async () => {
    const [redacted, full] = await Promise.all([
      json<ShownPosition>(["show", THREADS.waiting]),
      json<ShownPosition>(["show", THREADS.waiting, "--no-redact"]),
    ]);
    expect(redacted).toMatchObject({ threadId: "waiting", state: "waiting", redacted: true });
    expect(JSON.stringify(redacted)).not.toContain(SECRET);
    expect(full.waitingFor).toMatchObject([{ kind: "approval", action: "refund", args: { card: SECRET } }]);
  });
});

describe.concurrent("the waypoint process", () => {
  it("prints a position and ends well", async () => {
    const { code, stdout, stderr } = await inProcess(["show", THREADS.question, "--db", db], { CI: "true" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/waiting/);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("has colours when they are asked for", async () => {
    const { stdout } = await inProcess(["show", THREADS.waiting, "--db", db], { FORCE_COLOR: "1" });
    expect(stdout).toContain("\u001b[33mwaiting");
  });

  it("answers a mistake with one line and exit code 1", async () => {
    const { code, stdout, stderr } = await inProcess(["show", "nobody", "--db", db]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(`waypoint: There is no thread "nobody" in "${db}".\n`);
  });
});

describe("waypoint actions", () => {
  it("lists effects with their attempts", async () => {
    const { actions } = await json<{ actions: ShownAction[] }>(["actions", THREADS.unknown]);
    expect(actions).toMatchObject([
      { name: "charge", state: "UNKNOWN", attempts: [{ number: 1, outcome: "ambiguous" }] },
    ]);
    expect(JSON.stringify(actions)).not.toContain(SECRET);
  });

  it("shows evidence when asked to, and cannot be steered by it", async () => {
    const { stdout } = await waypoint(["actions", THREADS.unknown, "--db", db, "--no-redact"]);
    expect(stdout).toMatch(/nobody answers \\x1b/);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("says so when a thread has none", async () => {
    expect((await waypoint(["actions", THREADS.failed, "--db", db])).stdout).toBe("failed  no effects\n");
  });
});

describe("deciding from the command line", () => {
  async function copy(name: string): Promise<string> {
    const file = join(folder, name);
    await makeDatabase(file);
    return file;
  }

  async function approvalIn(file: string): Promise<string> {
    const { stdout } = await waypoint(["show", THREADS.waiting, "--db", file, "--json"]);
    return (JSON.parse(stdout) as ShownPosition).waitingFor[0]?.id ?? "";
  }

  it("an approval is recorded once, wakes nobody, and is picked up by resume", async () => {
    const file = await copy("approve.db");
    const id = await approvalIn(file);
    const approve = ["approve", id, "--db", file, "--by", "ada"];
    const first = await waypoint(approve);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(/approved.*refund/);
    expect(first.stdout).toMatch(/decided, not woken/);
    const second = await waypoint([...approve, "--json"]);
    expect(second.code).toBe(1);
    expect(JSON.parse(second.stdout)).toMatchObject({ applied: false, woken: false, reason: "already-decided" });
    expect((await waypoint(["show", THREADS.waiting, "--db", file])).stdout).toMatch(
      /waiting for +resume\(app, config\)/,
    );
    expect(await resumeThread(file, "waiting")).toBe("finished");
  });

  it("a rejection keeps its reason", async () => {
    const file = await copy("reject.db");
    const id = await approvalIn(file);
    const { code, stdout } = await waypoint([
      "reject",
      id,
      "--db",
      file,
      "--by",
      "ada",
      "--reason",
      "too much",
      "--json",
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ applied: true, approval: { state: "rejected", action: "refund" } });
    expect(await resumeThread(file, "waiting")).toBe("finished");
  });

  it("an effect whose outcome is unknown is resolved with evidence, once", async () => {
    const file = await copy("resolve.db");
    const { stdout } = await waypoint(["actions", THREADS.unknown, "--db", file, "--json"]);
    const [effect] = (JSON.parse(stdout) as { actions: ShownAction[] }).actions;
    const resolve = [
      "resolve",
      effect?.id ?? "",
      "--db",
      file,
      "--as",
      "succeeded",
      "--evidence",
      "statement 7",
      "--by",
      "ada",
    ];
    const first = await waypoint([...resolve, "--result", '{"receipt":1}']);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(/resolved as succeeded.*charge[^]*decided, not woken/);
    const second = await waypoint(resolve);
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toMatch(/SUCCEEDED/);
    expect(second.stderr).not.toContain(SECRET);
    expect(await resumeThread(file, "unknown")).toBe("finished");
  });
});

describe("bad input is one line on stderr and exit code 1", () => {
  const text = join(folder, "notes.txt");
  const empty = join(folder, "empty.db");
  const other = join(folder, "other.db");
  const missing = join(folder, "missing.db");
  const broken = join(folder, "broken.db");

  beforeAll(() => {
    writeFileSync(text, "not a database, but long enough to be taken for one".repeat(100));
    writeFileSync(empty, "");
    writeFileSync(broken, `SQLite format 3\0${"garbage".repeat(1000)}`);
    mkdirSync(join(folder, "directory"));
    const database = new Database(other);
    database.exec("CREATE TABLE customers (name TEXT)");
    database.close();
  });

  const resolve = ["resolve", "eff_0", "--evidence", "e", "--by", "ada", "--db", db];
  it.each([
    ["an unknown thread", ["show", "nobody", "--db", db], /no thread "nobody"/],
    ["an unknown thread's effects", ["actions", "nobody", "--db", db], /no thread "nobody"/],
    ["a thread id of control characters", ["show", "\u001b[31m", "--db", db], /no thread "\\x1b\[31m"/],
    ["a file that is not there", ["show", "t", "--db", missing], /no file/],
    ["a folder", ["show", "t", "--db", join(folder, "directory")], /not a file/],
    ["a file below a file", ["show", "t", "--db", join(text, "x.db")], /x\.db/],
    ["a text file", ["show", "t", "--db", text], /not an SQLite database/],
    ["an empty file", ["show", "t", "--db", empty], /not an SQLite database/],
    ["a broken database", ["show", "t", "--db", broken], /./],
    ["a database of somebody else", ["show", "t", "--db", other], /no SlimSaver/],
    ["no database", ["show", "t"], /--db/],
    ["an unknown approval", ["approve", "ap-0", "--by", "ada", "--db", db], /no approval "ap-0"/],
    ["an approval by nobody", ["approve", "ap-0", "--db", db], /--by/],
    ["an unknown effect", [...resolve, "--as", "failed"], /no effect or matter "eff_0"/],
    ["an outcome that does not exist", [...resolve, "--as", "maybe"], /maybe/],
    ["a result that is not JSON", [...resolve, "--as", "succeeded", "--result", "{"], /must be JSON/],
    ["an unknown command", ["fly"], /fly/],
  ])("%s", async (_, args, says) => {
    const { code, stdout, stderr } = await waypoint(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(says);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("and leaves files as they were", async () => {
    const before = [text, empty, other].map((file) => readFileSync(file, "hex"));
    await Promise.all([text, empty, other, missing].map((file) => waypoint(["show", "t", "--db", file])));
    expect([text, empty, other].map((file) => readFileSync(file, "hex"))).toEqual(before);
    expect(existsSync(missing)).toBe(false);
  });
});
