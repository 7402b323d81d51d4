import { KIND, TAG, setOwn, tagOf, tagged } from "./tree.js";
import type { Tree } from "./tree.js";

/**
 * The compact form of what stands in rows: trees of references and small numbers, as bytes. What is long is an object
 * of its own and stands there as JSON.
 */
const OP = {
  null: 0,
  true: 1,
  false: 2,
  double: 3,
  text: 4,
  /** A text with half a character in it, which UTF-8 cannot hold: as JSON. */
  halfText: 5,
  array: 6,
  record: 7,
  typed: 8,
  reference: 9,
  identified: 10,
  list: 11,
  integer: 12,
  negative: 13,
} as const;

/** From here on, the operation itself is a small whole number. */
const SMALL = 16;
const LARGEST_SMALL = 255 - SMALL;

export class PackedWriter {
  private bytes = Buffer.allocUnsafe(512);
  private at = 0;

  /** What was written since the last time, as bytes of its own. */
  finish(): Buffer {
    const result = Buffer.from(this.bytes.subarray(0, this.at));
    this.at = 0;
    return result;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  /** A whole number of at least 0, in as few bytes as it needs. */
  uint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.at++] = rest;
  }

  raw(value: Uint8Array): void {
    this.reserve(value.length);
    this.bytes.set(value, this.at);
    this.at += value.length;
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.uint(length);
    this.reserve(length);
    this.at += this.bytes.write(value, this.at);
  }

  double(value: number): void {
    this.reserve(8);
    this.at = this.bytes.writeDoubleBE(value, this.at);
  }

  tree(tree: Tree): void {
    if (typeof tree === "number") this.number(tree);
    else if (typeof tree === "string") this.anyText(tree);
    else if (tree === null) this.byte(OP.null);
    else if (typeof tree === "boolean") this.byte(tree ? OP.true : OP.false);
    else if (Array.isArray(tree)) this.trees(OP.array, tree);
    else this.branch(tree);
  }

  private number(value: number): void {
    if (!Number.isSafeInteger(value)) {
      this.byte(OP.double);
      this.double(value);
    } else if (value >= 0 && value <= LARGEST_SMALL) this.byte(SMALL + value);
    else {
      this.byte(value < 0 ? OP.negative : OP.integer);
      this.uint(Math.abs(value));
    }
  }

  private anyText(text: string): void {
    const whole = text.isWellFormed();
    this.byte(whole ? OP.text : OP.halfText);
    this.text(whole ? text : JSON.stringify(text));
  }

  private trees(op: number, trees: readonly Tree[]): void {
    this.byte(op);
    this.uint(trees.length);
    for (const tree of trees) this.tree(tree);
  }

  private branch(tree: Record<string, Tree>): void {
    const payload = tagOf(tree);
    if (typeof payload === "number") {
      this.byte(OP.reference);
      this.uint(payload);
    } else if (Array.isArray(payload)) this.typed(payload);
    else {
      const keys = Object.keys(tree);
      this.byte(OP.record);
      this.uint(keys.length);
      for (const key of keys) {
        this.anyText(key);
        this.tree(tree[key] as Tree);
      }
    }
  }

  private typed(payload: Tree[]): void {
    const [kind] = payload;
    if (kind === KIND.identified) {
      this.byte(OP.identified);
      this.uint(payload[1] as number);
      this.uint(payload[2] as number);
    } else if (kind === KIND.list) this.list(payload);
    else this.trees(OP.typed, payload);
  }

  private list([, count, levels, rest]: Tree[]): void {
    this.byte(OP.list);
    this.uint(count as number);
    this.uint((levels as number[][]).length);
    for (const ids of levels as number[][]) this.ids(ids);
    this.uint((rest as Tree[]).length);
    for (const tree of rest as Tree[]) this.tree(tree);
  }

  /** Ids that mostly rise: each as its distance from the one before. */
  private ids(ids: readonly number[]): void {
    this.uint(ids.length);
    let before = 0;
    for (const id of ids) {
      this.uint(id >= before ? (id - before) * 2 : (before - id) * 2 - 1);
      before = id;
    }
  }

  private reserve(length: number): void {
    if (this.at + length <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + length));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

/** Reads what a `PackedWriter` wrote. Every method throws a RangeError or TypeError for other bytes. */
export class PackedReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new RangeError("The bytes end too early.");
    this.at += 1;
    return value;
  }

  uint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  /** A number of things to come, each of at least one byte. */
  count(): number {
    const count = this.uint();
    if (count > this.bytes.length - this.at) throw new RangeError("The bytes end too early.");
    return count;
  }

  raw(length: number): Buffer {
    const value = this.bytes.subarray(this.at, this.at + length);
    if (value.length !== length) throw new RangeError("The bytes end too early.");
    this.at += length;
    return value;
  }

  text(): string {
    return this.raw(this.count()).toString();
  }

  double(): number {
    return this.raw(8).readDoubleBE(0);
  }

  tree(): Tree {
    const op = this.byte();
    if (op >= SMALL) return op - SMALL;
    switch (op) {
      case OP.null:
        return null;
      case OP.true:
      case OP.false:
        return op === OP.true;
      case OP.double:
        return this.double();
      case OP.text:
        return this.text();
      case OP.halfText:
        return JSON.parse(this.text()) as string;
      case OP.integer:
        return this.uint();
      case OP.negative:
        return -this.uint();
      case OP.array:
        return this.trees();
      case OP.typed:
        return { [TAG]: this.trees() };
      default:
        return this.branch(op);
    }
  }

  private branch(op: number): Tree {
    switch (op) {
      case OP.reference:
        return { [TAG]: this.uint() };
      case OP.identified:
        return tagged(KIND.identified, this.uint(), this.uint());
      case OP.list:
        return this.list();
      case OP.record:
        return this.record();
      default:
        throw new TypeError(`Unknown operation ${op} in packed data.`);
    }
  }

  private trees(): Tree[] {
    return Array.from({ length: this.count() }, () => this.tree());
  }

  private record(): Tree {
    const record: Record<string, Tree> = {};
    for (let left = this.count(); left > 0; left -= 1) {
      const key = this.tree();
      if (typeof key !== "string") throw new TypeError("A key in packed data is no text.");
      setOwn(record, key, this.tree());
    }
    return record;
  }

  private list(): Tree {
    const count = this.uint();
    const levels = Array.from({ length: this.count() }, () => this.ids());
    return tagged(KIND.list, count, levels, this.trees());
  }

  private ids(): number[] {
    let before = 0;
    return Array.from({ length: this.count() }, () => {
      const step = this.uint();
      before += step % 2 === 0 ? step / 2 : -(step + 1) / 2;
      return before;
    });
  }
}
