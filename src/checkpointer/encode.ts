import { Document } from "@langchain/core/documents";
import type { BaseMessage } from "@langchain/core/messages";
import { WaypointError } from "../shared/errors.js";
import type { Classes } from "./classes.js";
import { dataOf } from "./classes.js";
import { depthCuts } from "./depth-cuts.js";
import { binaryTree, dateTree, errorParts, isBoxed } from "./leaf-values.js";
import { isMessage, messageClass, messageFields } from "./messages.js";
import { sharedPlaces } from "./shared-places.js";
import { KIND, escapeKey, reference, setOwn, tagged } from "./tree.js";
import type { Kind, Tree } from "./tree.js";
import { Unstorable, unstorableValue } from "./unstorable.js";

/** Where pieces of a value go that are kept on their own. */
export interface ObjectSink {
  /** Stores the piece once, whoever stores it again; returns its id. */
  intern(tree: Tree): number;
  /** The same for a long text, which may be known without looking at it. */
  internText(text: string): number;
  /** The reference of a message that is stored already and has not changed since. */
  knownMessage(message: BaseMessage): Tree | undefined;
  /** The reference of a message with this body, which is stored if it is new. */
  storeMessage(message: BaseMessage, body: Tree): Tree;
  /** A long array as a tree of pages. `isRoot` when it is the whole value. */
  list(values: readonly unknown[], encode: (value: unknown) => Tree, isRoot: boolean): Tree;
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
/** What is nested deeper is cut into pieces, so that it can be read wherever the stack stands then. */
const DEEPEST = 400;
const REFERENCE_LENGTH = 12;
const MESSAGE_REFERENCE_LENGTH = 24;
const PAGED_LENGTH = 64;

class NestedTooDeeply extends Unstorable {}

/**
 * Turns one value into its tree. With a sink, large pieces become objects and references to them; without one, the
 * tree holds everything.
 */
export class Encoder {
  private depth = 0;
  private limit = INLINE_LIMIT;
  private readonly watched = new Set<object>();
  private cuts: Map<object, Tree> | undefined;
  /** Length of the JSON of the tree that `node` made last, nearly. */
  private size = 0;

  /** @param cutSink takes the pieces of values that are nested deeply, where there is no `sink` */
  constructor(
    private readonly sink: ObjectSink | undefined,
    private readonly cutSink: Pick<ObjectSink, "intern">,
    private readonly classes: Classes,
  ) {}

  /** @throws UnstorableValueError naming the place of a cycle, a function, or what cannot be read. */
  encode(value: unknown, what: string): Tree {
    try {
      return this.whole(value);
    } catch (error) {
      throw WaypointError.is(error) ? error : unstorableValue(error, value, what);
    }
  }

  private whole(value: unknown): Tree {
    try {
      return this.fresh(() => this.root(value));
    } catch (error) {
      if (!(error instanceof NestedTooDeeply) || typeof value !== "object" || value === null) throw error;
      return this.inPieces(value);
    }
  }

  private fresh(work: () => Tree): Tree {
    this.depth = 0;
    this.limit = INLINE_LIMIT;
    this.watched.clear();
    return work();
  }

  /** Encodes a deeply nested value from the inside out, in pieces that refer to each other. */
  private inPieces(value: object): Tree {
    this.cuts = new Map();
    try {
      for (const node of depthCuts(value)) {
        const piece = this.fresh(() => this.objectNode(node));
        this.cuts.set(node, tagged(KIND.cut, this.cutSink.intern(piece)));
      }
      return this.fresh(() => this.root(value));
    } finally {
      this.cuts = undefined;
    }
  }

  private root(value: unknown): Tree {
    if (Array.isArray(value) && this.isPaged(value)) return this.rootList(value);
    return this.shared(value, () => this.node(value));
  }

  private rootList(values: unknown[]): Tree {
    const encode = (value: unknown): Tree => this.child(value);
    return this.nested(values, () => (this.sink as ObjectSink).list(values, encode, true));
  }

  /** Keeps the places of objects that stand at several of them. */
  private shared(value: unknown, encode: () => Tree): Tree {
    const places = sharedPlaces(value);
    return places === undefined ? encode() : tagged(KIND.shared, encode(), places);
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
    const piece = this.cuts?.get(value);
    if (piece !== undefined) return this.sized(REFERENCE_LENGTH, piece);
    return this.nested(value, () => this.objectNode(value));
  }

