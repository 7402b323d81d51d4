import { MessageRecord } from "./known-messages.js";
import type { KnownMessages } from "./known-messages.js";
import { ListMemo, ListMemos } from "./list-memo.js";
import type { KnownElement } from "./list-memo.js";
import { isMessage } from "./messages.js";
import { PAGE, listParts, listTree, pageElements, pageTree, spineOf } from "./pages.js";
import type { Spine } from "./pages.js";
import { sharedPlaces } from "./shared-places.js";
import type { Places } from "./shared-places.js";
import { snapshotOf } from "./snapshot.js";
import { KIND, referenceOf, tagged, typedOf } from "./tree.js";
import type { MessageReference, Tree } from "./tree.js";

export interface Pieces {
  intern(tree: Tree): number;
  load(objectId: number): Tree;
  prefetch(objectIds: readonly number[]): void;
  decode(tree: Tree): unknown;
}

/** Pages kept in memory. */
const PAGES_KEPT = 10_000;
/** Pages whose elements are looked up together. */
const PAGES_AT_ONCE = 64;

/** An element that was not looked up yet. */
interface UnknownElement {
  readonly tree: Tree;
  /** Of the message that it may be. */
  readonly reference: MessageReference | undefined;
}

function unknownElement(tree: Tree): UnknownElement {
  return { tree, reference: messageReferenceOf(tree) };
}

type Encode = (value: unknown) => Tree;

/** Long lists to and from their pages. What a channel held last is not encoded again. */
export class Lists {
  private readonly memos = new ListMemos();
  private readonly pages = new Map<number, readonly KnownElement[]>();
  private readonly intern = (tree: Tree): number => this.pieces.intern(tree);
  private readonly load = (objectId: number): Tree => this.pieces.load(objectId);

  constructor(
    private readonly pieces: Pieces,
    private readonly messages: KnownMessages,
  ) {}

  forget(): void {
    this.memos.clear();
    this.pages.clear();
  }

  /** A list within another value. */
  encode(values: readonly unknown[], encode: Encode): Tree {
    const trees = values.map(encode);
    const pageIds = this.pageIdsOf(trees.length, (page) => this.intern(pageTree(pageOf(trees, page))));
    return listTree(trees.length, spineOf(pageIds, this.intern), trees.slice(pageIds.length * PAGE));
  }

  /** A list that is a whole value, and the one of the channel `key` where that is given. */
  encodeWhole(key: string | undefined, values: readonly unknown[], encode: Encode): Tree {
    if (key !== undefined) return this.encodeChannel(key, values, encode);
    return withPlaces(this.encode(values, encode), sharedPlaces(values));
  }

  private encodeChannel(key: string, values: readonly unknown[], encode: Encode): Tree {
    const memo = this.memos.get(key) ?? new ListMemo();
    const changed = this.changesOf(memo, values, encode);
    const changedPages = new Set([...changed.keys()].map((index) => Math.floor(index / PAGE)));
    memo.update(values, changed);
    const pageIds = this.pageIdsOf(values.length, (page) => {
      const id = changedPages.has(page) ? undefined : memo.spine[0]?.[page];
      return id ?? this.intern(pageTree(pageOf(memo.trees, page)));
    });
    memo.spine = spineOf(pageIds, this.intern, memo.spine);
    this.memos.keep(key, memo);
    const tree = listTree(values.length, memo.spine, memo.trees.slice(pageIds.length * PAGE));
    return withPlaces(tree, memo.isOfSingleMessages ? undefined : sharedPlaces(values));
  }

  private pageIdsOf(length: number, idOf: (page: number) => number): number[] {
    return Array.from({ length: Math.floor(length / PAGE) }, (_, page) => idOf(page));
  }

