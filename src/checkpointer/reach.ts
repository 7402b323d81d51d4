import type { CheckpointRow } from "../store/sqlite/checkpoints.js";
import { reading } from "./damage.js";
import { rootsIn } from "./shape.js";
import { referencesIn } from "./tree.js";
import type { Tree } from "./tree.js";

/** What is found at an object's id. */
export type Found = { readonly text: string } | "missing" | "corrupt";

export interface Walk {
  /** Every object that was reached, once. */
  readonly reached: ReadonlySet<number>;
  /** Reached, and not there or damaged. */
  readonly broken: ReadonlyMap<number, "missing" | "corrupt">;
}

/** The objects that a checkpoint's row refers to directly. @throws CorruptObjectError when the row cannot be read. */
export function referencesOfRow(row: Pick<CheckpointRow, "shape" | "body" | "metadata">): number[] {
  return reading("A checkpoint", () => [
    row.shape,
    ...rootsIn(row.body).flatMap((root) => [...referencesIn(root)]),
    ...referencesIn(JSON.parse(row.metadata) as Tree),
  ]);
}

/** The objects that a stored value refers to directly. @throws CorruptObjectError when it cannot be read. */
export function referencesOfValue(value: string): number[] {
  return reading("A stored write", () => [...referencesIn(JSON.parse(value) as Tree)]);
}

/** Follows references from the roots to everything below them. Reads each object once. */
export function walk(roots: Iterable<number>, read: (id: number) => Found): Walk {
  const reached = new Set<number>();
  const broken = new Map<number, "missing" | "corrupt">();
  const pending = [...new Set(roots)];
  while (pending.length > 0) {
    const id = pending.pop() as number;
    if (reached.has(id)) continue;
    reached.add(id);
    const found = read(id);
    if (typeof found === "string") broken.set(id, found);
    else pending.push(...reading(`Object ${id}`, () => [...referencesIn(JSON.parse(found.text) as Tree)]));
  }
  return { reached, broken };
}
