import { createHash } from "node:crypto";
import { canonicalize as rfc8785 } from "json-canonicalize";
import { InvalidInputError } from "./errors.js";

/** A value has no one canonical JSON text; the message and `details.path` say where and why. Nothing was done. */
export class UncanonicalValueError extends InvalidInputError {}

const MAX_DEPTH = 200;
const LONE_SURROGATE = /\p{Surrogate}/u;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * The canonical JSON text of a value (RFC 8785): the same text for the same data, whatever the order of its keys.
 *
 * What JSON would drop or change without a word is refused: `undefined`, functions, symbols, BigInt, NaN, ±Infinity, −0,
 * lone surrogates, holes in arrays, cycles, and every object that is not a plain one (Date, Map, Set, a class).
 *
 * @param value the data
 * @param name what to call it in the message
 * @throws UncanonicalValueError naming the path of the first such part
 * @example canonicalize({ b: 1, a: [true, null] }); // '{"a":[true,null],"b":1}'
 */
export function canonicalize(value: unknown, name = "value"): string {
  checkJson(value, name);
  return rfc8785(value);
}

/**
 * Refuses what JSON would drop or change without a word; what passes comes back from its JSON text as it went in.
 *
 * @throws UncanonicalValueError naming the path of the first such part
 */
export function checkJson(value: unknown, name: string): void {
  check(value, name, new Set());
}

/** SHA-256 of a canonical text, as hex. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

function check(value: unknown, path: string, above: Set<object>): void {
  const problem = problemWith(value);
  if (problem !== undefined) throw refused(path, problem);
  if (typeof value !== "object" || value === null) return;
  if (above.has(value)) throw refused(path, "a cycle");
  if (above.size >= MAX_DEPTH) throw refused(path, `nested more than ${MAX_DEPTH} levels deep`);
  above.add(value);
  if (Array.isArray(value)) checkArray(value, path, above);
  else checkRecord(value as Record<string, unknown>, path, above);
  above.delete(value);
}

function checkArray(array: unknown[], path: string, above: Set<object>): void {
  for (let index = 0; index < array.length; index += 1) check(array[index], `${path}[${index}]`, above);
  const extra = Object.keys(array).length - array.length;
  if (extra > 0) throw refused(path, "an array with named properties");
}

function checkRecord(record: Record<string, unknown>, path: string, above: Set<object>): void {
  for (const key of Object.keys(record)) {
    const at = IDENTIFIER.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
    if (LONE_SURROGATE.test(key)) throw refused(at, "a key with a lone surrogate");
    check(record[key], at, above);
  }
}

function problemWith(value: unknown): string | undefined {
  switch (typeof value) {
    case "boolean":
      return undefined;
    case "string":
      return LONE_SURROGATE.test(value) ? "text with a lone surrogate" : undefined;
    case "number":
      return problemWithNumber(value);
    case "object":
      return value === null ? undefined : problemWithObject(value);
    case "undefined":
      return "undefined";
    case "bigint":
      return "a BigInt";
    case "function":
    case "symbol":
      return `a ${typeof value}`;
  }
}

function problemWithNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) return String(value);
  return Object.is(value, -0) ? "-0" : undefined;
}

function problemWithObject(value: object): string | undefined {
  if (Object.getOwnPropertySymbols(value).length > 0) return "an object with symbol keys";
  if (Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || isObjectPrototype(prototype as object)) return undefined;
  const { constructor } = value as { constructor?: { name?: unknown } };
  return `an instance of ${typeof constructor?.name === "string" ? constructor.name : "a class"}`;
}

/** Also of another realm, as vm contexts have. */
function isObjectPrototype(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "hasOwnProperty");
}

function refused(path: string, what: string): UncanonicalValueError {
  return new UncanonicalValueError(
    `${path} is ${what}, which has no canonical JSON text. Leave it out, or convert it first: a Date with ` +
      `toISOString(), a BigInt with String(), a Map with Object.fromEntries(). Nothing was done.`,
    { details: { path } },
  );
}
