import { WaypointError } from "../shared/errors.js";

/** Whether SQLite itself has failed, and not what was made of its rows. */
export function isDatabaseError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && code.startsWith("SQLITE_");
}

/** The database file cannot be opened, created, read or written: rights, space, or a lock that another process holds. */
export class StoreUnavailableError extends WaypointError {
  readonly code = "STORE_UNAVAILABLE";
}

/** The file exists and is not an SQLite database, or a damaged one; it was not touched. */
export class NotADatabaseError extends WaypointError {
  readonly code = "NOT_A_DATABASE";
}

/** The database was written by a newer version of this package; it was not touched. */
export class SchemaVersionError extends WaypointError {
  readonly code = "SCHEMA_VERSION";
}

/** The store was used after `close()`. */
export class StoreClosedError extends WaypointError {
  readonly code = "STORE_CLOSED";
}

/** A folder or service for large contents cannot be read or written; nothing was half-stored. */
export class ObjectsUnavailableError extends WaypointError {
  readonly code = "OBJECTS_UNAVAILABLE";
}

/** A sealed value cannot be opened: another key, a changed value, or one that is not sealed at all. It is never guessed at. */
export class DecryptionError extends WaypointError {
  readonly code = "DECRYPTION_FAILED";
}
