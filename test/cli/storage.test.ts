import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type {
  ListThreadsOptions,
  PruneReport,
  StorageStats,
  ThreadSummary,
  VerifyReport,
} from "../../src/checkpointer/index.js";
import { byteSize } from "../../src/cli/byte-sizes.js";
import { makeDatabase, THREADS } from "./fixture.js";
import { waypoint as runWaypoint } from "./run.js";
import type { Printed } from "./run.js";

let folder = "";
let db = "";

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "waypoint-cli-storage-"));
  db = join(folder, "agent.db");
  await makeDatabase(db);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function waypoint(...args: string[]): Promise<Printed> {
  return runWaypoint([...args, "--db", db]);
}

async function json<T>(...args: string[]): Promise<T> {
  return JSON.parse((await waypoint(...args, "--json")).stdout) as T;
}

interface Page {
  readonly threads: ThreadSummary[];
  readonly cursor?: string;
}

describe("waypoint threads", () => {
  it("lists every thread with its state, and no control character of its id", async () => {
    const { stdout, code } = await waypoint("threads");
    expect(code).toBe(0);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(stdout).toMatch(/waiting +waiting +step/);
    const { threads } = await json<Page>("threads");
    expect(threads.map(({ threadId }) => threadId).sort()).toEqual(Object.values(THREADS).sort());
  });

  it("pages, filters by state and searches", async () => {
    const first = await json<Page>("threads", "--limit", "1");
    const second = await json<Page>("threads", "--limit", "1", "--cursor", first.cursor ?? "");
    expect(second.threads[0]?.threadId).not.toBe(first.threads[0]?.threadId);
    expect((await json<Page>("threads", "--state", "failed")).threads.map(({ threadId }) => threadId)).toEqual([
      THREADS.failed,
    ]);
    expect((await json<Page>("threads", "--search", "asks")).threads).toHaveLength(1);
  });

  it.each([
    ["--limit", "0"],
    ["--limit", "many"],
    ["--state", "busy"],
    ["--cursor", "?"],
  ] satisfies [`--${keyof ListThreadsOptions}`, string][])("refuses %s %s in one line", async (option, value) => {
    const { code, stderr, stdout } = await waypoint("threads", option, value);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("waypoint stats, verify, prune and compact", () => {
  it("stats counts, of all threads and of one", async () => {
    const all = await json<StorageStats>("stats");
    const one = await json<StorageStats>("stats", "--thread", THREADS.waiting);
    expect([all.threads, one.threads]).toEqual([4, 1]);
    expect((await waypoint("stats")).stdout).toMatch(/threads +4\n/);
    expect((await waypoint("stats", "--thread", "nobody")).stderr).toMatch(/no thread "nobody"/);
  });

  it("verify says that all is whole, and exits with 1 when it is not", async () => {
    expect((await waypoint("verify")).code).toBe(0);
    const handle = new Database(db);
    handle.prepare("DELETE FROM waypoint_objects WHERE id = (SELECT max(id) FROM waypoint_objects)").run();
    handle.close();
    const { code, stdout } = await waypoint("verify");
    expect(code).toBe(1);
    expect(stdout).toMatch(/1 broken/);
    expect((await json<VerifyReport>("verify")).broken).toHaveLength(1);
  });

  it("prune removes what it said that it would, and the questions stay", async () => {
    const rehearsed = await json<PruneReport>("prune", "--keep", "latest", "--dry-run");
    expect(rehearsed.checkpoints).toBeGreaterThan(0);
    const { stdout } = await waypoint("prune", "--keep", "latest", "--dry-run");
    expect(stdout).toMatch(/would remove/);
    expect(await json("prune", "--keep", "latest")).toEqual({ ...rehearsed, dryRun: false });
    expect((await json<Page>("threads", "--state", "waiting")).threads).toHaveLength(3);
    expect((await waypoint("verify")).code).toBe(0);
    expect((await waypoint("compact")).stdout).toMatch(/of which 0 B free/);
  });

  it.each([["none"], ["0"], ["-1"]])("prune refuses --keep %s and removes nothing", async (keep) => {
    const before = await json<StorageStats>("stats");
    const { code, stderr } = await waypoint("prune", "--keep", keep);
    expect(code).toBe(1);
    expect(stderr).not.toBe("");
    expect(await json<StorageStats>("stats")).toEqual(before);
  });
});

describe("byteSize", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1400, "1.4 kB"],
    [14_400, "14 kB"],
    [5_300_000_000, "5.3 GB"],
  ])("%d is %s", (bytes, text) => {
    expect(byteSize(bytes)).toBe(text);
  });
});
