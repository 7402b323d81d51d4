import type { BaseMessage } from "@langchain/core/messages";
import { visitFields } from "./messages.js";
import { listElements } from "./pages.js";
import { KIND, TAG, escapeKey } from "./tree.js";
import type { Tree } from "./tree.js";

type Load = (objectId: number) => Tree;
type Branch = Record<string, Tree>;

/**
 * True when encoding `value` would give exactly `tree`. Conservative: for kinds that are rare inside messages it says
 * false, and the caller encodes anew, which finds the stored object by its hash.
 *
 * Strings that came from the tree are the same string objects, so that comparing them costs one pointer.
 */
export function isSame(value: unknown, tree: Tree, load: Load): boolean {
  if (typeof tree === "object" && tree !== null && !Array.isArray(tree) && TAG in tree) {
    return isSameAsTagged(value, tree[TAG], load);
  }
  if (typeof value !== "object" || value === null) return value === tree && !Object.is(value, -0);
  if (typeof tree !== "object" || tree === null) return false;
  if (Array.isArray(value)) return Array.isArray(tree) && sameElements(value, tree, load);
  if (Array.isArray(tree) || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return sameEntries(value as Record<string, unknown>, tree, load);
}

/** The same for a message and the stored tree of its fields, whose keys are `keys`. */
export function isSameMessage(message: BaseMessage, tree: Branch, keys: readonly string[], load: Load): boolean {
  let visited = 0;
  const unchanged = visitFields(message, (key, value) => {
    if (keys[visited] !== key) return false;
    visited += 1;
    return isSame(value, tree[key] as Tree, load);
  });
  return unchanged && visited === keys.length;
}

function isSameAsTagged(value: unknown, tag: Tree, load: Load): boolean {
  if (typeof tag === "number") return isSame(value, load(tag), load);
  const paged = Array.isArray(tag) && tag[0] === KIND.list;
  return paged && Array.isArray(value) && sameElements(value, listElements(tag, load), load);
}

function sameElements(values: unknown[], trees: Tree[], load: Load): boolean {
  if (values.length !== trees.length) return false;
  for (let index = 0; index < values.length; index += 1) {
    if (!isSame(values[index], trees[index] as Tree, load)) return false;
  }
  return true;
}

function sameEntries(value: Record<string, unknown>, tree: Branch, load: Load): boolean {
  const keys = Object.keys(value);
  const stored = Object.keys(tree);
  if (keys.length !== stored.length) return false;
  for (let index = 0; index < keys.length; index += 1) {
    const key = escapeKey(keys[index] as string);
    if (stored[index] !== key || !isSame(value[keys[index] as string], tree[key] as Tree, load)) return false;
  }
  return true;
}
