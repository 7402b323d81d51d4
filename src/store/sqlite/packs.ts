import { hash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { SqliteDatabase } from "./database.js";

const HASH_LENGTH = 16;
const DEFLATE_LEVEL = 6;
/** zlib allocates its output in chunks of this length; a pack is hardly longer. */
const CHUNK = 65_536;
/** Unpacked ones kept in memory: those that read a list need each but once. */
const PACKS_KEPT = 4;
/** Ends the line of ids and each text but the last: JSON has none of its own. */
const END = "\n";

/** Texts by the ids of their objects. */
export type Members = ReadonlyMap<number, string>;

export interface PackSize {
  readonly members: number;
  readonly bytes: number;
}

/**
 * Texts of many objects in one row: deflated together they take a quarter less than one by one, and one inflation gives
 * all of them. A pack never changes; when one of its objects goes, the others move into another.
 */
export class PackTable {
  private readonly known = new Map<number, Members>();

  constructor(private readonly database: SqliteDatabase) {}

  /** @param members at least one; no text may hold a line break */
  insert(members: Members): number {
    const plain = Buffer.from([[...members.keys()].join(" "), ...members.values()].join(END));
    const data = Buffer.concat([hashOf(plain), deflateRawSync(plain, { level: DEFLATE_LEVEL, chunkSize: CHUNK })]);
    const sql = "INSERT INTO waypoint_packs (members, data) VALUES (?, ?)";
    return Number(this.database.run(sql, members.size, data).lastInsertRowid);
  }

  /** What is in a pack; undefined when it is missing or damaged. */
  members(id: number): Members | undefined {
    const known = this.known.get(id);
    if (known !== undefined) return known;
    const row = this.database.get<{ data: unknown }>("SELECT data FROM waypoint_packs WHERE id = ?", id);
    const members = row && membersIn(row.data);
    if (members !== undefined) this.keep(id, members);
    return members;
  }

  private keep(id: number, members: Members): void {
    for (const oldest of this.known.keys()) {
      if (this.known.size < PACKS_KEPT) break;
      this.known.delete(oldest);
    }
    this.known.set(id, members);
  }

  /** Of all packs, by id. */
  sizes(): Map<number, PackSize> {
    const sql = "SELECT id, members, length(data) AS bytes FROM waypoint_packs";
    const rows = this.database.all<PackSize & { id: number }>(sql);
    return new Map(rows.map(({ id, members, bytes }) => [id, { members, bytes }]));
  }

  delete(id: number): void {
    this.known.delete(id);
    this.database.run("DELETE FROM waypoint_packs WHERE id = ?", id);
  }

  /** After a rollback, an id may come to stand for another pack. */
  forget(): void {
    this.known.clear();
  }
}

function membersIn(data: unknown): Members | undefined {
  const plain = Buffer.isBuffer(data) ? inflated(data.subarray(HASH_LENGTH)) : undefined;
  if (plain === undefined || !hashOf(plain).equals((data as Buffer).subarray(0, HASH_LENGTH))) return undefined;
  const [ids = "", ...texts] = plain.toString().split(END);
  const members = new Map<number, string>();
  for (const [index, id] of ids.split(" ").entries()) members.set(Number(id), texts[index] ?? "");
  return members;
}

function hashOf(plain: Buffer): Buffer {
  return hash("sha256", plain, "buffer").subarray(0, HASH_LENGTH);
}

function inflated(bytes: Buffer): Buffer | undefined {
  try {
    return inflateRawSync(bytes, { chunkSize: CHUNK });
  } catch {
    return undefined;
  }
}
