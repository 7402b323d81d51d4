import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { SqliteDatabase } from "./database.js";

/** How the bytes of an object are kept. The hash is over the plain bytes, so that both forms are the same object. */
const CODEC = { plain: 1, deflated: 2 } as const;

const DEFLATE_FROM = 96;
const DEFLATE_LEVEL = 6;

interface ObjectRow {
  readonly id: number;
  /** Bytes, unless somebody wrote into the table. */
  readonly hash: unknown;
  readonly codec: number;
  readonly data: unknown;
}

export interface Fingerprint {
  readonly hash: Buffer;
  /** The first 48 bits of the hash: the indexed column. */
  readonly key: number;
}

/** The table of immutable, content-hashed pieces. One row for one content within a tenant. */
export class ObjectTable {
  constructor(
    private readonly database: SqliteDatabase,
    private readonly tenant: string,
  ) {}

  fingerprint(text: string): Fingerprint {
    const hash = createHash("sha256").update(`${this.tenant}\0json\0`).update(text).digest();
    return { hash, key: hash.readUIntBE(0, 6) };
  }

  find({ hash, key }: Fingerprint): number | undefined {
    const rows = this.database.all<{ id: number; hash: unknown }>(
      "SELECT id, hash FROM waypoint_objects WHERE key = ?",
      key,
    );
    return rows.find((row) => hash.equals(bytesOf(row.hash)))?.id;
  }

  insert(text: string, { hash, key }: Fingerprint): number {
    const bytes = Buffer.from(text);
    const deflated = bytes.length >= DEFLATE_FROM ? deflateRawSync(bytes, { level: DEFLATE_LEVEL }) : bytes;
    const pays = deflated.length < bytes.length;
    const result = this.database.run(
      "INSERT INTO waypoint_objects (key, hash, codec, data) VALUES (?, ?, ?, ?)",
      key,
      hash,
      pays ? CODEC.deflated : CODEC.plain,
      pays ? deflated : bytes,
    );
    return Number(result.lastInsertRowid);
  }

  /** The text of an object of any tenant, not checked against its hash. */
  readUnchecked(id: number): { text: string } | "missing" | "corrupt" {
    const row = this.row(id);
    if (row === undefined) return "missing";
    const text = plainText(row);
    return text === undefined ? "corrupt" : { text };
  }

  /** The text of an object, checked against its hash; `"missing"` or `"corrupt"` where it cannot be had. */
  read(id: number): { text: string } | "missing" | "corrupt" {
    const row = this.row(id);
    if (row === undefined) return "missing";
    const text = plainText(row);
    return text !== undefined && this.fingerprint(text).hash.equals(bytesOf(row.hash)) ? { text } : "corrupt";
  }

  private row(id: number): ObjectRow | undefined {
    return this.database.get<ObjectRow>("SELECT id, hash, codec, data FROM waypoint_objects WHERE id = ?", id);
  }
}

function bytesOf(column: unknown): Buffer {
  return Buffer.isBuffer(column) ? column : Buffer.alloc(0);
}

function plainText(row: ObjectRow): string | undefined {
  const bytes = bytesOf(row.data);
  if (row.codec === CODEC.plain) return bytes.toString();
  try {
    return inflateRawSync(bytes).toString();
  } catch {
    return undefined;
  }
}
