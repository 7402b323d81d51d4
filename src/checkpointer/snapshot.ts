import { KIND, setOwn, tagOf, unescapeKey } from "./tree.js";
import type { Tree } from "./tree.js";

/**
 * The private copy of a stored value: what it is compared with before its stored form is used again, and what fresh
 * copies are made from. It shares its texts with those copies, so that comparing one that nobody changed costs a look
 * at a pointer. Never handed out.
 */
export type Snapshot = string | number | boolean | bigint | null | undefined | Snapshot[] | RecordSnapshot | Opaque;

export class RecordSnapshot {
  constructor(
    readonly keys: readonly string[],
    readonly values: readonly Snapshot[],
  ) {}
}

/** Stands for values of kinds that are rare: never taken for unchanged, encoded anew instead. */
export class Opaque {
  constructor(readonly tree: Tree) {}
}

/** Makes a value from a tree that no snapshot can hold. */
export type Decode = (tree: Tree) => unknown;

/** @param load the tree of an object that is referred to */
export function snapshotOf(tree: Tree, load: (objectId: number) => Tree): Snapshot {
  if (typeof tree !== "object" || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((element) => snapshotOf(element, load));
  const payload = tagOf(tree);
  if (payload === undefined) return recordSnapshot(tree, load);
  return typeof payload === "number" ? snapshotOfObject(tree, load(payload), load) : typedSnapshot(tree, payload);
}

/** What is itself made of pages, a message or the like is left to the decoder. */
function snapshotOfObject(reference: Tree, body: Tree, load: (objectId: number) => Tree): Snapshot {
  const snapshot = snapshotOf(body, load);
  return snapshot instanceof Opaque ? new Opaque(reference) : snapshot;
}

function typedSnapshot(tree: Tree, payload: Tree): Snapshot {
  const [kind, value] = payload as [string, Tree];
  if (kind === KIND.undefined) return undefined;
  if (kind === KIND.number) return Number(value);
  return kind === KIND.bigint ? BigInt(value as string) : new Opaque(tree);
}

function recordSnapshot(tree: Record<string, Tree>, load: (objectId: number) => Tree): RecordSnapshot {
  const stored = Object.keys(tree);
  const values = stored.map((key) => snapshotOf(tree[key] as Tree, load));
  return new RecordSnapshot(internedKeys(stored.map(unescapeKey)), values);
}

const KEY_LISTS_KEPT = 5000;
const keyLists = new Map<string, readonly string[]>();

/** The same list for the same keys: most values are of few shapes. */
export function internedKeys(keys: readonly string[]): readonly string[] {
  const name = JSON.stringify(keys);
  const known = keyLists.get(name);
  if (known !== undefined) return known;
  if (keyLists.size >= KEY_LISTS_KEPT) keyLists.clear();
  keyLists.set(name, keys);
  return keys;
}

/** True when encoding `value` would give what the snapshot was made from. May say false without need, never true. */
export function isSame(value: unknown, snapshot: Snapshot): boolean {
  if (typeof value !== "object" || value === null) return Object.is(value, snapshot);
  if (typeof snapshot !== "object" || snapshot === null) return false;
  if (snapshot instanceof RecordSnapshot) return sameEntries(value as Record<string, unknown>, snapshot);
  return Array.isArray(snapshot) && Array.isArray(value) && sameElements(value, snapshot);
}

function sameElements(values: readonly unknown[], snapshots: readonly Snapshot[]): boolean {
  if (values.length !== snapshots.length) return false;
  for (let index = 0; index < snapshots.length; index += 1) {
    if (!isSame(values[index], snapshots[index])) return false;
  }
  return true;
}

function sameEntries(value: Record<string, unknown>, { keys, values }: RecordSnapshot): boolean {
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null) return false;
  let at = 0;
  for (const key in value) {
    if (key !== keys[at] || !isSame(value[key], values[at])) return false;
    at += 1;
  }
  return at === keys.length;
}

/** A fresh value that shares nothing that can be changed. */
export function copyOf(snapshot: Snapshot, decode: Decode): unknown {
  if (typeof snapshot !== "object" || snapshot === null) return snapshot;
  if (Array.isArray(snapshot)) return copies(snapshot, decode);
  return snapshot instanceof Opaque ? decode(snapshot.tree) : copyOfRecord(snapshot, decode);
}

function copies(snapshots: readonly Snapshot[], decode: Decode): unknown[] {
  const values: unknown[] = [];
  for (const snapshot of snapshots) values.push(copyOf(snapshot, decode));
  return values;
}

function copyOfRecord({ keys, values }: RecordSnapshot, decode: Decode): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (let index = 0; index < keys.length; index += 1) {
    setOwn(copy, keys[index] as string, copyOf(values[index], decode));
  }
  return copy;
}
