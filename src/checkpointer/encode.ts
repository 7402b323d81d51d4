import { Document } from "@langchain/core/documents";
import type { BaseMessage } from "@langchain/core/messages";
import { WaypointError } from "../shared/errors.js";
import { isMessage, messageClass, messageFields } from "./messages.js";
import { Unstorable, unstorableValue } from "./unstorable.js";
import { KIND, escapeKey, reference, setOwn, tagged } from "./tree.js";
import type { Kind, Tree } from "./tree.js";

/** Where pieces of a value go that are kept on their own. */
export interface ObjectSink {
  /** Stores the piece once, whoever stores it again; returns its id. */
  intern(tree: Tree): number;
  /** The reference of a message that is stored already and has not changed since. */
  knownMessage(message: BaseMessage): Tree | undefined;
  remember(message: BaseMessage, reference: Tree, body: Record<string, Tree>): void;
  /** A long array as a tree of pages. */
  list(elements: Tree[]): Tree;
  /** A record of many keys as pages of entries. */
  record(entries: [string, Tree][]): Tree;
}

/** A piece whose JSON is longer than this is kept on its own. */
const INLINE_LIMIT = 1024;
/** The same within a message, which is an object of its own already. */
const INLINE_LIMIT_IN_MESSAGE = 4096;
/** Arrays and records with more entries than this become pages. */
const PAGED_FROM = { list: 8, record: 64 } as const;
/** From this depth on, ancestors are watched for a cycle. */
const WATCH_FROM_DEPTH = 64;
/** Deeper nesting is refused, so that what was stored can be read again wherever the stack stands then. */
const DEEPEST = 500;
/** What an error holds beside its enumerable properties. */
const HIDDEN_IN_ERROR = ["name", "message", "cause", "errors"] as const;

/**
 * Turns one value into its tree. With a sink, large pieces become objects and references to them; without one, the
 * tree holds everything.
 */
export class Encoder {
  private depth = 0;
  private limit = INLINE_LIMIT;
  private readonly watched = new Set<object>();
  /** Length of the JSON of the tree that `node` made last, nearly. */
  private size = 0;

  constructor(private readonly sink?: ObjectSink) {}

  /** @throws UnstorableValueError naming the place of a cycle, a function, or what cannot be read. */
  encode(value: unknown, what: string): Tree {
    try {
      return this.node(value);
    } catch (error) {
      throw WaypointError.is(error) ? error : unstorableValue(error, value, what);
    } finally {
      this.depth = 0;
      this.limit = INLINE_LIMIT;
      this.watched.clear();
    }
  }

  private node(value: unknown): Tree {
    switch (typeof value) {
      case "string":
        this.size = value.length + 2;
        return value;
      case "boolean":
        this.size = 5;
        return value;
      case "number":
        return this.number(value);
      case "object":
        return value === null ? this.sized(4, null) : this.object(value);
      case "undefined":
        return this.sized(9, tagged(KIND.undefined));
      case "bigint":
        return this.sized(24, tagged(KIND.bigint, value.toString()));
      default:
        throw new Unstorable(`it holds a ${typeof value}`);
    }
  }

  private sized(size: number, tree: Tree): Tree {
    this.size = size;
    return tree;
  }

  private number(value: number): Tree {
    if (Number.isFinite(value) && !Object.is(value, -0)) return this.sized(8, value);
    return this.sized(16, tagged(KIND.number, Object.is(value, -0) ? "-0" : String(value)));
  }

  private object(value: object): Tree {
    if (this.depth >= DEEPEST) throw new Unstorable(`it is nested more than ${DEEPEST} levels deep`);
    const watching = this.depth >= WATCH_FROM_DEPTH;
    if (watching) {
      if (this.watched.has(value)) throw new Unstorable("it holds a cycle");
      this.watched.add(value);
    }
    this.depth += 1;
    const tree = this.objectNode(value);
    this.depth -= 1;
    if (watching) this.watched.delete(value);
    return tree;
  }

