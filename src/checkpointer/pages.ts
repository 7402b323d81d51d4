import { KIND, messageReference, tagged, typedOf } from "./tree.js";
import type { Tree } from "./tree.js";

/**
 * Long arrays and records as pages of references, so that one append rewrites the tail and the root and nothing else,
 * whatever the length.
 *
 * A list of n elements has ⌊n / PAGE⌋ full pages; their ids are grouped by FANOUT like the digits of a number, and the
 * rest of the elements stands in the root: `[kind, n, [ids of pages, ids of groups of pages, …], rest]`. The form is a
 * function of the elements alone: equal lists have equal trees.
 */
export const PAGE = 8;
const FANOUT = 8;

type Intern = (tree: Tree) => number;
type Load = (id: number) => Tree;

export function listTree(count: number, spine: Spine, rest: readonly Tree[]): Tree {
  return tagged(KIND.list, count, looseOf(spine), [...rest]);
}

/** A full page; one of nothing but messages in a form of its own, which is half as long. */
export function pageTree(elements: readonly Tree[]): Tree {
  const references = elements.flatMap(messagePair);
  return references.length === 2 * elements.length ? tagged(KIND.messages, ...references) : [...elements];
}

function messagePair(tree: Tree): number[] {
  const typed = typedOf(tree);
  return typed?.[0] === KIND.identified ? [typed[1] as number, typed[2] as number] : [];
}

/** Ids of pages and of groups of them, level by level: what a tree of pages was built of last. */
export type Spine = readonly (readonly number[])[];

/**
 * The ids of all levels: pages, groups of FANOUT pages, groups of groups. A group that `before` has at the same place,
 * with the same members, is not looked up again.
 */
export function spineOf(pageIds: readonly number[], intern: Intern, before: Spine = []): Spine {
  const spine: (readonly number[])[] = [];
  for (let ids = pageIds; ids.length > 0; ids = groupsOf(ids, intern, before, spine.length - 1)) {
    spine.push(ids);
  }
  return spine;
}

function groupsOf(ids: readonly number[], intern: Intern, before: Spine, level: number): number[] {
  const groups: number[] = [];
  for (let from = 0; from + FANOUT <= ids.length; from += FANOUT) {
    const known = before[level + 1]?.[groups.length];
    const isKnown = known !== undefined && isSameGroup(ids, before[level] as readonly number[], from);
    groups.push(isKnown ? known : intern(tagged(KIND.group, ids.slice(from, from + FANOUT))));
  }
  return groups;
}

function isSameGroup(ids: readonly number[], before: readonly number[], from: number): boolean {
  for (let at = from; at < from + FANOUT; at += 1) if (ids[at] !== before[at]) return false;
  return true;
}

/** What stands in a root: of each level the ids that are in no group. */
function looseOf(spine: Spine): number[][] {
  return spine.map((ids) => ids.slice(ids.length - (ids.length % FANOUT)));
}

/** The ids of all levels again, from what stands in a root. */
function spineFrom(loose: readonly (readonly number[])[], load: Load): Spine {
  const spine: (readonly number[])[] = [];
  let members: readonly number[] = [];
  for (const ids of [...loose].reverse()) {
    const all = [...members, ...ids];
    spine.unshift(all);
    members = spine.length === loose.length ? [] : all.flatMap((id) => membersOf(load(id)));
  }
  return spine;
}

function membersOf(group: Tree): number[] {
  const [kind, members] = (typedOf(group) ?? []) as [string?, number[]?];
  if (kind !== KIND.group || members === undefined) throw new TypeError("What is stored as a group of pages is none.");
  return members;
}

export interface ListParts {
  readonly count: number;
  readonly spine: Spine;
  /** The elements that fill no page yet. */
  readonly rest: Tree[];
}

/** What a list is made of. `tag` is what stands behind the tag of `listTree`'s tree. */
export function listParts([, count, loose, rest]: readonly Tree[], load: Load): ListParts {
  return { count: count as number, spine: spineFrom(loose as number[][], load), rest: rest as Tree[] };
}

export function pageElements(page: Tree): Tree[] {
  if (Array.isArray(page)) return page;
  const [kind, ...references] = typedOf(page) as Tree[];
  if (kind !== KIND.messages) throw new TypeError("What is stored as a page of a list is none.");
  const elements: Tree[] = [];
  for (let at = 0; at < references.length; at += 2) {
    elements.push(messageReference({ objectId: references[at] as number, ordinal: references[at + 1] as number }));
  }
  return elements;
}

/** A page of a record ends behind a key whose hash says so: one more or one less key changes one page. */
const RECORD_PAGE = { usual: 32, longest: 128 } as const;

/** A record as pages of entries, in the order of its keys. */
export function recordTree(entries: readonly [string, Tree][], intern: Intern): Tree {
  const ids: number[] = [];
  let page: Tree[] = [];
  for (const [key, value] of entries) {
    page.push(key, value);
    if (keyHash(key) % RECORD_PAGE.usual !== 0 && page.length < 2 * RECORD_PAGE.longest) continue;
    ids.push(intern(page));
    page = [];
  }
  if (page.length > 0) ids.push(intern(page));
  return tagged(KIND.record, looseOf(spineOf(ids, intern)));
}

/** FNV-1a. */
function keyHash(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function recordEntries(tag: readonly Tree[], load: Load): [string, Tree][] {
  const entries: [string, Tree][] = [];
  for (const id of spineFrom(tag[1] as number[][], load)[0] ?? []) {
    const page = load(id) as Tree[];
    for (let index = 0; index < page.length; index += 2) {
      entries.push([page[index] as string, page[index + 1] as Tree]);
    }
  }
  return entries;
}
