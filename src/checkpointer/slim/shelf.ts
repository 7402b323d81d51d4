import { hash } from "node:crypto";
import type { MessageId } from "../../store/sqlite/identities.js";
import type { Fingerprint, Found } from "../../store/sqlite/objects.js";
import type { Classes } from "../classes.js";
import type { Identities } from "../known-messages.js";
import { Luggage } from "../luggage.js";
import type { Objects } from "../luggage.js";
import type { MessageReference, Tree } from "../tree.js";
import { fromStored, toStored } from "./stored-form.js";
import type { Names, Numbers } from "./stored-form.js";

/** A piece that this process has made: its hash, and its stored form as a text. */
export interface NewPiece {
  readonly hash: string;
  readonly text: string;
}

/** Ids of messages by the object that holds what the message says, with ordinals from 1. */
class ShelfIdentities implements Identities {
  private readonly ids = new Map<number, MessageId[]>();
  private readonly ordinals = new Map<number, Map<MessageId, number>>();

  at(object: number, ordinal: number): { id: MessageId } | undefined {
    const ids = this.ids.get(object);
    return ids === undefined || ids.length < ordinal ? undefined : { id: ids[ordinal - 1] as MessageId };
  }

  allAt(references: readonly MessageReference[]): (MessageReference & { id: MessageId })[] {
    return references.flatMap((reference) => {
      const found = this.at(reference.objectId, reference.ordinal);
      return found === undefined ? [] : [{ ...reference, id: found.id }];
    });
  }

  ordinalOf(object: number, id: MessageId): number {
    const ordinals = this.ordinals.get(object) ?? new Map<MessageId, number>();
    const known = ordinals.get(id);
    if (known !== undefined) return known;
    const ids = this.ids.get(object) ?? [];
    ids.push(id);
    this.ids.set(object, ids);
    this.ordinals.set(object, ordinals.set(id, ids.length));
    return ids.length;
  }
}

/**
 * Pieces in memory, numbered, so that values are made and compared without waiting. What lies on a shelf lies there with
 * all that it refers to. A shelf only grows: when it is full, a new one takes its place.
 */
export class Shelf implements Objects, Names, Numbers {
  readonly luggage: Luggage;
  /** How much lies here, in characters. */
  size = 0;
  private readonly identities = new ShelfIdentities();
  private readonly numbers = new Map<string, number>();
  /** By number, from 1. */
  private readonly hashes: string[] = [""];
  private readonly texts: (string | undefined)[] = [];

  /**
   * @param hashOf the hash of the stored form of a piece
   * @param announce is told of every piece that is made here
   */
  constructor(
    classes: Classes,
    private readonly hashOfText: (text: string) => string,
    private readonly announce: (piece: NewPiece) => void,
  ) {
    this.luggage = new Luggage(this, this.identities, classes, { notice: () => undefined });
  }

  has(hash: string): boolean {
    const id = this.numbers.get(hash);
    return id !== undefined && this.texts[id] !== undefined;
  }

  /** Adds pieces that were stored, together with all that they refer to and that is not here yet. @throws TypeError */
  admit(pieces: ReadonlyMap<string, Tree>): void {
    const texts = [...pieces].map(([hash, tree]) => [hash, JSON.stringify(fromStored(tree, this))] as const);
    for (const [hash, text] of texts) this.place(this.objectIdOf(hash), text);
  }

  /** A tree in its stored form. */
  stored(tree: Tree): Tree {
    return toStored(tree, this);
  }

  /** The tree of a stored form; what it refers to must be here. @throws TypeError */
  tree(stored: Tree): Tree {
    return fromStored(stored, this);
  }

  fingerprint(text: string): Fingerprint {
    return { hash: hash("sha256", text, "buffer"), key: 0 };
  }

  /** A piece is known by its stored form only. */
  find(): undefined {
    return undefined;
  }

  insert(text: string): number {
    const stored = JSON.stringify(this.stored(JSON.parse(text) as Tree));
    const hash = this.hashOfText(stored);
    const id = this.objectIdOf(hash);
    if (this.texts[id] === undefined) {
      this.place(id, text);
      this.announce({ hash, text: stored });
    }
    return id;
  }

  read(id: number): Found {
    const text = this.texts[id];
    return text === undefined ? "missing" : { text };
  }

  readAll(ids: readonly number[]): Map<number, string> {
    const texts = new Map<number, string>();
    for (const id of ids) {
      const text = this.texts[id];
      if (text !== undefined) texts.set(id, text);
    }
    return texts;
  }

  hashOf(objectId: number): string {
    return this.hashes[objectId] as string;
  }

  messageIdOf(objectId: number, ordinal: number): MessageId {
    return (this.identities.at(objectId, ordinal) as { id: MessageId }).id;
  }

  objectIdOf(hash: string): number {
    const known = this.numbers.get(hash);
    if (known !== undefined) return known;
    const id = this.hashes.push(hash) - 1;
    this.numbers.set(hash, id);
    return id;
  }

  ordinalOf(objectId: number, id: MessageId): number {
    return this.identities.ordinalOf(objectId, id);
  }

  private place(id: number, text: string): void {
    this.texts[id] = text;
    this.size += text.length;
  }
}
