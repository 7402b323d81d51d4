import type { BaseMessage } from "@langchain/core/messages";
import { MessageRecord } from "./known-messages.js";
import type { Spine } from "./pages.js";
import { isSame } from "./snapshot.js";
import type { Snapshot } from "./snapshot.js";
import type { Tree } from "./tree.js";

/** How many elements of lists are kept in memory, of all channels together. */
const ELEMENTS_KEPT = 20_000;
/** What a memo counts for beside its elements. */
const OWN_SIZE = 20;

/** An element as it was stored: what it is compared with, and what stands for it. */
export interface KnownElement {
  readonly known: MessageRecord | Snapshot;
  readonly tree: Tree;
}

/** A list as a channel held it last, element by element and page by page. */
export class ListMemo {
  private readonly elements: unknown[] = [];
  private readonly known: (MessageRecord | Snapshot)[] = [];
  readonly trees: Tree[] = [];
  /** Of its pages. */
  spine: Spine = [];
  private where: Map<unknown, number> | undefined;
  /** The elements, as far as they are messages and none stands there twice; undefined when that is not so. */
  private members: Set<unknown> | undefined = new Set();

  static of(values: readonly unknown[], elements: readonly KnownElement[], spine: Spine): ListMemo {
    const memo = new ListMemo();
    for (const value of values) memo.elements.push(value);
    for (const { known, tree } of elements) {
      memo.known.push(known);
      memo.trees.push(tree);
    }
    memo.spine = spine;
    memo.members = memo.known.every(isRecord) ? new Set(memo.elements) : undefined;
    return memo;
  }

  get length(): number {
    return this.elements.length;
  }

  isUnchanged(index: number, value: unknown): boolean {
    if (index >= this.elements.length) return false;
    const known = this.known[index];
    if (!(known instanceof MessageRecord)) return isSame(value, known);
    return value === this.elements[index] && known.isUnchanged(value as BaseMessage);
  }

  /** An element that stands elsewhere now, and is unchanged. */
  moved(value: unknown): KnownElement | undefined {
    if (this.members?.has(value) === false) return undefined;
    this.where ??= new Map(this.elements.map((element, index) => [element, index]));
    const index = typeof value === "object" ? this.where.get(value) : undefined;
    if (index === undefined || !this.isUnchanged(index, value)) return undefined;
    return { known: this.known[index], tree: this.trees[index] as Tree };
  }

  /** The list as it is now: the elements that are new or moved, by index, and its length. */
  update(values: readonly unknown[], changed: ReadonlyMap<number, KnownElement>): void {
    const before = this.elements.length;
    this.elements.length = values.length;
    this.known.length = values.length;
    this.trees.length = values.length;
    for (const [index, { known, tree }] of changed) {
      this.elements[index] = values[index];
      this.known[index] = known;
      this.trees[index] = tree;
    }
    this.where = undefined;
    this.renewMembers(before, changed);
  }

  /** True when the list holds nothing but messages, each at one place. */
  get isOfSingleMessages(): boolean {
    return this.members !== undefined;
  }

  private renewMembers(before: number, changed: ReadonlyMap<number, KnownElement>): void {
    const appended = this.members !== undefined && [...changed.keys()].every((index) => index >= before);
    if (!appended || before > this.elements.length) {
      this.members = this.known.every(isRecord) ? new Set(this.elements) : undefined;
    } else {
      for (const [index, { known }] of changed) {
        if (!isRecord(known)) this.members = undefined;
        this.members?.add(this.elements[index]);
      }
    }
    if (this.members?.size !== this.elements.length) this.members = undefined;
  }
}

function isRecord(known: MessageRecord | Snapshot): boolean {
  return known instanceof MessageRecord;
}

/** The memos of channels that were used last. */
export class ListMemos {
  private readonly memos = new Map<string, ListMemo>();

  get(key: string): ListMemo | undefined {
    return this.memos.get(key);
  }

  keep(key: string, memo: ListMemo): void {
    this.memos.delete(key);
    this.memos.set(key, memo);
    let size = 0;
    for (const { length } of this.memos.values()) size += OWN_SIZE + length;
    for (const [oldest, { length }] of this.memos) {
      if (size <= ELEMENTS_KEPT || this.memos.size === 1) return;
      this.memos.delete(oldest);
      size -= OWN_SIZE + length;
    }
  }

  clear(): void {
    this.memos.clear();
  }
}