  private objectNode(value: object): Tree {
    if (Array.isArray(value)) return this.array(value);
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === Object.prototype || prototype === null) return this.plain(value as Record<string, unknown>);
    if (isMessage(value)) return this.message(value);
    return this.instance(value);
  }

  private array(values: unknown[]): Tree {
    const elements: Tree[] = new Array<Tree>(values.length);
    let size = 2;
    for (let index = 0; index < values.length; index += 1) {
      elements[index] = this.child(values[index]);
      size += this.size + 1;
    }
    this.size = size;
    if (this.sink === undefined || elements.length <= PAGED_FROM.list) return elements;
    this.size = 64 + size / elements.length;
    return this.sink.list(elements);
  }

  private plain(value: Record<string, unknown>): Tree {
    const keys = Object.keys(value);
    if (this.sink !== undefined && keys.length > PAGED_FROM.record) return this.pagedRecord(value, keys, this.sink);
    return this.entries(value, keys);
  }

  private entries(value: Record<string, unknown>, keys: string[]): Record<string, Tree> {
    const tree: Record<string, Tree> = {};
    let size = 2;
    for (const key of keys) {
      const item = value[key];
      if (typeof item === "function" || typeof item === "symbol") continue;
      setOwn(tree, escapeKey(key), this.child(item));
      size += this.size + key.length + 4;
    }
    this.size = size;
    return tree;
  }

  private pagedRecord(value: Record<string, unknown>, keys: string[], sink: ObjectSink): Tree {
    const entries: [string, Tree][] = [];
    for (const key of keys) {
      const item = value[key];
      if (typeof item !== "function" && typeof item !== "symbol") entries.push([key, this.child(item)]);
    }
    this.size = 64 + keys.length / 2;
    return sink.record(entries);
  }

  /** A value inside another one: kept on its own when it is large. */
  private child(value: unknown): Tree {
    const tree = this.node(value);
    if (this.sink === undefined || this.size <= this.limit) return tree;
    this.size = 12;
    return reference(this.sink.intern(tree));
  }

  private message(message: BaseMessage): Tree {
    const id = idOf(message);
    const known = this.sink?.knownMessage(message);
    if (known !== undefined) return this.sized(64, known);
    const outer = this.limit;
    this.limit = INLINE_LIMIT_IN_MESSAGE;
    const given = messageFields(message);
    const fields = this.entries(given, Object.keys(given));
    this.limit = outer;
    const body = tagged(KIND.message, messageClass(message), fields);
    if (this.sink === undefined) {
      return id === undefined ? body : tagged(KIND.message, messageClass(message), fields, id);
    }
    const objectId = this.sink.intern(body);
    const tree = id === undefined ? reference(objectId) : tagged(KIND.identified, objectId, id);
    this.sink.remember(message, tree, fields);
    return this.sized(64, tree);
  }

  private instance(value: object): Tree {
    if (value instanceof Date) return this.sized(32, tagged(KIND.date, dateTree(value)));
    if (value instanceof Map) return this.collection(KIND.map, [...(value as Map<unknown, unknown>)]);
    if (value instanceof Set) return this.collection(KIND.set, [...(value as Set<unknown>)]);
    if (value instanceof RegExp) {
      return this.sized(value.source.length + 24, tagged(KIND.regexp, value.source, value.flags, value.lastIndex));
    }
    if (value instanceof Error) return this.error(value);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return this.binary(value);
    if (isBoxed(value)) return this.node(value.valueOf());
    return this.langGraph(value) ?? this.inert(value);
  }

  private collection(kind: typeof KIND.map | typeof KIND.set, members: unknown[]): Tree {
    const items = members.map((member) => {
      const tree = this.child(member);
      return [tree, this.size] as const;
    });
    this.size = items.reduce((sum, [, size]) => sum + size + 1, 16);
    return tagged(
      kind,
      items.map(([tree]) => tree),
    );
  }

  private error(error: Error): Tree {
    const name = typeof error.name === "string" ? error.name : "Error";
    const message = typeof error.message === "string" ? error.message : "";
    const own = this.plain(Object.fromEntries(Object.entries(error)));
    let size = this.size + name.length + message.length + 16;
    const held = hiddenOf(error, { name, message });
    const hidden = this.entries(held, Object.keys(held));
    size += this.size;
    return this.sized(size, tagged(KIND.error, name, message, own, hidden));
  }

  private binary(value: ArrayBufferView | ArrayBuffer): Tree {
    const bytes = ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      : Buffer.from(value);
    const text = bytes.toString("base64");
    return this.sized(text.length + 24, tagged(KIND.binary, binaryClass(value), text));
  }

  /** LangGraph's and LangChain's own value classes; undefined for every other. */
  private langGraph(value: object): Tree | undefined {
    const name = (value as { lg_name?: unknown }).lg_name;
    if (name === "Send") return this.fields(KIND.send, value, ["node", "args", "timeout"]);
    if (name === "Command") return this.fields(KIND.command, value, ["graph", "update", "resume", "goto"]);
    if (name === "DeltaSnapshot") return this.fields(KIND.delta, value, ["value"]);
    if (value instanceof Document) return this.fields(KIND.document, value, ["pageContent", "metadata", "id"]);
    return undefined;
  }

  private fields(kind: Kind, value: object, names: string[]): Tree {
    const given = value as Record<string, unknown>;
    const fields = Object.fromEntries(
      names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
    );
    const tree = this.plain(fields);
    this.size += 8;
    return tagged(kind, tree);
  }

  /** Classes we do not know come back as plain data, as JSON would have it. */
  private inert(value: object): Tree {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== "function") return this.plain({ ...value });
    const data = (toJSON as () => unknown).call(value);
    if (data === value) return this.plain({ ...value });
    return this.node(data);
  }
}

/** The properties of an error that are its own and not enumerable, unless the constructor will set them so. */
function hiddenOf(error: Error, restored: { name: string; message: string }): Record<string, unknown> {
  const hidden: Record<string, unknown> = {};
  for (const key of HIDDEN_IN_ERROR) {
    const property = Object.getOwnPropertyDescriptor(error, key);
    if (property === undefined || property.enumerable === true) continue;
    const value = (error as unknown as Record<string, unknown>)[key];
    if (value !== (restored as Record<string, unknown>)[key]) hidden[key] = value;
  }
  return hidden;
}

function idOf(message: BaseMessage): string | undefined {
  const id: unknown = message.id;
  if (id === undefined || id === null || typeof id === "string" || Number.isFinite(id)) return message.id;
  throw new Unstorable(`it holds a message whose id is a ${typeof id}`);
}

/** `new String("x")` and the like, which JSON writes as what they hold. */
function isBoxed(value: object): boolean {
  return value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof BigInt;
}

function dateTree(date: Date): Tree {
  const time = date.getTime();
  return Number.isNaN(time) ? null : time;
}

function binaryClass(value: ArrayBufferView | ArrayBuffer): string {
  if (Buffer.isBuffer(value)) return "Buffer";
  return Object.prototype.toString.call(value).slice(8, -1);
}
