import { heldBy, isPlain } from "./shared-places.js";

/** How many levels are encoded in one piece. */
const LEVELS_IN_A_PIECE = 200;

interface Visit {
  readonly node: object;
  readonly depth: number;
  /** Whether a reader can put the node into its parent later, when the parent is there. */
  readonly isLoose: boolean;
}

/**
 * Where a deeply nested value is cut into pieces that each are shallow enough for a recursive reader: the objects at
 * which a piece begins, the innermost first.
 */
export function depthCuts(root: object): object[] {
  const cuts: object[] = [];
  const seen = new Set<object>([root]);
  const pending: Visit[] = [{ node: root, depth: 0, isLoose: false }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const { node, depth, isLoose } = visit;
    const isCut = isLoose && depth >= LEVELS_IN_A_PIECE;
    if (isCut) cuts.push(node);
    const loose = Array.isArray(node) || isPlain(node);
    const walked = loose || node instanceof Map || node instanceof Set;
    const held: Iterable<unknown> = walked ? heldBy(node) : Object.values(node);
    for (const child of held) {
      if (typeof child !== "object" || child === null || seen.has(child)) continue;
      seen.add(child);
      pending.push({ node: child, depth: isCut ? 1 : depth + 1, isLoose: loose });
    }
  }
  return cuts.reverse();
}
