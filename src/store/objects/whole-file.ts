import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";

/** Only the owner of the process reads what is stored. */
export const MODE = { file: 0o600, folder: 0o700 } as const;

const TEMPORARY = /^[0-9a-f]+\.[0-9a-f]{16}\.tmp$/;

/** Whether a file of this name is what `writeWhole` writes to before it is whole. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Writes a file so that under its name there is never a part of it, also after a power cut: a new file in the same
 * folder is written and synced, then takes the name, then the folder is synced. A link that has the name is replaced, not
 * followed.
 */
export async function writeWhole(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(folder, `${name}.${randomBytes(8).toString("hex")}.tmp`);
  try {
    await writeSynced(temporary, bytes);
    await rename(temporary, join(folder, name));
  } catch (error) {
    // What cannot be removed now is removed as the leftover of a crash; the first error is the one to hear of.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

async function writeSynced(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, "wx", MODE.file);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A new name, or one that is gone, is on disk when its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return; // has no such call, and orders these itself
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The bytes of a regular file; undefined for whatever else has the name, a link too. */
export async function readRegular(file: string): Promise<Uint8Array | undefined> {
  const found = await lstat(file);
  if (!found.isFile()) return undefined;
  // A link or a pipe that takes its place meanwhile is neither followed nor waited for.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) return undefined;
    return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
}
