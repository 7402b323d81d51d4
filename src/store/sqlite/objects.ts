import { hash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { reasonOf, unmarked, withoutKey } from "../encryption.js";
import type { Sealing } from "../sealing.js";
import { bufferOf, contextOf } from "../sealing.js";
import type { SqliteDatabase } from "./database.js";
import { BUILT_IN_DICTIONARY } from "./dictionary.js";
import { OutsideTable } from "./outside.js";
import { PackTable } from "./packs.js";
import type { Members } from "./packs.js";

/**
 * How the bytes of an object are kept: as they are, or deflated with the built-in dictionary; a number above 0 is the
 * pack that has them. The hash is over the plain text, so that all forms are the same object.
 */
const CODEC = { plain: 0, deflated: -1 } as const;

/** Bytes of the hash that stand in the indexed column. */
const KEY_LENGTH = 6;
const DEFLATE_FROM = 64;
/** Higher ones take longer and save nothing in texts of this length. */
const DEFLATE_LEVEL = 5;
const USUAL_RATIO = 4;
/** Of an object whose text is in a pack. */
const NO_DATA = Buffer.alloc(0);
const SHORTEST_CHUNK = 512;
const LONGEST_CHUNK = 65_536;

interface ObjectRow {
  readonly id: number;
  /** Bytes, unless somebody wrote into the table. */
  readonly key: unknown;
  readonly hash: unknown;
  readonly codec: number;
  /** Null for one that is not sealed. */
  readonly owner: number | null;
  readonly data: unknown;
}

const OBJECTS = "SELECT id, key, hash, codec, owner, data FROM waypoint_objects";

export interface Fingerprint {
  /** SHA-256; with encryption a keyed hash, so that nobody without the key can try what a piece says. */
  readonly hash: Buffer;
  /** Its first 6 bytes as a number: the indexed column. */
  readonly key: number;
}

/** `elsewhere`: outside the database, and not brought. */
export type Found = { readonly text: string } | "missing" | "corrupt" | "elsewhere";

/** A try to read, some of which may lie outside the database. */
export interface Attempt {
  /** Objects that were asked for and are not there yet. */
  readonly missing: Set<number>;
  /** Objects that were brought for it; undefined: there is none in the place outside. */
  readonly brought: Map<number, Uint8Array | undefined>;
}

/** Stands for an object that is not there yet, in a try whose outcome is thrown away. */
const NOT_YET: Found = { text: '""' };

/** The table of immutable, content-hashed pieces. One row for one content within a tenant. */
export class ObjectTable {
  private readonly packs: PackTable;
  /** The try that is under way; without one, what lies outside the database cannot be read. */
  attempt: Attempt | undefined;
  /** Told of each new object that refers to no other and is stored in more bytes than may stay inside. */
  large: { readonly above: number; tell(id: number, bytes: number): void } | undefined;
  private readonly owner: number | null;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly sealing: Sealing,
  ) {
    this.packs = new PackTable(database);
    this.owner = ownerOf(sealing);
  }

  fingerprint(text: string): Fingerprint {
    const { tenant, encryption } = this.sealing;
    const digest =
      encryption === undefined
        ? hash("sha256", `${tenant}\0json\0${text}`, "buffer")
        : encryption.fingerprint(Buffer.from(`object\0${tenant}\0json\0${text}`));
    return { hash: digest, key: digest.readUIntBE(0, KEY_LENGTH) };
  }

  find({ hash, key }: Fingerprint): number | undefined {
    const rows = this.database.all<{ id: number; hash: unknown }>(
      "SELECT id, hash FROM waypoint_objects WHERE key = ?",
      key,
    );
    return rows.find((row) => hasRest(row.hash, hash))?.id;
  }

  /** @param isLeaf whether it refers to no other object; asked only when that matters */
  insert(text: string, fingerprint: Fingerprint, isLeaf: () => boolean = () => false): number {
    const bytes = Buffer.from(text);
    const { codec, data } = encoded(bytes);
    const id =
      this.sealing.encryption === undefined
        ? this.insertPlain(codec, data, fingerprint)
        : this.insertSealed(codec, data, fingerprint);
    if (this.large !== undefined && data.length > this.large.above && isLeaf()) this.large.tell(id, data.length);
    return id;
  }

  private insertPlain(codec: number, data: Buffer, { hash, key }: Fingerprint): number {
    const result = this.database.run(
      "INSERT INTO waypoint_objects (key, hash, codec, data) VALUES (?, ?, ?, ?)",
      key,
      hash.subarray(KEY_LENGTH),
      codec,
      data,
    );
    return Number(result.lastInsertRowid);
  }

  /** Bound to its id, so that of two objects none stands in the other's place; the id is known in a transaction only. */
  private insertSealed(codec: number, data: Buffer, { hash, key }: Fingerprint): number {
    const last = this.database.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'waypoint_objects'");
    const id = (last?.seq ?? 0) + 1;
    this.database.run(
      "INSERT INTO waypoint_objects (id, key, hash, codec, data, owner) VALUES (?, ?, ?, ?, ?, ?)",
      id,
      key,
      hash.subarray(KEY_LENGTH),
      codec,
      this.sealing.encryption?.seal(data, this.contextOf(id, codec)),
      this.owner,
    );
    return id;
  }

  /**
   * Moves texts of objects into packs of their own, those of one call into one. What is in a pack already, is not there,
   * lies outside the database or is to be brought there, or is one alone, stays as it is.
   */
  pack(ids: readonly number[]): void {
    const members = new Map<number, string>();
    const outside = new OutsideTable(this.database, this.sealing.tenant);
    for (const row of ids.flatMap((id) => this.row(id) ?? [])) {
      const text = row.codec > 0 || outside.has(row.id) ? undefined : this.textOf(row);
      if (text !== undefined) members.set(row.id, text);
    }
    if (members.size > 1) this.move(members, this.packs.insert(members));
  }

  /** The rows are written anew: SQLite joins pages that a deletion has emptied, not those that an update has. */
  private move(members: Members, pack: number): void {
    const rows = [...members.keys()].map((id) => this.row(id) as ObjectRow);
    for (const { id } of rows) this.database.run("DELETE FROM waypoint_objects WHERE id = ?", id);
    for (const { id, key, hash } of rows) {
      this.database.run(
        "INSERT INTO waypoint_objects (id, key, hash, codec, data) VALUES (?, ?, ?, ?, ?)",
        id,
        key,
        hash,
        pack,
        NO_DATA,
      );
    }
  }

  /** Empties the packs of objects that are about to go: the others move, so that nothing of the text is left. */
  leavePacks(going: ReadonlySet<number>): void {
    const packs = new Set([...going].map((id) => this.row(id)?.codec ?? CODEC.plain).filter((codec) => codec > 0));
    for (const pack of packs) this.leavePack(pack, going);
  }

  private leavePack(pack: number, going: ReadonlySet<number>): void {
    const staying = new Map([...(this.packs.members(pack) ?? [])].filter(([id]) => !going.has(id)));
    if (staying.size > 1) this.move(staying, this.packs.insert(staying));
    else for (const [id, text] of staying) this.standAlone(id, text);
    this.packs.delete(pack);
  }

  private standAlone(id: number, text: string): void {
    const { codec, data } = encoded(Buffer.from(text));
    this.database.run("UPDATE waypoint_objects SET codec = ?, data = ? WHERE id = ?", codec, data, id);
  }

  /** The text of an object of any tenant, not checked against its hash. */
  readUnchecked(id: number): Found {
    const row = this.row(id);
    return row === undefined ? "missing" : this.found(row, undefined, () => true);
  }

  /** The text of an object, checked against its hash; or why it cannot be had. */
  read(id: number): Found {
    return this.readWith(id, this.attempt);
  }

  readWith(id: number, attempt: Attempt | undefined): Found {
    const row = this.row(id);
    return row === undefined ? "missing" : this.found(row, attempt, (text) => this.isOf(row, text));
  }

  private found(row: ObjectRow, attempt: Attempt | undefined, isIt: (text: string) => boolean): Found {
    if (typeof row.data === "string") {
      const data = this.brought(row.id, attempt);
      return Buffer.isBuffer(data) ? this.found({ ...row, data }, attempt, isIt) : data;
    }
    const text = this.textOf(row);
    return text !== undefined && isIt(text) ? { text } : "corrupt";
  }

  /** The data of an object outside, or what is to be said in its place. */
  private brought(id: number, attempt: Attempt | undefined): Buffer | Found {
    if (attempt === undefined) return "elsewhere";
    const data = attempt.brought.get(id);
    if (data !== undefined) return bufferOf(data);
    if (attempt.brought.has(id)) return "missing";
    attempt.missing.add(id);
    return NOT_YET;
  }

  private isOf(row: ObjectRow, text: string): boolean {
    const { hash, key } = this.fingerprint(text);
    return row.key === key && hasRest(row.hash, hash);
  }

  /**
   * Several at once. Ids that have no row are left out; so is what does not match its hash, or that of its pack, and what
   * is not there yet.
   */
  readAll(ids: readonly number[]): Map<number, string> {
    const texts = new Map<number, string>();
    const wanted = new Set(ids);
    for (const id of ids) {
      if (!texts.has(id)) this.readAmong(id, wanted, texts);
    }
    return texts;
  }

  /** Reads an object, and of its pack whatever else is wanted. */
  private readAmong(id: number, wanted: ReadonlySet<number>, texts: Map<number, string>): void {
    const row = this.row(id);
    if (row === undefined) return;
    if (row.codec > 0) {
      for (const [member, text] of this.packs.members(row.codec) ?? []) if (wanted.has(member)) texts.set(member, text);
      return;
    }
    const found = this.found(row, this.attempt, (text) => this.isOf(row, text));
    if (typeof found !== "string" && found !== NOT_YET) texts.set(id, found.text);
  }

  /** Forgets what was cached: after a rollback, ids may name other rows. */
  forget(): void {
    this.packs.forget();
  }

  /** @throws DecryptionError for another key, and where sealed and plain are mixed up */
  private textOf(row: ObjectRow): string | undefined {
    if (row.codec > 0) return this.packs.members(row.codec)?.get(row.id);
    const bytes = this.opened(row);
    if (bytes === undefined || row.codec === CODEC.plain) return bytes?.toString();
    return row.codec === CODEC.deflated ? inflated(bytes)?.toString() : undefined;
  }

  private opened({ id, codec, owner, data }: ObjectRow): Buffer | undefined {
    const { encryption } = this.sealing;
    if (encryption === undefined && owner === null) return bytesOf(data);
    const context = this.contextOf(id, codec);
    if (encryption === undefined) throw withoutKey(context);
    if (owner === null) throw unmarked(context);
    try {
      return bufferOf(encryption.open(bytesOf(data), context));
    } catch (error) {
      if (reasonOf(error) === "changed") return undefined;
      throw error;
    }
  }

  private contextOf(id: number, codec: number): string {
    return contextOf(this.sealing, ["object", id, codec]);
  }

  private row(id: number): ObjectRow | undefined {
    return this.database.get<ObjectRow>(`${OBJECTS} WHERE id = ?`, id);
  }
}

