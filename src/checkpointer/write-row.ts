import { refuseSealed } from "../store/sealing.js";
import { PackedReader, PackedWriter } from "./packed.js";
import { referencesIn } from "./tree.js";
import type { Tree } from "./tree.js";

/** One write of a task, as it is stored. */
export interface StoredWrite {
  /** Its place among the writes of the task; below 0 for LangGraph's control writes. */
  readonly idx: number;
  readonly channel: string;
  /** Of the task, when it wrote this. */
  readonly path: string;
  readonly value: Tree;
}

/** What the row of a task's writes holds: their shape (places, channels and paths), stored once for many, and values. */
export interface WriteParts {
  /** Object id of the shape. */
  readonly shape: number;
  readonly values: readonly Tree[];
}

const FORM = 1;
const writer = new PackedWriter();

export function writeBytes({ shape, values }: WriteParts): Buffer {
  writer.byte(FORM);
  writer.uint(shape);
  writer.uint(values.length);
  for (const value of values) writer.tree(value);
  return writer.finish();
}

/** @throws TypeError or RangeError for bytes that are no such row, DecryptionError for sealed ones. */
export function readWrites(bytes: unknown): WriteParts {
  if (!Buffer.isBuffer(bytes)) throw new TypeError("What is stored as writes is none.");
  refuseSealed(bytes, "the writes of a task");
  const reader = new PackedReader(bytes);
  if (reader.byte() !== FORM) throw new TypeError("The row of the writes has an unknown form.");
  const parts = { shape: reader.uint(), values: Array.from({ length: reader.count() }, () => reader.tree()) };
  if (!reader.isAtEnd) throw new TypeError("The row of the writes is longer than it should be.");
  return parts;
}

export function referencesOfWrites({ shape, values }: WriteParts): number[] {
  return [shape, ...values.flatMap((value) => [...referencesIn(value)])];
}

/** Places, channels and paths, and nothing of the values. */
export function writesShape(writes: readonly StoredWrite[]): Tree {
  return writes.map(({ idx, channel, path }) => [idx, channel, path]);
}

/** @throws TypeError when values and shape do not belong together. */
export function joinWrites(shape: Tree, values: readonly Tree[]): StoredWrite[] {
  if (!Array.isArray(shape) || shape.length !== values.length) {
    throw new TypeError("The values of the writes do not fit their shape.");
  }
  return shape.map((item, index) => {
    const [idx, channel, path] = (Array.isArray(item) ? item : []) as unknown[];
    if (typeof idx !== "number" || typeof channel !== "string" || typeof path !== "string") {
      throw new TypeError("What is stored as the shape of writes is none.");
    }
    return { idx, channel, path, value: values[index] as Tree };
  });
}

/**
 * The writes of a task after it wrote again: of regular writes the first stays, of control writes the last. In the order
 * of their places.
 */
export function merged(stored: readonly StoredWrite[], given: readonly StoredWrite[]): StoredWrite[] {
  const byPlace = new Map(stored.map((write) => [write.idx, write]));
  for (const write of given) if (write.idx < 0 || !byPlace.has(write.idx)) byPlace.set(write.idx, write);
  return [...byPlace.values()].sort((a, b) => a.idx - b.idx);
}
