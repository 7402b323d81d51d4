import type { BaseMessage } from "@langchain/core/messages";
import { ObjectsUnavailableError } from "../store/errors.js";
import type { Fingerprint, ObjectTable } from "../store/sqlite/objects.js";
import type { Classes } from "./classes.js";
import { Decoder } from "./decode.js";
import type { ObjectSource } from "./decode.js";
import { Encoder } from "./encode.js";
import type { ObjectSink } from "./encode.js";
import { CorruptObjectError } from "./errors.js";
import { KnownMessages } from "./known-messages.js";
import { KnownTexts } from "./known-texts.js";
import type { Identities } from "./known-messages.js";
import { Lists } from "./lists.js";
import { MessageBody } from "./message-body.js";
import { PackedWriter } from "./packed.js";
import { recordEntries, recordTree } from "./pages.js";
import type { ThreadPacks } from "./thread-packs.js";
import { KIND, reference, referenceOf, referencesIn, typedOf } from "./tree.js";
import type { MessageReference, Tree } from "./tree.js";

/** Texts of trees kept in memory, in characters. */
const CACHE_LIMIT = 32_000_000;
/** The root of a list or record that is longer than this, packed, is an object of its own, shared by all that hold it. */
const ROOT_INLINE_LIMIT = 96;
/** Texts whose objects are known, in characters: long ones of values, and short ones of trees. */
const KNOWN_TEXTS = { long: 8_000_000, short: 1_000_000 } as const;
/** Up to this length a tree's text is looked up before it is hashed. */
const SHORT = 512;

/** Where objects are kept. */
export type Objects = Pick<ObjectTable, "fingerprint" | "find" | "insert" | "read" | "readAll">;

interface Cached {
  readonly tree: Tree;
  readonly length: number;
  /** Of an object that is a message; null when it is none. */
  body?: MessageBody | null;
}

/**
 * Values to and from the object table: every piece once, and nothing encoded again that has not changed.
 *
 * What was stored or loaded before is compared with its stored form, not encoded; so a value changed in place is stored
 * as changed.
 */
export class Luggage implements ObjectSink, ObjectSource {
  private readonly cache = new Map<number, Cached>();
  private readonly ids = new Map<string, number>();
  private readonly longTexts = new KnownTexts(KNOWN_TEXTS.long);
  private readonly shortTexts = new KnownTexts(KNOWN_TEXTS.short);
  /** What the value that is being stored has brought. */
  private readonly unnamed = new Set<number>();
  private cached = 0;
  private readonly loader = (id: number): Tree => this.load(id);
  private readonly writer = new PackedWriter();
  private readonly encoder: Encoder;
  private readonly decoder: Decoder;
  private readonly messages: KnownMessages;
  private readonly lists: Lists;
  /** The channel whose value is being stored. */
  private channel: string | undefined;

  constructor(
    private readonly objects: Objects,
    identities: Identities,
    classes: Classes,
    private readonly packs: Pick<ThreadPacks, "notice">,
  ) {
    this.encoder = new Encoder(this, this, classes);
    this.decoder = new Decoder(this, classes);
    this.messages = new KnownMessages(this, identities);
    this.lists = new Lists(this, this.messages);
  }

  /**
   * The tree of a whole value: itself when it is short enough to stand in a row, else a reference.
   *
   * @param limit how many packed bytes may stand in the row
   * @param channel names the channel whose value it is; what it held last is not encoded again
   */
  store(value: unknown, what: string, limit: number, channel?: string): Tree {
    this.channel = channel;
    this.unnamed.clear();
    const tree = this.encoder.encode(value, what);
    const [kind] = typedOf(tree) ?? [];
    return this.outsized(tree, kind === KIND.list || kind === KIND.record ? Math.max(limit, ROOT_INLINE_LIMIT) : limit);
  }

  /** A tree, or the reference of an object that holds it when it is longer than `limit`. */
  outsized(tree: Tree, limit: number): Tree {
    if (typeof tree !== "object" || tree === null || referenceOf(tree) !== undefined) {
      if (typeof tree !== "string" || tree.length <= limit) return tree;
    }
    this.writer.tree(tree);
    return this.writer.finish().length > limit ? reference(this.intern(tree)) : tree;
  }

  /** The tree of a value as it is; of what is long in it, references. */
  encode(value: unknown, what: string): Tree {
    this.channel = undefined;
    this.unnamed.clear();
    return this.encoder.encode(value, what);
  }

  /** The tree that a reference stands for; any other tree as it is. */
  resolved(tree: Tree): Tree {
    const objectId = referenceOf(tree);
    return objectId === undefined ? tree : this.load(objectId);
  }

  /** A fresh value from a tree. */
  restore(tree: Tree): unknown {
    return this.decoder.decode(tree);
  }

  /** The same for the value of a channel, which will be compared and not encoded when it is stored again. */
  restoreChannel(tree: Tree, channel: string): unknown {
    const list = typedOf(this.resolved(tree));
    return list?.[0] === KIND.list ? this.lists.decodeChannel(channel, list) : this.restore(tree);
  }

  /** Forgets what was cached: after a rollback, ids may name other objects. */
  forget(): void {
    this.messages.forget();
    this.lists.forget();
    this.cache.clear();
    this.ids.clear();
    this.unnamed.clear();
    this.longTexts.clear();
    this.shortTexts.clear();
    this.cached = 0;
  }