/** Stands for key and tenant in the row of a sealed object, and tells neither. Null without encryption. */
export function ownerOf({ tenant, encryption }: Sealing): number | null {
  const name = JSON.stringify(["waypoint", "objects", tenant]);
  return encryption?.fingerprint(Buffer.from(name)).readUIntBE(0, KEY_LENGTH) ?? null;
}

/** Whether a column holds the part of a hash that is not its key. */
function hasRest(column: unknown, hash: Buffer): boolean {
  return hash.subarray(KEY_LENGTH).equals(bytesOf(column));
}

function bytesOf(column: unknown): Buffer {
  return Buffer.isBuffer(column) ? column : Buffer.alloc(0);
}

/** zlib allocates its output in chunks of this length, 16 KB unless told. */
function chunkFor(length: number): number {
  return Math.min(Math.max(length, SHORTEST_CHUNK), LONGEST_CHUNK);
}

function encoded(bytes: Buffer): { codec: number; data: Buffer } {
  if (bytes.length < DEFLATE_FROM) return { codec: CODEC.plain, data: bytes };
  const deflated = deflateRawSync(bytes, {
    level: DEFLATE_LEVEL,
    dictionary: BUILT_IN_DICTIONARY,
    chunkSize: chunkFor(bytes.length),
  });
  if (deflated.length >= bytes.length) return { codec: CODEC.plain, data: bytes };
  return { codec: CODEC.deflated, data: deflated };
}

function inflated(bytes: Buffer): Buffer | undefined {
  try {
    return inflateRawSync(bytes, {
      dictionary: BUILT_IN_DICTIONARY,
      chunkSize: chunkFor(bytes.length * USUAL_RATIO),
    });
  } catch {
    return undefined;
  }
}
