import type { Sealing } from "../sealing.js";
import { openText, sealText } from "../sealing.js";
import { compactId, fullId } from "./compact-id.js";
import type { SqliteDatabase } from "./database.js";

/** What a message may have as its id. */
export type MessageId = string | number | null;

/** How many ids one object may have; the key of an id is the object's times this, and its ordinal. */
const ORDINALS = 2 ** 20;
/** How many of the newest ids of an object are looked through. What is said often (a "yes") has one for each time. */
const SEARCHED = 32;

/** The first and the last key that the ids of an object may have. */
export function identitiesOf(object: number): [first: number, last: number] {
  return [object * ORDINALS, object * ORDINALS + ORDINALS - 1];
}

/**
 * The ids of messages, beside the objects that hold what the messages say: the same message before and after it was
 * given an id is one object. An id is named by its object and an ordinal, from 1.
 */
export class IdentityTable {
  constructor(
    private readonly database: SqliteDatabase,
    private readonly sealing: Sealing,
  ) {}

  /** @returns undefined when there is no such id */
  at(object: number, ordinal: number): { id: MessageId } | undefined {
    const key = object * ORDINALS + ordinal;
    const row = this.database.get<{ value: unknown }>("SELECT value FROM waypoint_identities WHERE id = ?", key);
    return row && { id: this.opened(key, row.value) };
  }

  /** Several at once, by object and ordinal; such as are not there are left out. */
  allAt(
    references: readonly { objectId: number; ordinal: number }[],
  ): { objectId: number; ordinal: number; id: MessageId }[] {
    const keys = references.map(({ objectId, ordinal }) => objectId * ORDINALS + ordinal);
    return this.database
      .all<{ id: number; value: unknown }>(
        `SELECT id, value FROM waypoint_identities WHERE id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(keys),
      )
      .map(({ id, value }) => ({
        objectId: Math.floor(id / ORDINALS),
        ordinal: id % ORDINALS,
        id: readId(value),
      }));
  }

  /**
   * The ordinal of an id, which is stored when it is not among the newest.
   *
   * @param isNew whether the object was inserted in this transaction and has no id yet
   */
  ordinalOf(object: number, id: MessageId, isNew: boolean): number {
    const [first] = identitiesOf(object);
    const newest = isNew ? [] : this.newest(object);
    const known = newest.find((row) => this.opened(row.id, row.value) === id);
    if (known !== undefined) return known.id - first;
    const ordinal = (newest[0]?.id ?? first) - first + 1;
    if (ordinal >= ORDINALS) throw new RangeError(`Message ${object} was stored with ${ORDINALS} ids.`);
    const key = first + ordinal;
    this.database.run("INSERT INTO waypoint_identities (id, value) VALUES (?, ?)", key, this.sealed(key, id));
    return ordinal;
  }

  private newest(object: number): { id: number; value: unknown }[] {
    return this.database.all(
      "SELECT id, value FROM waypoint_identities WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?",
      ...identitiesOf(object),
      SEARCHED,
    );
  }

  private sealed(key: number, id: MessageId): Uint8Array | string | number | null {
    if (this.sealing.encryption === undefined) return writtenId(id);
    return sealText(this.sealing, JSON.stringify(id), ["identity", key]);
  }

  private opened(key: number, stored: unknown): MessageId {
    if (this.sealing.encryption === undefined) return readId(stored);
    // A plain id may be NULL, which no sealed one is.
    return JSON.parse(openText(this.sealing, stored ?? "", ["identity", key]) as string) as MessageId;
  }
}

/** The length in bytes of a UUID: no other id is stored as bytes of that length. */
const UUID_LENGTH = 16;

function writtenId(id: MessageId): Buffer | string | number | null {
  if (typeof id !== "string" || id.isWellFormed()) return typeof id === "string" ? compactId(id) : id;
  const escaped = Buffer.from(JSON.stringify(id));
  return escaped.length === UUID_LENGTH ? Buffer.concat([escaped, Buffer.from(" ")]) : escaped;
}

function readId(stored: unknown): MessageId {
  if (stored === null || typeof stored === "number") return stored;
  if (Buffer.isBuffer(stored) && stored.length !== UUID_LENGTH) return JSON.parse(stored.toString()) as string;
  return fullId(stored);
}
