import type { BaseMessage } from "@langchain/core/messages";
import type { ObjectTable } from "../store/sqlite/objects.js";
import { Decoder } from "./decode.js";
import type { ObjectSource } from "./decode.js";
import { Encoder } from "./encode.js";
import type { ObjectSink } from "./encode.js";
import { CorruptObjectError } from "./errors.js";
import { PageMemo, buildList, buildRecord, listElements, recordEntries } from "./pages.js";
import { isSameMessage } from "./same.js";
import { KIND, TAG, reference, referenceOf, tagged } from "./tree.js";
import type { Tree } from "./tree.js";

/** Texts of trees kept in memory, in characters. */
const CACHE_LIMIT = 32_000_000;
/** The root of a list or record that is longer than this is an object of its own, shared by all that hold it. */
const ROOT_INLINE_LIMIT = 64;

interface KnownMessage {
  readonly objectId: number;
  readonly body: Record<string, Tree>;
  readonly keys: readonly string[];
  readonly reference: Tree;
  readonly id: string | undefined;
}

/**
 * Values to and from the object table: every piece once, and nothing encoded again that has not changed.
 *
 * A message that was stored or loaded before is compared with its stored form, not encoded; so a message changed in
 * place is stored as changed.
 */
export class Luggage implements ObjectSink, ObjectSource {
  private messages = new WeakMap<BaseMessage, KnownMessage>();
  private pages = new PageMemo();
  private readonly trees = new Map<number, { tree: Tree; length: number }>();
  private readonly ids = new Map<string, number>();
  private cached = 0;
  private readonly loader = (id: number): Tree => this.load(id);
  private readonly encoder = new Encoder(this);
  private readonly decoder = new Decoder(this);

  constructor(private readonly objects: ObjectTable) {}

  /** The tree of a whole value: itself when its JSON is short enough to stand in a row, else a reference. */
  store(value: unknown, what: string, inlineLimit: number): Tree {
    return this.outsized(this.encoder.encode(value, what), inlineLimit);
  }

  private outsized(tree: Tree, inlineLimit: number): Tree {
    if (referenceOf(tree) !== undefined) return tree;
    return JSON.stringify(tree).length > inlineLimit ? reference(this.intern(tree)) : tree;
  }

  /** A fresh value from a tree. */
  restore(tree: Tree): unknown {
    return this.decoder.decode(tree);
  }

  /** Forgets what was cached: after a rollback, ids may name other objects. */
  forget(): void {
    this.messages = new WeakMap();
    this.pages = new PageMemo();
    this.trees.clear();
    this.ids.clear();
    this.cached = 0;
  }

  intern(tree: Tree): number {
    const text = JSON.stringify(tree);
    const fingerprint = this.objects.fingerprint(text);
    const key = fingerprint.hash.toString("latin1");
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const id = this.objects.find(fingerprint) ?? this.objects.insert(text, fingerprint);
    this.keep(id, tree, text.length);
    this.ids.set(key, id);
    return id;
  }

  load(objectId: number): Tree {
    const cached = this.trees.get(objectId);
    if (cached !== undefined) return cached.tree;
    const found = this.objects.read(objectId);
    if (typeof found === "string") throw corrupt(objectId, found);
    const tree = JSON.parse(found.text) as Tree;
    this.keep(objectId, tree, found.text.length);
    return tree;
  }

  elements(list: Tree[]): Tree[] {
    return listElements(list, this.loader);
  }

  entries(record: Tree[]): [string, Tree][] {
    return recordEntries(record, this.loader);
  }

  list(elements: Tree[]): Tree {
    return this.outsized(
      buildList(elements, (tree) => this.intern(tree), this.pages),
      ROOT_INLINE_LIMIT,
    );
  }

  record(entries: [string, Tree][]): Tree {
    return this.outsized(
      buildRecord(entries, (tree) => this.intern(tree)),
      ROOT_INLINE_LIMIT,
    );
  }

  knownMessage(message: BaseMessage): Tree | undefined {
    const known = this.messages.get(message);
    if (known === undefined || !isSameMessage(message, known.body, known.keys, this.loader)) return undefined;
    if (known.id === message.id) return known.reference;
    const renamed = messageReference(known.objectId, message.id);
    this.messages.set(message, { ...known, reference: renamed, id: message.id });
    return renamed;
  }

  remember(message: BaseMessage, tree: Tree, body: Record<string, Tree>): void {
    const objectId = referenceOf(tree) ?? ((tree as { [TAG]: Tree[] })[TAG][1] as number);
    this.messages.set(message, { objectId, body, keys: keysOf(body), reference: tree, id: message.id });
  }

  private keep(id: number, tree: Tree, length: number): void {
    if (this.trees.has(id)) return;
    this.trees.set(id, { tree, length });
    this.cached += length;
    if (this.cached <= CACHE_LIMIT) return;
    for (const [oldest, entry] of this.trees) {
      this.trees.delete(oldest);
      this.cached -= entry.length;
      if (this.cached <= CACHE_LIMIT / 2) break;
    }
    this.ids.clear();
  }
}

const keysByBody = new WeakMap<object, string[]>();

function keysOf(body: Record<string, Tree>): string[] {
  const known = keysByBody.get(body);
  if (known !== undefined) return known;
  const keys = Object.keys(body);
  keysByBody.set(body, keys);
  return keys;
}

function messageReference(objectId: number, id: string | undefined): Tree {
  return id === undefined ? reference(objectId) : tagged(KIND.identified, objectId, id);
}

function corrupt(objectId: number, what: "missing" | "corrupt"): CorruptObjectError {
  return new CorruptObjectError(
    `Stored object ${objectId} is ${what === "missing" ? "missing" : "damaged: its content does not match its hash"}. ` +
      `The checkpoint that refers to it cannot be read, and no older one is handed out in its place. ` +
      `Restore the database from a backup, or continue from another checkpoint of the thread.`,
    { details: { objectId, what } },
  );
}