  intern(tree: Tree): number {
    const text = JSON.stringify(tree);
    const isShort = text.length <= SHORT;
    const known = isShort ? this.shortTexts.get(text) : undefined;
    if (known !== undefined) return known;
    const id = this.internByHash(tree, text);
    if (isShort) this.shortTexts.keep(text, id);
    return id;
  }

  internText(text: string): number {
    const known = this.longTexts.get(text);
    if (known !== undefined) return known;
    const id = this.internByHash(text, JSON.stringify(text));
    this.longTexts.keep(text, id);
    return id;
  }

  private internByHash(tree: Tree, text: string): number {
    const fingerprint = this.objects.fingerprint(text);
    const key = fingerprint.hash.toString("latin1");
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const id = this.objects.find(fingerprint) ?? this.insert(tree, text, fingerprint);
    this.keep(id, tree, text.length);
    this.ids.set(key, id);
    return id;
  }

  private insert(tree: Tree, text: string, fingerprint: Fingerprint): number {
    const id = this.objects.insert(text, fingerprint, () => isLeaf(tree));
    if (!isSaid(tree)) return id;
    this.packs.notice(id, text);
    this.unnamed.add(id);
    return id;
  }

  takeUnnamed(objectId: number): boolean {
    return this.unnamed.delete(objectId);
  }

  load(objectId: number): Tree {
    return this.entry(objectId).tree;
  }

  /** Loads with one look what will be needed one by one. What cannot be had is left to those who need it. */
  prefetch(objectIds: readonly number[]): void {
    const missing = objectIds.filter((id) => !this.cache.has(id));
    if (missing.length < 2) return;
    for (const [id, text] of this.objects.readAll(missing)) {
      this.keep(id, JSON.parse(text) as Tree, text.length);
    }
  }

  private entry(objectId: number): Cached {
    const cached = this.cache.get(objectId);
    if (cached !== undefined) return cached;
    const found = this.objects.read(objectId);
    if (found === "elsewhere") throw elsewhere(objectId);
    if (typeof found === "string") throw corrupt(objectId, found);
    return this.keep(objectId, JSON.parse(found.text) as Tree, found.text.length);
  }

  /** The body of a message, ready to make instances from; undefined when the object is something else. */
  body(objectId: number): MessageBody | undefined {
    const entry = this.entry(objectId);
    entry.body ??= MessageBody.of(entry.tree, this.loader) ?? null;
    return entry.body ?? undefined;
  }

  message(reference: MessageReference): BaseMessage | undefined {
    return this.messages.makeAt(reference);
  }

  decode(tree: Tree): unknown {
    return this.decoder.decode(tree);
  }

  elements(list: Tree[]): Tree[] {
    return this.lists.elements(list);
  }

  entries(record: Tree[]): [string, Tree][] {
    return recordEntries(record, this.loader);
  }

  list(values: readonly unknown[], encode: (value: unknown) => Tree, isRoot: boolean): Tree {
    if (isRoot) return this.lists.encodeWhole(this.channel, values, encode);
    return this.outsized(this.lists.encode(values, encode), ROOT_INLINE_LIMIT);
  }

  record(entries: [string, Tree][]): Tree {
    return this.outsized(
      recordTree(entries, (tree) => this.intern(tree)),
      ROOT_INLINE_LIMIT,
    );
  }

  knownMessage(message: BaseMessage): Tree | undefined {
    return this.messages.find(message);
  }

  storeMessage(message: BaseMessage, body: Tree): Tree {
    return this.messages.store(message, body);
  }

  private keep(id: number, tree: Tree, length: number): Cached {
    const known = this.cache.get(id);
    if (known !== undefined) return known;
    const entry = { tree, length };
    this.cache.set(id, entry);
    this.cached += length;
    if (this.cached > CACHE_LIMIT) this.makeRoom();
    return entry;
  }

  /** What was made of the trees holds their texts too, so it goes along. */
  private makeRoom(): void {
    for (const [oldest, { length: freed }] of this.cache) {
      this.cache.delete(oldest);
      this.cached -= freed;
      if (this.cached <= CACHE_LIMIT / 2) break;
    }
    this.ids.clear();
    this.messages.forget();
    this.lists.forget();
  }
}

/** Texts and messages; what holds references only goes sooner than they do. */
function isSaid(tree: Tree): boolean {
  return typeof tree === "string" || typedOf(tree)?.[0] === KIND.message;
}

function isLeaf(tree: Tree): boolean {
  for (const _reference of referencesIn(tree)) return false;
  return true;
}

function elsewhere(objectId: number): ObjectsUnavailableError {
  return new ObjectsUnavailableError(
    `Stored object ${objectId} lies outside the database, and this saver was opened without the option objects. ` +
      `Give it the place that was used when the checkpoint was stored. Nothing was changed.`,
    { details: { objectId } },
  );
}

function corrupt(objectId: number, what: "missing" | "corrupt"): CorruptObjectError {
  return new CorruptObjectError(
    `Stored object ${objectId} is ${what === "missing" ? "missing" : "damaged: its content does not match its hash"}. ` +
      `The checkpoint that refers to it cannot be read, and no older one is handed out in its place. ` +
      `Restore the database from a backup, or continue from another checkpoint of the thread.`,
    { details: { objectId, what } },
  );
}
