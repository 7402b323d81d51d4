import { closeSync, openSync, readSync, statSync } from "node:fs";
import type BetterSqlite3 from "better-sqlite3";
import { SlimSaver, aes256gcm, fileObjects } from "../checkpointer/index.js";
import { requireOptional } from "../shared/optional.js";
import { reasonOf } from "../store/encryption.js";
import { CommandFailure } from "./failure.js";
import { KEY_VARIABLE, keyFrom } from "./key.js";

export interface DatabaseOptions {
  readonly db: string;
  readonly tenant?: string;
  /** A file with the key of a sealed database. */
  readonly keyFile?: string;
  /** The folder with large contents. */
  readonly objects?: string;
}

/**
 * Opens a database that is there, gives it to `work`, and closes it. Nothing is created, and no table is added to a
 * database of somebody else.
 *
 * @throws CommandFailure when there is no such file, it is something else, or it is sealed and the key is missing
 */
export async function withDatabase<T>(options: DatabaseOptions, work: (saver: SlimSaver) => Promise<T>): Promise<T> {
  refuseOthers(options.db);
  const saver = opened(options);
  try {
    return await work(saver);
  } finally {
    await saver.close();
  }
}

/**
 * The same, but a database that is not there is created.
 *
 * @throws CommandFailure when the file is something else
 */
export async function withNewDatabase<T>(options: DatabaseOptions, work: (saver: SlimSaver) => Promise<T>): Promise<T> {
  if (statSync(options.db, { throwIfNoEntry: false }) !== undefined) return withDatabase(options, work);
  const saver = opened(options);
  return work(saver).finally(() => saver.close());
}

function opened({ db, tenant = "", keyFile, objects }: DatabaseOptions): SlimSaver {
  if (objects !== undefined) refuseNoFolder(objects);
  const key = keyFrom(keyFile, process.env);
  try {
    return SlimSaver.fromConnString(db, {
      tenant,
      ...(key === undefined ? {} : { encryption: aes256gcm(key) }),
      ...(objects === undefined ? {} : { objects: fileObjects(objects) }),
    });
  } catch (error) {
    if (reasonOf(error) === undefined) throw error;
    throw new CommandFailure(aboutTheKey(db, key, reasonOf(error) === "unmarked"));
  }
}

function aboutTheKey(db: string, key: Buffer | undefined, isPlain: boolean): string {
  if (key === undefined) return `"${db}" is sealed. Give its key with --key-file <path> or in ${KEY_VARIABLE}.`;
  if (isPlain) return `"${db}" is not sealed. Leave the key away (--key-file, ${KEY_VARIABLE}). It was not touched.`;
  return `"${db}" was sealed with another key than the one given (--key-file, ${KEY_VARIABLE}). It was not touched.`;
}

/** Nothing is brought into a folder that was mistyped. */
function refuseNoFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new CommandFailure(`There is no folder "${path}". Give the one that the agent's fileObjects was given.`);
}

const MAGIC = "SQLite format 3\0";

/** @throws CommandFailure when there is no such file, or it is no SQLite database; `advice` says what to give instead. */
export function refuseWhatIsNotSqlite(file: string, advice: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandFailure(`There is no file "${file}". ${advice}`);
  if (!found.isFile()) throw new CommandFailure(`"${file}" is not a file.`);
  if (beginningOf(file, MAGIC.length) !== MAGIC) {
    throw new CommandFailure(`"${file}" is not an SQLite database. It was not touched.`);
  }
}

function refuseOthers(file: string): void {
  refuseWhatIsNotSqlite(file, "Give the database that the agent's SlimSaver was opened with.");
  if (!hasOurTables(file)) {
    throw new CommandFailure(
      `"${file}" is an SQLite database, but no SlimSaver has written to it. It was not touched.`,
    );
  }
}

function beginningOf(file: string, length: number): string {
  const handle = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.toString("latin1", 0, readSync(handle, bytes, 0, length, 0));
  } finally {
    closeSync(handle);
  }
}

function hasOurTables(file: string): boolean {
  const handle = readOnly(file);
  try {
    return isOurs(handle);
  } finally {
    handle.close();
  }
}

/** Opens a database in which nothing can be changed. */
export function readOnly(file: string): BetterSqlite3.Database {
  const Database = requireOptional<typeof BetterSqlite3>("better-sqlite3", "The embedded SQLite store");
  return new Database(file, { readonly: true, fileMustExist: true });
}

/** Whether a SlimSaver has written to the database. */
export function isOurs(handle: BetterSqlite3.Database): boolean {
  return handle.prepare("SELECT 1 FROM sqlite_master WHERE name = 'waypoint_meta'").get() !== undefined;
}
