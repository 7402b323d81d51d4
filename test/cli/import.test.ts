import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { SlimSaver } from "../../src/checkpointer/index.js";
import type { ImportReport } from "../../src/checkpointer/index.js";
import { LOOP, checkpointOf, thread } from "../checkpointer/checkpoints.js";
import { STORIES } from "../checkpointer/import-graphs.js";
import { usePostgres } from "../postgres.js";
import { makeDatabase } from "./fixture.js";
import { waypoint } from "./run.js";

const postgres = usePostgres();
/** What erases a terminal's line. */
const CLEARED = "\u001b[2K";
const EVIL = "evil \u001b[2J";

let folder = "";
let source = "";
let db = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypoint-cli-import-"));
  source = join(folder, "old.db");
  db = join(folder, "agent.db");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function beginAll(saver: BaseCheckpointSaver): Promise<void> {
  for (const [name, story] of Object.entries(STORIES)) await story.begin(saver, name);
}

async function fillSqlite(file = source): Promise<void> {
  const saver = SqliteSaver.fromConnString(file);
  await beginAll(saver);
  saver.db.close();
}

async function json(...args: string[]): Promise<ImportReport> {
  const { stdout } = await waypoint(["import", ...args, "--db", db, "--json"]);
  return JSON.parse(stdout) as ImportReport;
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

/** Every thread of the new database is continued, and ends as the old one's does. */
async function expectSameEnds(from: BaseCheckpointSaver): Promise<void> {
  const to = SlimSaver.fromConnString(db);
  onTestFinished(() => to.close());
  for (const [name, story] of Object.entries(STORIES)) {
    expect(await story.finish(to, name)).toEqual(await story.finish(from, name));
  }
}

describe("waypoint import", () => {
  it("brings a SqliteSaver's threads into a new database, which go on there; the old file stays as it was", async () => {
    await fillSqlite();
    const before = hashOf(source);
    const { code, stdout, stderr } = await waypoint(["import", source, "--db", db]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^imported {2}4 threads, \d+ checkpoints\n$/);
    expect(hashOf(source)).toBe(before);
    await expectSameEnds(SqliteSaver.fromConnString(source));
  });

  it("reads a file whose journal is another one, and does not change it", async () => {
    await fillSqlite();
    const handle = new Database(source);
    handle.pragma("journal_mode = DELETE");
    handle.close();
    const before = hashOf(source);
    expect((await waypoint(["import", source, "--db", db])).code).toBe(0);
    expect(hashOf(source)).toBe(before);
  });

  it("brings a PostgresSaver's threads, from the schema that is named", async () => {
    const url = await postgres.database();
    const saver = PostgresSaver.fromConnString(url, { schema: "agents" });
    onTestFinished(() => saver.end());
    await saver.setup();
    await beginAll(saver);
    const { code, stdout } = await waypoint(["import", url, "--schema", "agents", "--db", db]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/4 threads/)]);
    await expectSameEnds(saver);
  });

  it("brings the threads that are named, goes on where it was, and tells a program so", async () => {
    await fillSqlite();
    const first = await json(source, "--thread", "sends", "--thread", "delta");
    expect(first).toMatchObject({ threads: 2, alreadyThere: 0, left: [], unreadable: [] });
    const second = await json(source);
    expect(second).toMatchObject({ threads: 4, alreadyThere: first.checkpoints });
  });

  it("says what it left, escaped, and exits with 1", async () => {
    const saver = SqliteSaver.fromConnString(source);
    const lost = await saver.put(thread(EVIL), checkpointOf({ amount: 1n }), LOOP);
    await saver.put(thread("fine"), checkpointOf({ amount: 1 }), LOOP);
    saver.db.close();
    const { code, stdout } = await waypoint(["import", source, "--db", db, "--thread", "fine", EVIL, "nobody"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/imported +1 thread, 1 checkpoint\n/);
    expect(stdout).toMatch(/left +nobody +the source has no such thread\n/);
    expect(stdout).toMatch(/left +evil \\x1b\[2J +the source cannot read its newest checkpoint\n/);
    expect(stdout).toMatch(new RegExp(`unreadable +evil .*${String(lost.configurable?.checkpoint_id)} +in its place`));
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("shows a bar where somebody looks, and takes it away again", async () => {
    await fillSqlite();
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 120, cursorTo() {}, clearLine() {} });
    const drawn: string[] = [];
    terminal.on("data", (text: Buffer) => drawn.push(text.toString()));
    const { code, stdout } = await waypoint(["import", source, "--db", db], { progress: terminal });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^imported/)]);
    expect(drawn.join("")).toMatch(/(\d+) of \1 checkpoints/);
    expect(drawn.join("").endsWith(CLEARED)).toBe(true);
  });
});

describe("waypoint import refuses, in one line, and creates nothing", () => {
  const free = "postgres://waypoint:secret@127.0.0.1:1/agents";

  async function refused(from: string): Promise<string> {
    const { code, stdout, stderr } = await waypoint(["import", from, "--db", db]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(existsSync(db)).toBe(false);
    return stderr;
  }

  it("a file that is not there, which stays so", async () => {
    expect(await refused(source)).toMatch(/no file .*old\.db/);
    expect(existsSync(source)).toBe(false);
  });

  it("a file that is no database, and one of somebody else", async () => {
    writeFileSync(source, "notes");
    expect(await refused(source)).toMatch(/not an SQLite database/);
    rmSync(source);
    const handle = new Database(source);
    handle.exec("CREATE TABLE checkpoints (name TEXT)");
    handle.close();
    expect(await refused(source)).toMatch(/no SqliteSaver has written to it/);
  });

  it("a database of a SlimSaver", async () => {
    await makeDatabase(source);
    expect(await refused(source)).toMatch(/was written by a SlimSaver: there is nothing to bring over/);
  });

  it.each(["mongodb://127.0.0.1/agents", "redis://127.0.0.1", "https://example.org/old.db"])("%s", async (url) => {
    expect(await refused(url)).toMatch(/cannot read ".*:\/\/…"/);
  });

  it("a server that does not answer, without its password", async () => {
    const said = await refused(free);
    expect(said).toMatch(/The Postgres database at 127\.0\.0\.1:1\/agents cannot be read: .*ECONNREFUSED/);
    expect(said).not.toMatch(/secret/);
  });

  it.each([
    ["-sqlite", () => source],
    ["-postgres", () => free],
  ])("the package langgraph-checkpoint%s that is not installed, and how to install it", async (name, from) => {
    await fillSqlite();
    const loader = Module as unknown as { _load(name: string, ...rest: unknown[]): unknown };
    const load = loader._load.bind(loader);
    const hiding = vi.spyOn(loader, "_load").mockImplementation((wanted, ...rest) => {
      if (wanted.endsWith(name)) throw Object.assign(new Error(`no ${wanted}`), { code: "MODULE_NOT_FOUND" });
      return load(wanted, ...rest);
    });
    onTestFinished(() => {
      hiding.mockRestore();
    });
    expect(await refused(from())).toMatch(new RegExp(`npm install @langchain/langgraph-checkpoint${name}\n`));
  });

  it("a Postgres database without the tables", async () => {
    expect(await refused(await postgres.database())).toMatch(/The schema "public" has no tables of a PostgresSaver/);
  });

  it("a target that is something else stays as it was", async () => {
    await fillSqlite();
    await fillSqlite(db);
    const before = hashOf(db);
    const { code, stderr } = await waypoint(["import", source, "--db", db]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no SlimSaver has written to it/)]);
    expect(hashOf(db)).toBe(before);
  });
});
