import { Document } from "@langchain/core/documents";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, Send } from "@langchain/langgraph";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import type { Classes } from "./classes.js";
import { makeBinary, makeError, makeRegexp } from "./leaf-values.js";
import { makeMessage } from "./messages.js";
import { joinPlaces } from "./shared-places.js";
import type { Places } from "./shared-places.js";
import { KIND, setOwn, tagOf, typedOf, unescapeKey } from "./tree.js";
import type { MessageReference, Tree } from "./tree.js";

/** Where the decoder finds the pieces that are kept on their own. */
export interface ObjectSource {
  /** The tree of a stored object. Never handed to a caller, only read. */
  load(objectId: number): Tree;
  /** A fresh message from its reference; undefined when the object is no message. */
  message(reference: MessageReference): BaseMessage | undefined;
  elements(list: Tree[]): Tree[];
  entries(record: Tree[]): [string, Tree][];
}

type Fields = Record<string, unknown>;

/** A piece that is put into its place when the value around it is there. */
interface LoosePiece {
  readonly piece: number;
  readonly put: (value: unknown) => void;
}

/** Makes fresh values from trees: nothing that it returns is shared with a cache or with an earlier result. */
export class Decoder {
  private loose: LoosePiece[] = [];

  constructor(
    private readonly source: ObjectSource,
    private readonly classes: Classes,
  ) {}

  decode(tree: Tree): unknown {
    const outer = this.loose;
    this.loose = [];
    try {
      let value: unknown;
      this.put(tree, (root) => (value = root));
      for (let next = this.loose.pop(); next !== undefined; next = this.loose.pop()) {
        this.put(this.source.load(next.piece), next.put);
      }
      return value;
    } finally {
      this.loose = outer;
    }
  }

  /** Decodes a tree into its place; a piece that is cut off comes there later, so that no reader runs out of stack. */
  private put(tree: Tree, place: (value: unknown) => void): void {
    const typed = typedOf(tree);
    if (typed?.[0] === KIND.cut) this.loose.push({ piece: typed[1] as number, put: place });
    else place(this.node(tree));
  }

  private node(tree: Tree): unknown {
    if (typeof tree !== "object" || tree === null) return tree;
    if (Array.isArray(tree)) return this.array(tree);
    const payload = tagOf(tree);
    if (payload === undefined) return this.plain(tree);
    return typeof payload === "number" ? this.referred(payload) : this.typed(payload as Tree[]);
  }

  private array(trees: readonly Tree[]): unknown[] {
    const values: unknown[] = [];
    for (const [index, tree] of trees.entries()) {
      if (isBranch(tree)) this.put(tree, (value) => (values[index] = value));
      else values[index] = tree;
    }
    values.length = trees.length;
    return values;
  }

  private plain(tree: Record<string, Tree>): Fields {
    const value: Fields = {};
    for (const stored of Object.keys(tree)) {
      const item = tree[stored] as Tree;
      const key = unescapeKey(stored);
      if (!isBranch(item)) setOwn(value, key, item);
      else {
        // Takes the place in the order of keys, also for what comes later.
        setOwn(value, key, undefined);
        this.put(item, (decoded) => setOwn(value, key, decoded));
      }
    }
    return value;
  }

  private typed(payload: Tree[]): unknown {
    const [kind, first, second, third, fourth] = payload;
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
        return makeRegexp(first as string, second as string, third as number);
      case KIND.map:
        return new Map(this.node(first as Tree) as [unknown, unknown][]);
      case KIND.set:
        return new Set(this.node(first as Tree) as unknown[]);
      case KIND.binary:
        return makeBinary(first as string, second as string);
      case KIND.error:
        return makeError({
          name: first as string,
          message: second as string,
          own: this.node(third as Tree) as Fields,
          hidden: this.node(fourth ?? {}) as Fields,
        });
      default:
        return this.compound(kind as string, payload);
    }
  }

  private compound(kind: string, payload: Tree[]): unknown {
    const [, first, second, third] = payload as [Tree, Tree, Tree, Tree];
    switch (kind) {
      case KIND.message:
        return makeMessage(first as string, () => this.node(second) as Fields, third as string | undefined);
      case KIND.identified:
        return this.message({ objectId: first as number, ordinal: second as number });
      case KIND.list:
        return this.array(this.source.elements(payload));
      case KIND.record:
        return this.record(this.source.entries(payload));
      case KIND.cut:
        return this.node(this.source.load(first as number));
      case KIND.shared:
        return joinPlaces(this.decode(first), second as Places[]);
      case KIND.class:
        return this.classes.make(first as string, this.node(second));
      case KIND.send:
        return send(this.node(first) as Fields);
      case KIND.command:
        return new Command(this.node(first) as never);
      case KIND.delta:
        return new DeltaSnapshot((this.node(first) as Fields).value);
      case KIND.document:
        return new Document(this.node(first) as never);
      default:
        throw new TypeError(`Unknown tag "${kind}" in stored data.`);
    }
  }

  private record(entries: readonly [string, Tree][]): Fields {
    const value: Fields = {};
    for (const [key, tree] of entries) {
      setOwn(value, key, undefined);
      this.put(tree, (decoded) => setOwn(value, key, decoded));
    }
    return value;
  }

  private referred(objectId: number): unknown {
    return this.source.message({ objectId, ordinal: 0 }) ?? this.node(this.source.load(objectId));
  }

  /** What an identified reference stands for is a message also where its body has parts that only a decoder can make. */
  private message(reference: MessageReference): BaseMessage {
    const made = this.source.message(reference);
    if (made === undefined) throw new TypeError(`Object ${reference.objectId} is no message.`);
    return made;
  }
}

function isBranch(tree: Tree): tree is Exclude<Tree, null | boolean | number | string> {
  return typeof tree === "object" && tree !== null;
}

function send(fields: Fields): Send {
  const made = new Send(fields.node as string, fields.args);
  if (fields.timeout !== undefined) Object.assign(made, { timeout: fields.timeout });
  return made;
}
