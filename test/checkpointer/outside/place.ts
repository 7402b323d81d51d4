import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileObjects } from "../../../src/checkpointer/index.js";
import type { ObjectStore, SlimSaver } from "../../../src/checkpointer/index.js";
import { LOOP, checkpointOf, databaseOf, temporaryFolder, thread } from "../harness.js";

/** A database, and the folder with what lies outside it. */
export interface Place {
  readonly file: string;
  readonly dir: string;
  readonly objects: ObjectStore;
}

export function placeOf(): Place {
  const folder = temporaryFolder();
  const dir = join(folder, "objects");
  return { file: join(folder, "agent.db"), dir, objects: fileObjects(dir) };
}

export function filesIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** How many objects lie outside, and how many of the rows inside are large. */
export function places(saver: SlimSaver): { outside: number; large: number } {
  const count = (where: string): number =>
    databaseOf(saver).get<{ n: number }>(`SELECT count(*) AS n FROM waypoint_objects WHERE ${where}`)?.n ?? 0;
  return {
    outside: count("typeof(data) = 'text'"),
    large: count("typeof(data) = 'blob' AND length(data) > 60000"),
  };
}

export async function store(saver: SlimSaver, name: string, values: Record<string, unknown>): Promise<void> {
  const checkpoint = checkpointOf(values);
  await saver.put(thread(name), checkpoint, LOOP, checkpoint.channel_versions);
}

export async function valuesOf(saver: SlimSaver, name: string): Promise<Record<string, unknown> | undefined> {
  return (await saver.getTuple(thread(name)))?.checkpoint.channel_values;
}
