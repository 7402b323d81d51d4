import { reading } from "./damage.js";
import { Decoder } from "./decode.js";
import { Encoder } from "./encode.js";
import type { Tree } from "./tree.js";

/**
 * A value as one self-contained text, lossless for everything that a graph's state may hold: `undefined`, BigInt, NaN,
 * −0, Date, Map, Set, RegExp, Error, typed arrays, messages, documents, `Send`, `Command`. Classes that are not known
 * come back as plain data.
 *
 * @throws UnstorableValueError for a cycle, nesting beyond 500 levels, or a function or symbol that is not merely an
 * object's property.
 * @example parse(stringify(new Map([["a", 1n]]))); // Map { "a" => 1n }
 */
export function stringify(value: unknown, what = "The value"): string {
  return JSON.stringify(new Encoder().encode(value, what));
}

/**
 * The value that `stringify` was given, made anew.
 *
 * @throws CorruptObjectError for a text that `stringify` did not make.
 */
export function parse(text: string): unknown {
  return reading("A stored value", () => new Decoder().decode(JSON.parse(text) as Tree));
}
