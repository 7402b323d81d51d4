import { refuseSealed } from "../store/sealing.js";
import { compactId, fullId } from "../store/sqlite/compact-id.js";
import { readBody, writeBody } from "./body.js";
import type { Body } from "./body.js";
import { PackedReader, PackedWriter } from "./packed.js";
import { referencesIn } from "./tree.js";
import type { Tree } from "./tree.js";

/** What the row of a checkpoint holds, besides its id. */
export interface CheckpointParts {
  readonly parent: string | undefined;
  /** Object id of the shape. */
  readonly shape: number;
  /** The metadata without their numbers, which are the same for many checkpoints. */
  readonly metadata: Tree;
  readonly numbers: readonly number[];
  readonly body: Body;
}

/** The form of a row; another one gets another number. */
const FORM = 1;
const writer = new PackedWriter();

export function checkpointBytes(id: string, parts: CheckpointParts): Buffer {
  writer.byte(FORM);
  writeParent(id, parts.parent);
  writer.uint(parts.shape);
  writer.tree(parts.metadata);
  writer.uint(parts.numbers.length);
  for (const number of parts.numbers) writer.tree(number);
  writeBody(writer, parts.body, timeOf(id));
  return writer.finish();
}

/** @throws TypeError or RangeError for bytes that are no such row, DecryptionError for sealed ones. */
export function readCheckpoint(id: string, bytes: unknown): CheckpointParts {
  if (!Buffer.isBuffer(bytes)) throw new TypeError("What is stored as a checkpoint is none.");
  refuseSealed(bytes, `checkpoint ${id}`);
  const reader = new PackedReader(bytes);
  if (reader.byte() !== FORM) throw new TypeError("The row of the checkpoint has an unknown form.");
  const parts = {
    parent: readParent(id, reader),
    shape: reader.uint(),
    metadata: reader.tree(),
    numbers: Array.from({ length: reader.count() }, () => reader.tree() as number),
    body: readBody(reader, timeOf(id)),
  };
  if (!reader.isAtEnd) throw new TypeError("The row of the checkpoint is longer than it should be.");
  return parts;
}

/** The objects that a row refers to directly. */
export function referencesOfCheckpoint({ shape, metadata, body }: CheckpointParts): number[] {
  return [shape, ...referencesIn(metadata), ...body.roots.flatMap((root) => [...referencesIn(root)])];
}

const PARENT = { none: 0, text: 1, uuid: 2, near: 3 } as const;

/** UUIDs of one process differ in few bytes: those, and which they are. */
function writeParent(id: string, parent: string | undefined): void {
  if (parent === undefined) {
    writer.byte(PARENT.none);
    return;
  }
  const own = compactId(id);
  const compact = compactId(parent);
  if (typeof compact === "string") {
    writer.byte(PARENT.text);
    writer.tree(compact);
  } else if (typeof own === "string") {
    writer.byte(PARENT.uuid);
    writer.raw(compact);
  } else {
    writer.byte(PARENT.near);
    writeDifference(own, compact);
  }
}

function writeDifference(own: Buffer, other: Buffer): void {
  let mask = 0;
  for (const [index, byte] of other.entries()) if (byte !== own[index]) mask |= 1 << index;
  writer.byte(mask & 0xff);
  writer.byte(mask >> 8);
  writer.raw(other.filter((byte, index) => byte !== own[index]));
}

function readParent(id: string, reader: PackedReader): string | undefined {
  const kind = reader.byte();
  switch (kind) {
    case PARENT.none:
      return undefined;
    case PARENT.text:
      return reader.tree() as string;
    case PARENT.uuid:
      return fullId(reader.raw(16));
    case PARENT.near:
      return fullId(readDifference(compactId(id), reader));
    default:
      throw new TypeError("The row of the checkpoint has an unknown kind of parent.");
  }
}

function readDifference(own: Buffer | string, reader: PackedReader): Buffer {
  if (typeof own === "string") throw new TypeError("The parent is given by its distance from an id that is no UUID.");
  const mask = reader.byte() | (reader.byte() << 8);
  return Buffer.from(own.map((byte, index) => ((mask >> index) & 1 ? reader.byte() : byte)));
}

/** Between the epochs of a UUID's time (1582) and of Unix, in milliseconds. */
const UUID_EPOCH = 12_219_292_800_000;
const TICKS_A_MILLISECOND = 10_000;

/** The time in a UUID of version 6, as LangGraph gives to checkpoints; some number for every other id. */
function timeOf(id: string): number {
  const compact = compactId(id);
  if (typeof compact === "string") return 0;
  const ticks = compact.readUIntBE(0, 6) * 0x1000 + (compact.readUInt16BE(6) & 0x0fff);
  return Math.floor(ticks / TICKS_A_MILLISECOND) - UUID_EPOCH;
}
