import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { SlimSaver } from "../../src/checkpointer/index.js";
import type { SlimSaverOptions } from "../../src/checkpointer/index.js";
import { storeOf } from "../../src/store/home.js";
import type { SqliteDatabase } from "../../src/store/sqlite/database.js";

export { LOOP, checkpointOf, thread } from "./checkpoints.js";

/** A folder of its own for one test, removed after it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "waypoint-test-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A saver that is closed when the test ends. */
export function openSaver(conn = ":memory:", options: SlimSaverOptions = {}): SlimSaver {
  const saver = SlimSaver.fromConnString(conn, options);
  onTestFinished(() => saver.close());
  return saver;
}

export function databaseOf(saver: SlimSaver): SqliteDatabase {
  const store = storeOf(saver);
  if (store === undefined) throw new Error("not a SlimSaver");
  return store.database;
}