  private changesOf(memo: ListMemo, values: readonly unknown[], encode: Encode): Map<number, KnownElement> {
    const changed = new Map<number, KnownElement>();
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      if (!memo.isUnchanged(index, value)) changed.set(index, memo.moved(value) ?? this.known(value, encode(value)));
    }
    return changed;
  }

  private known(value: unknown, tree: Tree): KnownElement {
    const record = typeof value === "object" && value !== null ? this.recordOf(value) : undefined;
    return { known: record ?? snapshotOf(tree, this.load), tree };
  }

  private recordOf(value: object): KnownElement["known"] | undefined {
    return isMessage(value) ? this.messages.recordOf(value) : undefined;
  }

  /** The references of the elements of a list. */
  elements(tag: readonly Tree[]): Tree[] {
    return this.knownElements(tag).elements.map(({ tree }) => tree);
  }

  /** A fresh list as the value of the channel `key`, which is not encoded again as long as nobody changes it. */
  decodeChannel(key: string, tag: readonly Tree[]): unknown[] {
    const { spine, elements } = this.knownElements(tag);
    const values: unknown[] = [];
    for (const { known, tree } of elements) {
      values.push(known instanceof MessageRecord ? this.messages.make(known) : this.pieces.decode(tree));
    }
    this.memos.keep(key, ListMemo.of(values, elements, spine));
    return values;
  }

  private knownElements(tag: readonly Tree[]): { spine: Spine; elements: KnownElement[] } {
    const { count, spine, rest } = listParts(tag, this.load);
    this.pieces.prefetch(spine[0] ?? []);
    const elements: KnownElement[] = [];
    for (const ids of batches(spine[0] ?? [], PAGES_AT_ONCE)) {
      for (const page of this.pagesAt(ids)) for (const element of page) elements.push(element);
    }
    for (const tree of rest) elements.push(this.elementOf(unknownElement(tree)));
    if (elements.length !== count) throw new TypeError("A stored list has not as many elements as it says.");
    return { spine, elements };
  }

  /** Pages of one list, with one look for all that stands on those that are new here. */
  private pagesAt(ids: readonly number[]): (readonly KnownElement[])[] {
    const fresh = new Map<number, UnknownElement[]>();
    for (const id of ids) if (!this.pages.has(id)) fresh.set(id, this.unknownPage(id));
    if (fresh.size > 0) this.lookUp([...fresh.values()].flat());
    return ids.map((id) => this.pages.get(id) ?? this.keep(id, fresh.get(id) ?? this.unknownPage(id)));
  }

  private unknownPage(id: number): UnknownElement[] {
    return pageElements(this.load(id)).map(unknownElement);
  }

  private lookUp(elements: readonly UnknownElement[]): void {
    const references = elements.flatMap(({ reference }) => reference ?? []);
    this.pieces.prefetch(references.map(({ objectId }) => objectId));
    this.messages.prefetch(references);
  }

  private keep(id: number, page: readonly UnknownElement[]): readonly KnownElement[] {
    if (this.pages.size >= PAGES_KEPT) this.pages.clear();
    const elements = page.map((element) => this.elementOf(element));
    this.pages.set(id, elements);
    return elements;
  }

  private elementOf({ tree, reference }: UnknownElement): KnownElement {
    const record = reference && this.messages.recordAt(reference);
    return { known: record ?? snapshotOf(tree, this.load), tree };
  }
}

function* batches<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

function withPlaces(tree: Tree, places: Places[] | undefined): Tree {
  return places === undefined ? tree : tagged(KIND.shared, tree, places);
}

function pageOf(trees: readonly Tree[], page: number): Tree[] {
  return trees.slice(page * PAGE, (page + 1) * PAGE);
}

/** What may be the reference of a message. */
export function messageReferenceOf(tree: Tree): MessageReference | undefined {
  const typed = typedOf(tree);
  if (typed?.[0] === KIND.identified) return { objectId: typed[1] as number, ordinal: typed[2] as number };
  const objectId = referenceOf(tree);
  return objectId === undefined ? undefined : { objectId, ordinal: 0 };
}
