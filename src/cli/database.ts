import { closeSync, openSync, readSync, statSync } from "node:fs";
import type BetterSqlite3 from "better-sqlite3";
import { SlimSaver } from "../checkpointer/index.js";
import { requireOptional } from "../shared/optional.js";
import { CommandFailure } from "./failure.js";

export interface DatabaseOptions {
  readonly db: string;
  readonly tenant?: string;
}

/**
 * Opens a database that is there, gives it to `work`, and closes it. Nothing is created, and no table is added to a
 * database of somebody else.
 *
 * @throws CommandFailure when there is no such file, or it is something else
 */
export async function withDatabase<T>(
  { db, tenant = "" }: DatabaseOptions,
  work: (saver: SlimSaver) => Promise<T>,
): Promise<T> {
  refuseOthers(db);
  const saver = SlimSaver.fromConnString(db, { tenant });
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
  const saver = SlimSaver.fromConnString(options.db, { tenant: options.tenant ?? "" });
  return work(saver).finally(() => saver.close());
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
