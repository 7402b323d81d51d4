import { Document } from "@langchain/core/documents";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, Send } from "@langchain/langgraph";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { makeMessage } from "./messages.js";
import { KIND, setOwn, tagOf, unescapeKey } from "./tree.js";
import type { Tree } from "./tree.js";

/** Where the decoder finds the pieces that are kept on their own. */
export interface ObjectSource {
  /** The tree of a stored object. Never handed to a caller, only read. */
  load(objectId: number): Tree;
  elements(list: Tree[]): Tree[];
  entries(record: Tree[]): [string, Tree][];
  remember(message: BaseMessage, reference: Tree, body: Record<string, Tree>): void;
}

type Fields = Record<string, unknown>;

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

const ERRORS: Readonly<Record<string, new (message: string) => Error>> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

/** Makes fresh values from trees: nothing that it returns is shared with a cache or with an earlier result. */
export class Decoder {
  constructor(private readonly source?: ObjectSource) {}

  decode(tree: Tree): unknown {
    if (typeof tree !== "object" || tree === null) return tree;
    if (Array.isArray(tree)) return tree.map((element) => this.decode(element));
    const tag = tagOf(tree);
    return tag === undefined ? this.plain(tree) : this.typed(tag, tree);
  }

  private plain(tree: Record<string, Tree>): Fields {
    const value: Fields = {};
    for (const key of Object.keys(tree)) setOwn(value, unescapeKey(key), this.decode(tree[key] as Tree));
    return value;
  }

  private typed(tag: Tree, tree: Tree): unknown {
    if (typeof tag === "number") return this.referred(tag, tree, undefined);
    const [kind, first, second, third] = tag as Tree[];
    switch (kind) {
      case KIND.undefined:
        return undefined;
      case KIND.number:
        return Number(first);
      case KIND.bigint:
        return BigInt(first as string);
      case KIND.date:
        return new Date((first as number | null) ?? Number.NaN);
      case KIND.regexp:
        return regexp(first as string, second as string, third as number);
      case KIND.map:
        return new Map(this.decode(first as Tree) as [unknown, unknown][]);
      case KIND.set:
        return new Set(this.decode(first as Tree) as unknown[]);
      case KIND.error:
        return error(
          first as string,
          second as string,
          this.decode(third as Tree) as Fields,
          this.decode((tag as Tree[])[4] ?? {}) as Fields,
        );
      case KIND.binary:
        return binary(first as string, second as string);
      case KIND.message:
        return makeMessage(first as string, this.plain(second as Record<string, Tree>), third as string | undefined);
      case KIND.identified:
        return this.referred(first as number, tree, second as string);
      default:
        return this.compound(kind as string, tag as Tree[]);
    }
  }

  private compound(kind: string, tag: Tree[]): unknown {
    switch (kind) {
      case KIND.list:
        return this.stored.elements(tag).map((element) => this.decode(element));
      case KIND.record: {
        const value: Fields = {};
        for (const [key, item] of this.stored.entries(tag)) setOwn(value, key, this.decode(item));
        return value;
      }
      case KIND.send:
        return send(this.decode(tag[1] as Tree) as Fields);
      case KIND.command:
        return new Command(this.decode(tag[1] as Tree) as never);
      case KIND.delta:
        return new DeltaSnapshot((this.decode(tag[1] as Tree) as Fields).value);
      case KIND.document:
        return new Document(this.decode(tag[1] as Tree) as never);
      default:
        throw new TypeError(`Unknown tag "${kind}" in stored data.`);
    }
  }

  /** A piece kept on its own; a message gets the id that stands beside its reference. */
  private referred(objectId: number, tree: Tree, id: string | undefined): unknown {
    const body = this.stored.load(objectId);
    const message = messageBody(body);
    if (message === undefined) return this.decode(body);
    const [className, fields] = message;
    const made = makeMessage(className, this.plain(fields), id);
    this.stored.remember(made, tree, fields);
    return made;
  }

  private get stored(): ObjectSource {
    if (this.source === undefined) throw new TypeError("A reference stands where no objects are kept.");
    return this.source;
  }
}

function messageBody(tree: Tree): [string, Record<string, Tree>] | undefined {
  if (typeof tree !== "object" || tree === null || Array.isArray(tree)) return undefined;
  const tag = tagOf(tree);
  if (!Array.isArray(tag) || tag[0] !== KIND.message) return undefined;
  return [tag[1] as string, tag[2] as Record<string, Tree>];
}

function send(fields: Fields): Send {
  const made = new Send(fields.node as string, fields.args);
  if (fields.timeout !== undefined) Object.assign(made, { timeout: fields.timeout });
  return made;
}

function regexp(source: string, flags: string, lastIndex: number): RegExp {
  const made = new RegExp(source, flags);
  made.lastIndex = lastIndex;
  return made;
}

function error(name: string, message: string, properties: Fields, hidden: Fields): Error {
  const Class = Object.hasOwn(ERRORS, name) ? ERRORS[name] : undefined;
  const made = new (Class ?? Error)(message);
  delete made.stack;
  if (made.name !== name && !Object.hasOwn(properties, "name")) hideIn(made, "name", name);
  for (const key of Object.keys(hidden)) hideIn(made, key, hidden[key]);
  for (const key of Object.keys(properties)) {
    Object.defineProperty(made, key, { value: properties[key], enumerable: true, configurable: true, writable: true });
  }
  return made;
}

function hideIn(target: Error, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: false, configurable: true, writable: true });
}

function binary(className: string, base64: string): unknown {
  const buffer = Buffer.from(base64, "base64");
  if (className === "Buffer") return buffer;
  const bytes = new Uint8Array(buffer).buffer;
  if (className === "ArrayBuffer") return bytes;
  if (!Object.hasOwn(BINARY, className)) return buffer;
  const View = BINARY[className as keyof typeof BINARY] as new (data: ArrayBuffer) => unknown;
  return new View(bytes);
}
