import type { Tree } from "./tree.js";

/** What an error holds beside its enumerable properties. */
const HIDDEN_IN_ERROR = ["name", "message", "cause", "errors"] as const;

type Fields = Record<string, unknown>;

export interface ErrorParts {
  readonly name: string;
  readonly message: string;
  /** Enumerable properties. */
  readonly own: Fields;
  /** Its own properties that are not enumerable, unless the constructor will set them so. */
  readonly hidden: Fields;
}

export function errorParts(error: Error): ErrorParts {
  const name = typeof error.name === "string" ? error.name : "Error";
  const message = typeof error.message === "string" ? error.message : "";
  const own = Object.fromEntries<unknown>(Object.entries(error));
  return { name, message, own, hidden: hiddenOf(error, { name, message }) };
}

function hiddenOf(error: Error, restored: Fields): Fields {
  const hidden: Fields = {};
  for (const key of HIDDEN_IN_ERROR) {
    const property = Object.getOwnPropertyDescriptor(error, key);
    if (property === undefined || property.enumerable === true) continue;
    const value = (error as unknown as Fields)[key];
    if (value !== restored[key]) hidden[key] = value;
  }
  return hidden;
}

const ERRORS: Readonly<Record<string, new (message: string) => Error>> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

export function makeError({ name, message, own, hidden }: ErrorParts): Error {
  const Class = Object.hasOwn(ERRORS, name) ? ERRORS[name] : undefined;
  const made = new (Class ?? Error)(message);
  delete made.stack;
  if (made.name !== name && !Object.hasOwn(own, "name")) hideIn(made, "name", name);
  for (const key of Object.keys(hidden)) hideIn(made, key, hidden[key]);
  for (const key of Object.keys(own)) {
    Object.defineProperty(made, key, { value: own[key], enumerable: true, configurable: true, writable: true });
  }
  return made;
}

function hideIn(target: Error, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: false, configurable: true, writable: true });
}

const BINARY = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
} as const;

export function binaryTree(value: ArrayBufferView | ArrayBuffer): { className: string; base64: string } {
  const bytes = ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(value);
  return { className: binaryClass(value), base64: bytes.toString("base64") };
}

function binaryClass(value: ArrayBufferView | ArrayBuffer): string {
  if (Buffer.isBuffer(value)) return "Buffer";
  return Object.prototype.toString.call(value).slice(8, -1);
}

export function makeBinary(className: string, base64: string): unknown {
  const buffer = Buffer.from(base64, "base64");
  if (className === "Buffer") return buffer;
  const bytes = new Uint8Array(buffer).buffer;
  if (className === "ArrayBuffer") return bytes;
  if (!Object.hasOwn(BINARY, className)) return buffer;
  const View = BINARY[className as keyof typeof BINARY] as new (data: ArrayBuffer) => unknown;
  return new View(bytes);
}

export function dateTree(date: Date): Tree {
  const time = date.getTime();
  return Number.isNaN(time) ? null : time;
}

/** `new String("x")` and the like, which JSON writes as what they hold. */
export function isBoxed(value: object): boolean {
  return value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof BigInt;
}

export function makeRegexp(source: string, flags: string, lastIndex: number): RegExp {
  const made = new RegExp(source, flags);
  made.lastIndex = lastIndex;
  return made;
}
