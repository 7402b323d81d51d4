import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { SlimSaver, StoreUnavailableError } from "../../src/checkpointer/index.js";
import { Child } from "../child.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";

const OPENER = new URL("./fixtures/opener.ts", import.meta.url);

const tablesIn = (path: string): string[] => {
  const handle = new Database(path, { readonly: true });
  const rows = handle.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'waypoint_%'").all();
  handle.close();
  return (rows as { name: string }[]).map(({ name }) => name);
};

describe("the first call on a new file may be", () => {
  it.each<[string, (saver: SlimSaver) => Promise<unknown>, unknown]>([
    ["getTuple", (saver) => saver.getTuple(thread("t")), undefined],
    ["list", async (saver) => (await saver.list({}).next()).done, true],
    [
      "put",
      async (saver) => (await saver.put(thread("t"), checkpointOf({}), LOOP, {})).configurable?.checkpoint_ns as string,
      "",
    ],
    ["putWrites", (saver) => saver.putWrites(thread("t", "c"), [["a", 1]], "task"), undefined],
    ["deleteThread", (saver) => saver.deleteThread("t"), undefined],
    ["deleteForRuns", (saver) => saver.deleteForRuns(["r"]), undefined],
    ["prune", async (saver) => (await saver.prune({ keep: "latest" })).checkpoints, 0],
    ["listThreads", async (saver) => (await saver.listThreads()).threads, []],
    ["position", (saver) => saver.position("t"), undefined],
    ["stats", async (saver) => (await saver.stats()).checkpoints, 0],
    ["verify", async (saver) => (await saver.verify()).ok, true],
    ["compact", (saver) => saver.compact(), undefined],
    ["setup", (saver) => saver.setup(), undefined],
  ])("%s (R47)", async (_method, call, expected) => {
    expect(await call(openSaver(join(temporaryFolder(), "agent.db")))).toEqual(expected);
  });
});

describe("setting a file up", () => {
  it("makes all tables or none (R48)", () => {
    const path = join(temporaryFolder(), "agent.db");
    const handle = new Database(path);
    // A view of that name cannot be indexed, so that the later tables fail after the first ones were made.
    handle.exec("CREATE VIEW waypoint_objects AS SELECT 1 AS key");
    handle.close();
    expect(() => SlimSaver.fromConnString(path)).toThrow(StoreUnavailableError);
    expect(tablesIn(path)).toEqual([]);
  });

  it("leaves a file that is set up as it is (R48)", async () => {
    const path = join(temporaryFolder(), "agent.db");
    const first = SlimSaver.fromConnString(path);
    const checkpoint = checkpointOf({ a: 1 });
    await first.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
    await first.close();
    const tables = tablesIn(path);
    const again = openSaver(path);
    await again.setup();
    await again.setup();
    expect(tablesIn(path)).toEqual(tables);
    expect((await again.getTuple(thread("t")))?.checkpoint.channel_values).toEqual({ a: 1 });
  });

  it("succeeds for all of 24 that open a new file at once, in six processes (R49)", { timeout: 90_000 }, async () => {
    const file = join(temporaryFolder(), "agent.db");
    const openers = Array.from({ length: 6 }, () => Child.start(OPENER, { file, times: 4 }));
    await Promise.all(openers.map((opener) => opener.message()));
    for (const opener of openers) opener.send({ go: true });
    const ends = await Promise.all(openers.map((opener) => opener.ended()));
    expect(ends.map(({ messages, stderr }) => [messages.at(-1), stderr])).toEqual(
      openers.map(() => [{ opened: 4 }, ""]),
    );
    expect(await openSaver(file).verify()).toMatchObject({ ok: true });
  });
});
