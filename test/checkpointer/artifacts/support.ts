import { createHash } from "node:crypto";
import { WaypointError } from "../../../src/shared/errors.js";
import { systemClock } from "../../../src/shared/clock.js";
import type { Clock } from "../../../src/shared/clock.js";
import type { ArtifactRef, SlimSaver } from "../../../src/checkpointer/index.js";
import { LOOP, checkpointOf, databaseOf, thread } from "../harness.js";

export { databaseOf, openSaver, temporaryFolder, thread } from "../harness.js";

/** A thread with one checkpoint. */
export async function begin(saver: SlimSaver, threadId: string): Promise<string> {
  const checkpoint = checkpointOf({ log: ["begun"] });
  await saver.put(thread(threadId), checkpoint, LOOP, checkpoint.channel_versions);
  return checkpoint.id;
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The error that a call ends with, which has to be one of the package. */
export async function errorOf(call: Promise<unknown>): Promise<WaypointError> {
  const error: unknown = await call.then(
    () => new Error("it ended without an error"),
    (thrown: unknown) => thrown,
  );
  if (!WaypointError.is(error)) throw error;
  return error;
}

export async function codeOf(call: Promise<unknown>): Promise<string> {
  return (await errorOf(call)).code;
}

export async function textOf(saver: SlimSaver, ref: ArtifactRef, threadId: string): Promise<string> {
  return (await saver.getArtifact(ref, { threadId })).text();
}

/** How many rows the tables of artifacts have: holdings, contents, uploads. */
export function rowsOf(saver: SlimSaver): [number, number, number] {
  const count = (table: string): number =>
    databaseOf(saver).get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
  return [count("waypoint_artifacts"), count("waypoint_artifact_contents"), count("waypoint_uploads")];
}

/** A clock that stands still until it is moved. */
export function clockAt(start: number): Clock & { forward(ms: number): void } {
  let at = start;
  return { now: () => at, sleep: systemClock.sleep, forward: (ms) => void (at += ms) };
}

export const HOUR = 3_600_000;
