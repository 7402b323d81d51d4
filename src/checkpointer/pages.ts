import { KIND, tagged } from "./tree.js";
import type { Tree } from "./tree.js";

/**
 * Long arrays and records as pages of references, so that one append rewrites the tail and the root and nothing else,
 * whatever the length.
 *
 * A list of n elements has ⌊n / PAGE⌋ full pages; their ids are grouped in FANOUTs like the digits of a number, and the
 * rest of the elements stands in the root: `[kind, n, [ids of pages, ids of groups of pages, …], rest]`. The form is a
 * function of the elements alone: equal lists have equal trees.
 */
const PAGE = 8;
const FANOUT = 32;
const RECORD_PAGE = 32;

type Intern = (tree: Tree) => number;

/** Page ids by the identity of their elements' trees, which are the same objects as long as nothing changed. */
export class PageMemo {
  private readonly pages = new WeakMap<object, { elements: readonly Tree[]; id: number }>();

  find(elements: readonly Tree[]): number | undefined {
    const first = elements[0];
    if (typeof first !== "object" || first === null) return undefined;
    const known = this.pages.get(first);
    return known?.elements.every((element, index) => element === elements[index]) ? known.id : undefined;
  }

  keep(elements: readonly Tree[], id: number): void {
    const first = elements[0];
    if (typeof first === "object" && first !== null) this.pages.set(first, { elements, id });
  }
}

export function buildList(elements: readonly Tree[], intern: Intern, memo: PageMemo): Tree {
  const rest = elements.length % PAGE;
  const paged = elements.length - rest;
  const ids: number[] = [];
  for (let from = 0; from < paged; from += PAGE) ids.push(pageId(elements.slice(from, from + PAGE), intern, memo));
  return tagged(KIND.list, elements.length, levels(ids, intern), elements.slice(paged));
}

function pageId(elements: Tree[], intern: Intern, memo: PageMemo): number {
  const known = memo.find(elements);
  if (known !== undefined) return known;
  const id = intern(elements);
  memo.keep(elements, id);
  return id;
}

function levels(pageIds: number[], intern: Intern): number[][] {
  const result: number[][] = [];
  let ids = pageIds;
  while (ids.length > 0) {
    const loose = ids.length % FANOUT;
    const grouped = ids.length - loose;
    result.push(ids.slice(grouped));
    const groups: number[] = [];
    for (let from = 0; from < grouped; from += FANOUT) {
      groups.push(intern(tagged(KIND.group, ids.slice(from, from + FANOUT))));
    }
    ids = groups;
  }
  return result;
}

/** The elements of a list, oldest first. `tag` is what stands behind the tag of `buildList`'s tree. */
export function listElements(tag: readonly Tree[], load: (id: number) => Tree): Tree[] {
  const spine = tag[2] as number[][];
  const elements: Tree[] = [];
  for (let level = spine.length - 1; level >= 0; level -= 1) {
    for (const id of spine[level] ?? []) appendPages(id, level, load, elements);
  }
  elements.push(...(tag[3] as Tree[]));
  return elements;
}

function appendPages(id: number, level: number, load: (id: number) => Tree, into: Tree[]): void {
  if (level === 0) {
    into.push(...(load(id) as Tree[]));
    return;
  }
  const group = load(id) as { "~": [string, number[]] };
  for (const child of group["~"][1]) appendPages(child, level - 1, load, into);
}

/** A record as pages of entries, in the order of its keys. */
export function buildRecord(entries: readonly [string, Tree][], intern: Intern): Tree {
  const ids: number[] = [];
  for (let from = 0; from < entries.length; from += RECORD_PAGE) {
    ids.push(intern(entries.slice(from, from + RECORD_PAGE).flat()));
  }
  return tagged(KIND.record, ids);
}

export function recordEntries(tag: readonly Tree[], load: (id: number) => Tree): [string, Tree][] {
  const entries: [string, Tree][] = [];
  for (const id of tag[1] as number[]) {
    const page = load(id) as Tree[];
    for (let index = 0; index < page.length; index += 2) {
      entries.push([page[index] as string, page[index + 1] as Tree]);
    }
  }
  return entries;
}
