import type { SqliteDatabase } from "../store/sqlite/database.js";

/** How much is stored. Bytes are those of the columns, without SQLite's own overhead; `file` has that too. */
export interface StorageStats {
  readonly threads: number;
  readonly namespaces: number;
  readonly checkpoints: number;
  readonly writes: number;
  readonly objects: number;
  /** Of rows of checkpoints and writes. */
  readonly rowBytes: number;
  /** Of objects, as stored (compressed where it pays). */
  readonly objectBytes: number;
  /** Artifacts that threads hold; one that two threads hold counts twice. */
  readonly artifacts: number;
  /** Of their contents, as stored, each once; those in an object store too. */
  readonly artifactBytes: number;
  /** Of the database file, with its free pages; for the whole database. */
  readonly fileBytes: number;
  readonly freeBytes: number;
}

export function pageBytes(database: SqliteDatabase): Pick<StorageStats, "fileBytes" | "freeBytes"> {
  const pragma = (name: string): number =>
    Object.values(database.get<Record<string, number>>(`PRAGMA ${name}`) ?? {})[0] ?? 0;
  const size = pragma("page_size");
  return { fileBytes: pragma("page_count") * size, freeBytes: pragma("freelist_count") * size };
}
