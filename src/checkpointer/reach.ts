import { reading } from "./damage.js";
import { readCheckpoint, referencesOfCheckpoint } from "./checkpoint-row.js";
import { referencesIn } from "./tree.js";
import type { Tree } from "./tree.js";
import { readWrites, referencesOfWrites } from "./write-row.js";

/** What is found at an object's id; `elsewhere`: it lies outside the database, and refers to nothing. */
export type Found = { readonly text: string } | "missing" | "corrupt" | "elsewhere";

export interface Walk {
  /** Every object that was reached, once. */
  readonly reached: ReadonlySet<number>;
  /** Reached, and not there or damaged. */
  readonly broken: ReadonlyMap<number, "missing" | "corrupt">;
  /** Reached, and outside the database. */
  readonly outside: ReadonlySet<number>;
}

/** The objects that a checkpoint's row refers to directly. @throws CorruptObjectError when the row cannot be read. */
export function referencesOfRow({ id, body }: { readonly id: string; readonly body: unknown }): number[] {
  return reading(`Checkpoint ${id}`, () => referencesOfCheckpoint(readCheckpoint(id, body)));
}

/** The objects that the writes of a task refer to directly. @throws CorruptObjectError when they cannot be read. */
export function referencesOfTask(body: unknown): number[] {
  return reading("A stored write", () => referencesOfWrites(readWrites(body)));
}

/** Follows references from the roots to everything below them. Reads each object once. */
export function walk(roots: Iterable<number>, read: (id: number) => Found): Walk {
  const reached = new Set<number>();
  const broken = new Map<number, "missing" | "corrupt">();
  const outside = new Set<number>();
  const pending = [...new Set(roots)];
  while (pending.length > 0) {
    const id = pending.pop() as number;
    if (reached.has(id)) continue;
    reached.add(id);
    const found = read(id);
    if (found === "elsewhere") outside.add(id);
    else if (typeof found === "string") broken.set(id, found);
    else pending.push(...reading(`Object ${id}`, () => [...referencesIn(JSON.parse(found.text) as Tree)]));
  }
  return { reached, broken, outside };
}