  private nested(value: object, encode: () => Tree): Tree {
    if (this.depth >= DEEPEST) {
      throw new NestedTooDeeply(`it is nested more than ${DEEPEST} levels deep in Maps, Sets or instances`);
    }
    const watching = this.depth >= WATCH_FROM_DEPTH;
    if (watching) {
      if (this.watched.has(value)) throw new Unstorable("it holds a cycle");
      this.watched.add(value);
    }
    this.depth += 1;
    const tree = encode();
    this.depth -= 1;
    if (watching) this.watched.delete(value);
    return tree;
  }

  private objectNode(value: object): Tree {
    if (Array.isArray(value)) return this.array(value);
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === Object.prototype || prototype === null) return this.plain(value as Record<string, unknown>);
    const registered = this.classes.of(value);
    if (registered !== undefined) return this.wrapped(KIND.class, registered.name, dataOf(value, registered));
    if (isMessage(value)) return this.message(value);
    return this.instance(value);
  }

  private isPaged(values: readonly unknown[]): boolean {
    return this.sink !== undefined && values.length > PAGED_FROM.list;
  }

  private array(values: unknown[]): Tree {
    if (this.isPaged(values)) {
      const list = (this.sink as ObjectSink).list(values, (value) => this.child(value), false);
      return this.sized(PAGED_LENGTH, list);
    }
    const elements: Tree[] = new Array<Tree>(values.length);
    let size = 2;
    for (let index = 0; index < values.length; index += 1) {
      elements[index] = this.child(values[index]);
      size += this.size + 1;
    }
    this.size = size;
    return elements;
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
    return this.sized(PAGED_LENGTH, sink.record(entries));
  }

  /** A value inside another one: kept on its own when it is large. */
  private child(value: unknown): Tree {
    if (typeof value === "string" && value.length > this.limit && this.sink !== undefined) {
      return this.sized(REFERENCE_LENGTH, reference(this.sink.internText(value)));
    }
    const tree = this.node(value);
    if (this.sink === undefined || this.size <= this.limit) return tree;
    return this.sized(REFERENCE_LENGTH, reference(this.sink.intern(tree)));
  }

  private message(message: BaseMessage): Tree {
    const known = this.sink?.knownMessage(message);
    if (known !== undefined) return this.sized(MESSAGE_REFERENCE_LENGTH, known);
    const id = idOf(message);
    const outer = this.limit;
    this.limit = INLINE_LIMIT_IN_MESSAGE;
    const given = messageFields(message);
    const fields = this.shared(given, () => this.entries(given, Object.keys(given)));
    this.limit = outer;
    const className = messageClass(message);
    if (this.sink === undefined) {
      return id === undefined ? tagged(KIND.message, className, fields) : tagged(KIND.message, className, fields, id);
    }
    const tree = this.sink.storeMessage(message, tagged(KIND.message, className, fields));
    return this.sized(MESSAGE_REFERENCE_LENGTH, tree);
  }

  private instance(value: object): Tree {
    if (value instanceof Date) return this.sized(32, tagged(KIND.date, dateTree(value)));
    if (value instanceof Map) return this.wrapped(KIND.map, [...(value as Map<unknown, unknown>)]);
    if (value instanceof Set) return this.wrapped(KIND.set, [...(value as Set<unknown>)]);
    if (value instanceof RegExp) {
      return this.sized(value.source.length + 24, tagged(KIND.regexp, value.source, value.flags, value.lastIndex));
    }
    if (value instanceof Error) return this.error(value);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      const tree = binaryTree(value);
      return this.sized(tree.base64.length + 24, tagged(KIND.binary, tree.className, tree.base64));
    }
    if (isBoxed(value)) return this.node(value.valueOf());
    return this.langGraph(value) ?? this.inert(value);
  }

  /** A tag around another value: the last one of the payload. */
  private wrapped(kind: Kind, ...payload: unknown[]): Tree {
    const value = payload.pop();
    const tree = this.node(value);
    this.size += 16;
    return tagged(kind, ...(payload as Tree[]), tree);
  }

  private error(error: Error): Tree {
    const { name, message, own, hidden } = errorParts(error);
    const ownTree = this.plain(own);
    let size = this.size + name.length + message.length + 16;
    const hiddenTree = this.entries(hidden, Object.keys(hidden));
    size += this.size;
    return this.sized(size, tagged(KIND.error, name, message, ownTree, hiddenTree));
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
    return this.wrapped(kind, fields);
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

/** @throws Unstorable for an id that no message can have. */
export function idOf(message: BaseMessage): string | undefined {
  const id: unknown = message.id;
  if (id === undefined || id === null || typeof id === "string" || Number.isFinite(id)) return message.id;
  throw new Unstorable(`it holds a message whose id is a ${typeof id}`);
}
