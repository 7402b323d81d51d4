import { isMessage } from "./messages.js";
import { setOwn } from "./tree.js";

/**
 * Objects that stand at several places of one value. The value is stored as if each place had its own copy; beside it
 * stand the places, so that after reading they hold one object again.
 *
 * A message is one thing here: two places that hold the same message are kept, what two messages share inside is not.
 */
export type Path = (string | number)[];
/** The places of one object, the first one first. */
export type Places = Path[];

/** Steps into a Map: the key or the value of its n-th entry. */
const MAP_STEPS = 2;

/** The places of every object that stands at more than one; undefined, quickly, when there is none. */
export function sharedPlaces(root: unknown): Places[] | undefined {
  return hasShared(root) ? findPlaces(root) : undefined;
}

function hasShared(root: unknown): boolean {
  if (typeof root !== "object" || root === null) return false;
  const seen = new Set<object>();
  const pending: object[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (seen.has(node)) return true;
    seen.add(node);
    if (Array.isArray(node)) pushObjects(node, pending);
    else if (!isMessage(node)) pushObjects(heldBy(node), pending);
  }
  return false;
}

function pushObjects(values: Iterable<unknown>, pending: object[]): void {
  for (const value of values) if (isObject(value)) pending.push(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function findPlaces(root: unknown): Places[] | undefined {
  const places = new Map<object, Places>();
  const pending: { node: object; path: Path }[] = [];
  const push = (node: unknown, path: Path): void => {
    if (isObject(node)) pending.push({ node, path });
  };
  push(root, []);
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { node, path } = item;
    const known = places.get(node);
    if (known !== undefined) {
      // What stands below it is shared along with it. A cycle is found, and refused, by the encoder.
      known.push(path);
      continue;
    }
    places.set(node, [path]);
    if (isMessage(node)) continue;
    const children = [...childrenOf(node)].reverse();
    for (const [step, child] of children) push(child, [...path, step]);
  }
  const several = [...places.values()].filter((found) => found.length > 1);
  return several.length > 0 ? several : undefined;
}

/**
 * What a value holds, each with the step that leads to it; the steps are the same in what is read back. Nothing of
 * classes that may be stored as something else than their properties.
 */
export function* childrenOf(node: object): Generator<[string | number, unknown]> {
  if (Array.isArray(node)) yield* (node as unknown[]).entries();
  else if (node instanceof Map) {
    let at = 0;
    for (const [key, value] of node as Map<unknown, unknown>) {
      yield [at * MAP_STEPS, key];
      yield [at * MAP_STEPS + 1, value];
      at += 1;
    }
  } else if (node instanceof Set) yield* [...(node as Set<unknown>)].entries();
  else if (isPlain(node) || "lg_name" in node) yield* Object.entries(node);
}

/** The same without the steps. */
export function* heldBy(node: object): Generator {
  for (const [, child] of childrenOf(node)) yield child;
}

export function isPlain(node: object): boolean {
  const prototype = Object.getPrototypeOf(node) as unknown;
  return prototype === Object.prototype || prototype === null;
}

/** Puts one object at all its places, in a value that nobody else holds yet. Returns the value. */
export function joinPlaces(root: unknown, groups: readonly Places[]): unknown {
  for (const [first, ...others] of groups) {
    const shared = at(root, first as Path);
    for (const path of others) place(at(root, path.slice(0, -1)), path.at(-1) as string | number, shared);
  }
  return root;
}

function at(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((node, step) => childAt(node as object, step), root);
}

function childAt(node: object, step: string | number): unknown {
  if (node instanceof Map) {
    const entry = [...(node as Map<unknown, unknown>)][Math.floor((step as number) / MAP_STEPS)];
    return entry?.[(step as number) % MAP_STEPS];
  }
  if (node instanceof Set) return [...(node as Set<unknown>)][step as number];
  return (node as Record<string | number, unknown>)[step];
}

function place(parent: unknown, step: string | number, value: unknown): void {
  if (parent instanceof Map) placeInMap(parent, step as number, value);
  else if (parent instanceof Set) placeInSet(parent, step as number, value);
  else if (Array.isArray(parent)) parent[step as number] = value;
  else setOwn(parent as Record<string, unknown>, String(step), value);
}

/** Rebuilt, so that the order stays. */
function placeInMap(map: Map<unknown, unknown>, step: number, value: unknown): void {
  const entries = [...map];
  const entry = entries[Math.floor(step / MAP_STEPS)];
  if (entry === undefined) return;
  entry[step % MAP_STEPS] = value;
  map.clear();
  for (const [key, held] of entries) map.set(key, held);
}

function placeInSet(set: Set<unknown>, step: number, value: unknown): void {
  const members = [...set];
  members[step] = value;
  set.clear();
  for (const member of members) set.add(member);
}
