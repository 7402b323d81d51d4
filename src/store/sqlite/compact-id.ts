import { NotADatabaseError } from "../errors.js";

/**
 * Ids as SQLite keeps them: a UUID in its usual form as 16 bytes, every other text as it is. Bytes compare as the texts
 * they stand for do.
 */
export type CompactId = Buffer | string;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function compactId(id: string): CompactId {
  return UUID.test(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : id;
}

/** @throws NotADatabaseError for what is no stored id. */
export function fullId(stored: unknown): string {
  if (typeof stored === "string") return stored;
  if (!Buffer.isBuffer(stored) || stored.length !== 16) {
    throw new NotADatabaseError("The database is damaged: what is stored as an id is none. Restore it from a backup.");
  }
  const hex = stored.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
