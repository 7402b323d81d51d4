import { lstat, mkdir, readdir, rm, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { systemClock } from "../../shared/clock.js";
import { InvalidInputError } from "../../shared/errors.js";
import { ObjectsUnavailableError } from "../errors.js";
import { checkPrefix, isKey, keyParts } from "./object-store.js";
import type { ObjectStore } from "./object-store.js";
import { MODE, isTemporary, readRegular, syncFolder, writeWhole } from "./whole-file.js";

const SHARD = /^[0-9a-f]{2}$/;
/** What a crash left half-written stays this long, in case it is no crash but a slow disk. */
const LEFTOVER_AFTER_MS = 86_400_000;

/**
 * Large contents in a folder: `<prefix>/ab/cdef…`, a file each, which only this user may read.
 *
 * - A file is whole or not there, also after a crash or a power cut; its name is a hash and nothing else.
 * - Links below the folder are not followed.
 * - The folder is made when something is put. Several processes may use it; several databases too.
 *
 * @param dir the folder; a relative path counts from the working directory at this moment
 * @throws InvalidInputError; what the disk refuses later is an ObjectsUnavailableError
 * @example SlimSaver.fromConnString("agent.db", { objects: fileObjects("agent-objects") });
 */
export function fileObjects(dir: string): ObjectStore {
  if (typeof dir === "string" && dir.trim() !== "" && !dir.includes("\0")) return new FileObjects(resolve(dir));
  throw new InvalidInputError("fileObjects needs the path of a folder.");
}

class FileObjects implements ObjectStore {
  constructor(private readonly dir: string) {}

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const { folders, name } = this.placeOf(key);
    await this.using("written", async () => {
      for (const folder of folders) await makeFolder(folder);
      await this.refuseLinks(folders);
      await writeWhole(folders[2], name, bytes);
    });
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const { folders, name } = this.placeOf(key);
    return this.using("read", () =>
      unlessAbsent(async () => ((await areReal(folders)) ? readRegular(join(folders[2], name)) : undefined)),
    );
  }

  async delete(key: string): Promise<void> {
    const { folders, name } = this.placeOf(key);
    await this.using("written", () =>
      unlessAbsent(async () => {
        if (!(await areReal(folders))) return;
        await unlink(join(folders[2], name));
        await syncFolder(folders[2]);
      }),
    );
  }

  /** Leaves out what a crash left half-written, and removes it when it is more than a day old. */
  async *list(prefix: string): AsyncGenerator<string> {
    checkPrefix(prefix);
    const top = join(this.dir, prefix);
    for (const shard of await this.entries(top, (entry) => entry.isDirectory() && SHARD.test(entry.name))) {
      const folder = join(top, shard);
      for (const name of await this.entries(folder, (entry) => entry.isFile())) {
        const key = `${prefix}/${shard}${name}`;
        if (isKey(key)) yield key;
        else if (isTemporary(name)) await this.using("written", () => removeLeftover(join(folder, name)));
      }
    }
  }

  private placeOf(key: string): { folders: [string, string, string]; name: string } {
    const { prefix, hash } = keyParts(key);
    const top = join(this.dir, prefix);
    return { folders: [this.dir, top, join(top, hash.slice(0, 2))], name: hash.slice(2) };
  }

  private async entries(folder: string, wanted: (entry: Entry) => boolean): Promise<string[]> {
    const found = await this.using("read", () =>
      unlessAbsent(async () => ((await isRealFolder(folder)) ? readdir(folder, { withFileTypes: true }) : undefined)),
    );
    return (found ?? []).filter(wanted).map(({ name }) => name);
  }

  private async refuseLinks(folders: readonly string[]): Promise<void> {
    if (await areReal(folders)) return;
    throw new ObjectsUnavailableError(
      `A part of "${folders.at(-1) ?? ""}" is a link or no folder, and is not followed. Nothing was stored. ` +
        `Remove what stands there.`,
      { details: { path: folders.at(-1) } },
    );
  }

  private async using<T>(what: "read" | "written", work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.asOurs(error, what);
    }
  }

  private asOurs(error: unknown, what: "read" | "written"): unknown {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!(error instanceof Error) || typeof code !== "string" || !/^E[A-Z0-9]+$/.test(code)) return error;
    return new ObjectsUnavailableError(
      `The folder for large contents "${this.dir}" cannot be ${what}: ${message}. Nothing was half-stored. ` +
        `Check that it is a folder, that this process may read and write in it, and that the disk has space.`,
      { cause: error, details: { path: this.dir } },
    );
  }
}

interface Entry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** The folder itself may be a link that its owner made; what is below it was made here, and is none. */
async function areReal([, ...below]: readonly string[]): Promise<boolean> {
  for (const folder of below) if (!(await isRealFolder(folder))) return false;
  return true;
}

async function isRealFolder(folder: string): Promise<boolean> {
  return (await lstat(folder)).isDirectory();
}

async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: MODE.folder });
  if (first !== undefined) await syncFolder(dirname(first));
}

async function unlessAbsent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function removeLeftover(file: string): Promise<void> {
  await unlessAbsent(async () => {
    const { mtimeMs } = await lstat(file);
    if (mtimeMs < systemClock.now() - LEFTOVER_AFTER_MS) await rm(file, { force: true });
  });
}
