import type { MessageId } from "../../store/sqlite/identities.js";
import { KIND, TAG, setOwn, tagOf } from "../tree.js";
import type { Tree } from "../tree.js";

/**
 * The stored form of a tree. In memory a reference is a number that means something to one process; where a tree is
 * stored, the hash of what it refers to stands in its place, and the id of a message in the place of its ordinal.
 */
interface ReferenceForm {
  object(reference: Tree): Tree;
  message(object: Tree, id: Tree): readonly [Tree, Tree];
}

export interface Names {
  hashOf(objectId: number): string;
  messageIdOf(objectId: number, ordinal: number): MessageId;
}

export interface Numbers {
  objectIdOf(hash: string): number;
  ordinalOf(objectId: number, id: MessageId): number;
}

/** SHA-256 in base64url. */
const HASH = /^[A-Za-z0-9_-]{43}$/;

export function toStored(tree: Tree, names: Names): Tree {
  return inForm(tree, {
    object: (id) => names.hashOf(id as number),
    message: (id, ordinal) => [names.hashOf(id as number), names.messageIdOf(id as number, ordinal as number)],
  });
}

/** @throws TypeError for what `toStored` did not make */
export function fromStored(tree: Tree, numbers: Numbers): Tree {
  return inForm(tree, {
    object: (hash) => numbers.objectIdOf(checkedHash(hash)),
    message: (hash, id) => {
      const objectId = numbers.objectIdOf(checkedHash(hash));
      return [objectId, numbers.ordinalOf(objectId, checkedId(id))];
    },
  });
}

/** The hashes of what a stored tree refers to. @throws TypeError for what `toStored` did not make */
export function hashesIn(tree: Tree): string[] {
  const found: string[] = [];
  const note = (hash: Tree): Tree => {
    found.push(checkedHash(hash));
    return hash;
  };
  inForm(tree, { object: note, message: (hash, id) => [note(hash), id] });
  return found;
}

function checkedHash(hash: Tree): string {
  if (typeof hash === "string" && HASH.test(hash)) return hash;
  throw new TypeError("What is stored as a reference is none.");
}

function checkedId(id: Tree): MessageId {
  if (typeof id === "string" || typeof id === "number" || id === null) return id;
  throw new TypeError("What is stored as the id of a message is none.");
}

function inForm(tree: Tree, form: ReferenceForm): Tree {
  if (typeof tree !== "object" || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((element) => inForm(element, form));
  const payload = tagOf(tree);
  if (payload === undefined) return recordInForm(tree, form);
  return { [TAG]: Array.isArray(payload) ? typedInForm(payload, form) : form.object(payload) };
}

function recordInForm(record: Record<string, Tree>, form: ReferenceForm): Tree {
  const result: Record<string, Tree> = {};
  for (const key of Object.keys(record)) setOwn(result, key, inForm(record[key] as Tree, form));
  return result;
}

function typedInForm(payload: Tree[], form: ReferenceForm): Tree[] {
  const [kind, first, second, third] = payload as [string, Tree, Tree, Tree];
  switch (kind) {
    case KIND.identified:
      return [kind, ...form.message(first, second)];
    case KIND.cut:
      return [kind, form.object(first)];
    case KIND.messages:
      return [kind, ...pairsInForm(payload.slice(1), form)];
    case KIND.group:
      return [kind, (first as Tree[]).map((id) => form.object(id))];
    case KIND.record:
      return [kind, levelsInForm(first, form)];
    case KIND.list:
      return [kind, first, levelsInForm(second, form), inForm(third, form)];
    default:
      return [kind, ...payload.slice(1).map((part) => inForm(part, form))];
  }
}

function levelsInForm(levels: Tree, form: ReferenceForm): Tree {
  return (levels as Tree[][]).map((ids) => ids.map((id) => form.object(id)));
}

function pairsInForm(pairs: Tree[], form: ReferenceForm): Tree[] {
  const result: Tree[] = [];
  for (let at = 0; at < pairs.length; at += 2) result.push(...form.message(pairs[at] as Tree, pairs[at + 1] as Tree));
  return result;
}
