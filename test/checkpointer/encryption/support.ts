import { SlimSaver } from "../../../src/checkpointer/index.js";
import type { Encryption, SlimSaverOptions } from "../../../src/checkpointer/index.js";
import { WaypointError } from "../../../src/shared/errors.js";
import { storeOf } from "../../../src/store/home.js";
import { databaseOf } from "../harness.js";

export { begin, databaseOf, errorOf, openSaver, temporaryFolder, thread } from "../artifacts/support.js";

/** Why a database cannot be opened with these options. */
export function reasonOfOpening(file: string, options: SlimSaverOptions): unknown {
  try {
    void SlimSaver.fromConnString(file, options).close();
  } catch (error) {
    if (WaypointError.is(error)) return error.details.reason;
    throw error;
  }
  return "it can be opened";
}

/** Writes into the database that its tenant is sealed with this key, or with none: what somebody with the file could do. */
export function proveFor(saver: SlimSaver, encryption: Encryption | undefined): void {
  const database = databaseOf(saver);
  const tenant = storeOf(saver)?.tenant ?? "";
  database.run("DELETE FROM waypoint_seals WHERE tenant = ?", tenant);
  if (encryption === undefined) return;
  const proof = encryption.seal(Buffer.from("langgraph-waypoint"), JSON.stringify(["tenant", tenant]));
  database.run("INSERT INTO waypoint_seals (tenant, proof) VALUES (?, ?)", tenant, proof);
}
