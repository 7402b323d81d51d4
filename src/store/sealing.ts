import type { Encryption } from "./encryption.js";
import { reasonOf, unmarked, withoutKey } from "./encryption.js";

/** Whose rows are sealed, and with what; without `encryption` all of them stay as they are. */
export interface Sealing {
  readonly tenant: string;
  readonly encryption?: Encryption | undefined;
}

/** What a value is, and the row that it stands in: it opens nowhere else. */
export type Place = readonly [what: string, ...where: (string | number)[]];

/** Begins sealed bytes in a column that may hold plain ones too; those begin with the number of their form, 1. */
const MARK = Buffer.of(0xf9);

export function contextOf({ tenant }: Sealing, [what, ...where]: Place): string {
  return JSON.stringify([what, tenant, ...where]);
}

/** Bytes as a column keeps them. */
export function sealBytes(sealing: Sealing, bytes: Buffer, place: Place): Buffer {
  const { encryption } = sealing;
  if (encryption === undefined) return bytes;
  return Buffer.concat([MARK, encryption.seal(bytes, contextOf(sealing, place))]);
}

/**
 * The bytes of a column; without encryption whatever it holds.
 *
 * @throws DecryptionError
 */
export function openBytes(sealing: Sealing, column: unknown, place: Place): unknown {
  const { encryption } = sealing;
  if (encryption === undefined) return column;
  const context = contextOf(sealing, place);
  if (!isSealed(column)) throw unmarked(context);
  return bufferOf(encryption.open(column.subarray(MARK.length), context));
}

/** Whether a column holds what `sealBytes` has sealed. */
export function isSealed(column: unknown): column is Buffer {
  return Buffer.isBuffer(column) && column[0] === MARK[0];
}

/** @throws DecryptionError for what is sealed, where nobody has a key. */
export function refuseSealed(column: unknown, what: string): void {
  if (isSealed(column)) throw withoutKey(what);
}

/** A text as a column keeps it: sealed ones are bytes. */
export function sealText<T extends string | null>(sealing: Sealing, text: T, place: Place): T | Uint8Array {
  const { encryption } = sealing;
  if (encryption === undefined || text === null) return text;
  return encryption.seal(Buffer.from(text), contextOf(sealing, place));
}

/** @throws DecryptionError */
export function openText(sealing: Sealing, column: unknown, place: Place): unknown {
  if (column === null || column === undefined) return column;
  const { encryption } = sealing;
  if (encryption === undefined) {
    if (Buffer.isBuffer(column)) throw withoutKey(contextOf(sealing, place));
    return column;
  }
  const context = contextOf(sealing, place);
  if (!Buffer.isBuffer(column)) throw unmarked(context);
  return bufferOf(encryption.open(column, context)).toString();
}

/** Whether a value was not what it should be, rather than the key. */
export function isTampered(error: unknown): boolean {
  const reason = reasonOf(error);
  return reason === "changed" || reason === "unmarked";
}

export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
