import type { BaseMessage } from "@langchain/core/messages";
import type { IdentityTable, MessageId } from "../store/sqlite/identities.js";
import { idOf } from "./encode.js";
import type { MessageBody } from "./message-body.js";
import type { KwargsKeys } from "./message-body.js";
import { makeMessage } from "./messages.js";
import { KIND, messageReference, typedOf } from "./tree.js";
import type { MessageReference, Tree } from "./tree.js";

/** Records of references kept in memory. */
const RECORDS_KEPT = 100_000;

/** What a reference stands for. As long as an instance is unchanged, the reference stands for the instance too. */
export class MessageRecord {
  constructor(
    readonly body: MessageBody,
    readonly keys: KwargsKeys,
    readonly id: MessageId | undefined,
    readonly objectId: number,
    readonly tree: Tree,
  ) {}

  isUnchanged(message: BaseMessage): boolean {
    return message.id === this.id && this.body.matches(message, this.keys);
  }
}

/** Where the ids of messages are kept. */
export type Identities = Pick<IdentityTable, "at" | "allAt" | "ordinalOf">;

export interface Shelf {
  /** The tree of an object. */
  load(objectId: number): Tree;
  /** The body of a message that is stored as this object; undefined when it is something else. */
  body(objectId: number): MessageBody | undefined;
  intern(tree: Tree): number;
  /** Whether an object is new and has no message id yet; the answer is yes once. */
  takeUnnamed(objectId: number): boolean;
  decode(tree: Tree): unknown;
}

/** Messages to and from their references. */
export class KnownMessages {
  private stored = new WeakMap<BaseMessage, MessageRecord>();
  private readonly records = new Map<number, Map<number, MessageRecord>>();
  private readonly prefetched = new Map<string, MessageId>();
  private kept = 0;
  private readonly decode: (tree: Tree) => unknown;

  constructor(
    private readonly shelf: Shelf,
    private readonly table: Identities,
  ) {
    this.decode = (tree) => shelf.decode(tree);
  }

  forget(): void {
    this.stored = new WeakMap();
    this.records.clear();
    this.prefetched.clear();
    this.kept = 0;
  }

  /** The reference of an instance that was stored and has not changed, but for its id perhaps. */
  find(message: BaseMessage): Tree | undefined {
    const record = this.stored.get(message);
    if (record === undefined) return undefined;
    if (record.isUnchanged(message)) return record.tree;
    return record.body.isBodyOf(message) ? this.remember(message, record.body, record.objectId).tree : undefined;
  }

  /** What is known of an instance that was stored before. */
  recordOf(message: BaseMessage): MessageRecord | undefined {
    return this.stored.get(message);
  }

  store(message: BaseMessage, body: Tree): Tree {
    const objectId = this.shelf.intern(body);
    const known = this.shelf.body(objectId);
    if (known !== undefined) return this.remember(message, known, objectId).tree;
    return messageReference({ objectId, ordinal: this.ordinalOf(objectId, idOf(message)) });
  }

  private remember(message: BaseMessage, body: MessageBody, objectId: number): MessageRecord {
    const id = idOf(message);
    const tree = messageReference({ objectId, ordinal: this.ordinalOf(objectId, id) });
    const record = new MessageRecord(body, body.keysOf(message), id, objectId, tree);
    this.stored.set(message, record);
    return record;
  }

  /** Loads with one look the ids of messages that will be needed one by one. */
  prefetch(references: readonly MessageReference[]): void {
    const named = references.filter(({ ordinal }) => ordinal > 0);
    if (named.length < 2) return;
    this.prefetched.clear();
    for (const { objectId, ordinal, id } of this.table.allAt(named)) this.prefetched.set(`${objectId}.${ordinal}`, id);
  }

  /** What a reference stands for, once for all instances; undefined when it is no message, or one with shared parts. */
  recordAt(reference: MessageReference): MessageRecord | undefined {
    const known = this.records.get(reference.objectId)?.get(reference.ordinal);
    if (known !== undefined) return known;
    const body = this.shelf.body(reference.objectId);
    if (body === undefined) return undefined;
    const id = this.idAt(reference);
    const keys = body.keysOf(body.make(id as string | undefined, this.decode));
    return this.keep(reference, new MessageRecord(body, keys, id, reference.objectId, messageReference(reference)));
  }

  private keep({ objectId, ordinal }: MessageReference, record: MessageRecord): MessageRecord {
    this.kept += 1;
    if (this.kept > RECORDS_KEPT) {
      this.records.clear();
      this.kept = 1;
    }
    const others = this.records.get(objectId) ?? new Map<number, MessageRecord>();
    this.records.set(objectId, others.set(ordinal, record));
    return record;
  }

  /** A fresh instance. */
  make({ body, id }: MessageRecord): BaseMessage {
    return body.make(id as string | undefined, this.decode);
  }

  /** A fresh instance; undefined when the object is no message. */
  makeAt(reference: MessageReference): BaseMessage | undefined {
    const record = this.recordAt(reference);
    if (record !== undefined) return this.make(record);
    const typed = typedOf(this.shelf.load(reference.objectId));
    if (typed?.[0] !== KIND.message) return undefined;
    const fields = (): Record<string, unknown> => this.decode(typed[2] as Tree) as Record<string, unknown>;
    return makeMessage(typed[1] as string, fields, this.idAt(reference) as string | undefined);
  }

  private idAt({ objectId, ordinal }: MessageReference): MessageId | undefined {
    if (ordinal === 0) return undefined;
    const prefetched = this.prefetched.get(`${objectId}.${ordinal}`);
    if (prefetched !== undefined) return prefetched;
    const found = this.table.at(objectId, ordinal);
    if (found === undefined) throw new TypeError(`Message ${objectId} has no id number ${ordinal}.`);
    return found.id;
  }

  private ordinalOf(objectId: number, id: MessageId | undefined): number {
    return id === undefined ? 0 : this.table.ordinalOf(objectId, id, this.shelf.takeUnnamed(objectId));
  }
}
