import { KIND, setOwn, tagOf, tagged } from "./tree.js";
import type { Tree } from "./tree.js";

/**
 * Metadata in two parts: a *template*, which is the same for all steps of a run, and the numbers that fill it. Whole
 * numbers at the top (the step) are taken out; everything else stays in the template.
 */
export interface MetadataParts {
  readonly template: Tree;
  readonly numbers: number[];
}

const HOLE = tagged(KIND.number);

export function splitMetadata(tree: Tree): MetadataParts {
  if (!isRecord(tree)) return { template: tree, numbers: [] };
  const template: Record<string, Tree> = {};
  const numbers: number[] = [];
  for (const key of Object.keys(tree)) {
    const value = tree[key] as Tree;
    const isNumber = Number.isSafeInteger(value);
    if (isNumber) numbers.push(value as number);
    setOwn(template, key, isNumber ? HOLE : value);
  }
  return { template, numbers };
}

/** @throws TypeError when there are not as many numbers as holes. */
export function joinMetadata({ template, numbers }: { template: Tree; numbers: readonly number[] }): Tree {
  let used = 0;
  const fill = (value: Tree): Tree => (isHole(value) ? (numbers[used++] as number) : value);
  const tree = isRecord(template) ? filled(template, fill) : template;
  if (used !== numbers.length) throw new TypeError("The metadata of the checkpoint do not fit their template.");
  return tree;
}

function filled(template: Record<string, Tree>, fill: (value: Tree) => Tree): Tree {
  const tree: Record<string, Tree> = {};
  for (const key of Object.keys(template)) setOwn(tree, key, fill(template[key] as Tree));
  return tree;
}

function isRecord(tree: Tree): tree is Record<string, Tree> {
  return typeof tree === "object" && tree !== null && !Array.isArray(tree) && tagOf(tree) === undefined;
}

/** A number that is not one of the numbers JSON cannot hold: those say which. */
function isHole(tree: Tree): boolean {
  if (typeof tree !== "object" || tree === null || Array.isArray(tree)) return false;
  const payload = tagOf(tree);
  return Array.isArray(payload) && payload[0] === KIND.number && payload.length === 1;
}
