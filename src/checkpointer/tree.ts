/**
 * The encoded form of a value: JSON with one reserved key.
 *
 * An object whose only key is `~` is ours: `{"~": 12}` refers to stored object 12, `{"~": ["n", "NaN"]}` is a typed
 * value. Keys of user data that begin with `~` are written with one more `~`, so that no data can pass for a tag.
 */
export type Tree = null | boolean | number | string | Tree[] | { [key: string]: Tree };

export const TAG = "~";

/** What stands behind the tag of a typed value, as `[kind, ...payload]`. */
export const KIND = {
  undefined: "u",
  number: "n",
  bigint: "b",
  date: "D",
  regexp: "R",
  map: "M",
  set: "S",
  error: "E",
  binary: "B",
  message: "m",
  identified: "i",
  document: "c",
  send: "s",
  command: "C",
  delta: "d",
  /** An instance of a class that the application registered. */
  class: "K",
  list: "l",
  /** A page of a list that holds nothing but messages. */
  messages: "p",
  group: "g",
  record: "o",
  /** The part of a value below a depth at which a recursive reader would run out of stack. */
  cut: "k",
  /** A value in which one object stands at several places. */
  shared: "=",
  /** A text that stands for itself: its cut parts, then the value. */
  table: "t",
} as const;

export type Kind = (typeof KIND)[keyof typeof KIND];

export function tagged(kind: Kind, ...payload: Tree[]): Tree {
  return { [TAG]: [kind, ...payload] };
}

export function reference(objectId: number): Tree {
  return { [TAG]: objectId };
}

/** The payload of one of our tags; undefined for plain data. */
export function tagOf(tree: Record<string, Tree>): Tree | undefined {
  return Object.hasOwn(tree, TAG) ? tree[TAG] : undefined;
}

/** The object id when `tree` is a plain reference. */
export function referenceOf(tree: Tree): number | undefined {
  if (typeof tree !== "object" || tree === null || Array.isArray(tree)) return undefined;
  const payload = tagOf(tree);
  return typeof payload === "number" ? payload : undefined;
}

export function escapeKey(key: string): string {
  return key.startsWith(TAG) ? TAG + key : key;
}

export function unescapeKey(key: string): string {
  return key.startsWith(TAG) ? key.slice(TAG.length) : key;
}

/** Sets an own property, also one called `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}

/** The payload of a typed value; undefined for plain data, plain references, and values that are no objects. */
export function typedOf(tree: Tree): Tree[] | undefined {
  if (typeof tree !== "object" || tree === null || Array.isArray(tree)) return undefined;
  const payload = tagOf(tree);
  return Array.isArray(payload) ? payload : undefined;
}

/** The reference of a message: its body, and which of the ids that this body has had. */
export interface MessageReference {
  readonly objectId: number;
  /** 0 for a message without an id. */
  readonly ordinal: number;
}

export function messageReference({ objectId, ordinal }: MessageReference): Tree {
  return ordinal === 0 ? reference(objectId) : tagged(KIND.identified, objectId, ordinal);
}

/** Every object id that a tree refers to directly. */
export function* referencesIn(tree: Tree): Generator<number> {
  const pending: Tree[] = [tree];
  while (pending.length > 0) {
    const node = pending.pop() as Tree;
    if (typeof node !== "object" || node === null) continue;
    if (Array.isArray(node)) {
      for (const element of node) pending.push(element);
      continue;
    }
    const payload = tagOf(node);
    if (payload === undefined) pending.push(...Object.values(node));
    else if (typeof payload === "number") yield payload;
    else yield* referencesInTag(payload as Tree[], pending);
  }
}

function* referencesInTag(payload: Tree[], pending: Tree[]): Generator<number> {
  const [kind, first, second] = payload;
  if (kind === KIND.identified || kind === KIND.cut) yield first as number;
  else if (kind === KIND.messages) for (let at = 1; at < payload.length; at += 2) yield payload[at] as number;
  else if (kind === KIND.list) {
    for (const level of second as number[][]) yield* level;
    pending.push(payload[3] as Tree);
  } else if (kind === KIND.group) yield* first as number[];
  else if (kind === KIND.record) for (const level of first as number[][]) yield* level;
  else pending.push(...payload.slice(1));
}
