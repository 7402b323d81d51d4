import type { SqliteDatabase } from "../store/sqlite/database.js";
import type { Archive } from "./archive.js";

/** Runs what reads; again where a part of it lies outside the database, when that has been brought. */
export function whole<T>({ outside }: Archive, work: () => T): T | Promise<T> {
  return outside === undefined ? work() : outside.complete(work);
}

/**
 * Runs what stores, in one transaction.
 *
 * @returns a promise only where there is a place outside: for what is brought from there, and then to there
 */
export function storing(database: SqliteDatabase, archive: Archive, work: () => void): Promise<void> | undefined {
  const store = (): void => {
    try {
      database.transaction(() => {
        archive.noticeCollections();
        work();
        archive.outside?.assertComplete();
      });
    } catch (error) {
      archive.forget();
      throw error;
    }
  };
  const { outside } = archive;
  if (outside !== undefined) return outside.complete(store).then(() => outside.settle());
  store();
  return undefined;
}
