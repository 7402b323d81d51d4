import type { Duration } from "../shared/clock.js";

/** How many checkpoints of a namespace stay, besides those that always do. */
export type Keep = "latest" | "anchors" | { readonly last: number };

export interface PruneOptions {
  /** Only these threads; all of the tenant without it. */
  readonly threads?: readonly string[];
  /**
   * `latest`: the newest checkpoint. `{ last: n }`: the n newest. `anchors`: the newest, and those at which a person was
   * asked or an effect was carried out.
   */
  readonly keep: Keep;
  /** Only checkpoints older than this may go. */
  readonly olderThan?: Duration;
  /** Says what would go, and removes nothing. */
  readonly dryRun?: boolean;
}

/** What was removed (or would be), as counts; `bytes` of objects as they are stored. */
export interface PruneReport {
  readonly namespaces: number;
  readonly checkpoints: number;
  readonly writes: number;
  readonly objects: number;
  readonly bytes: number;
  /** What lay in the object store and nothing refers to: uploads that broke off, contents of deleted threads. Only with one. */
  readonly leftovers?: number;
}

/** A checkpoint, as far as its fate depends on it. */
export interface Candidate {
  readonly id: string;
  readonly parent: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Channels whose value is stored in it. */
  readonly valued: ReadonlySet<string>;
  /** Channels whose value has to be rebuilt from the writes of its ancestors (DeltaChannel). */
  readonly rebuilt: readonly string[];
  readonly hasWrites: boolean;
  readonly isAnchor: boolean;
  /** Checkpoint of the root namespace that this one hangs on; undefined in the root namespace. */
  readonly rootParent: string | undefined;
}

export interface Policy {
  readonly keep: Keep;
  /** Checkpoints from this moment on stay. */
  readonly cutoff: number;
}

/**
 * The checkpoints of one namespace that stay: the head, those the policy asks for, those whose writes nobody has taken
 * up yet (a question may wait in them), and the ancestors from which a kept one is rebuilt.
 */
export function kept(candidates: readonly Candidate[], head: string | null, { keep, cutoff }: Policy): Set<string> {
  const parents = new Set(candidates.map(({ parent }) => parent));
  const newestFirst = [...candidates].sort((a, b) => (a.id < b.id ? 1 : -1));
  const asked = new Set(wanted(newestFirst, keep));
  const stay = newestFirst.filter(
    (candidate) =>
      candidate.id === head ||
      candidate.at >= cutoff ||
      asked.has(candidate) ||
      (candidate.hasWrites && !parents.has(candidate.id)),
  );
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const result = new Set(stay.map(({ id }) => id));
  for (const candidate of stay) for (const id of neededBy(candidate, byId)) result.add(id);
  return result;
}

function wanted(newestFirst: readonly Candidate[], keep: Keep): readonly Candidate[] {
  if (keep === "latest") return newestFirst.slice(0, 1);
  return keep === "anchors" ? newestFirst.filter(({ isAnchor }) => isAnchor) : newestFirst.slice(0, keep.last);
}

/** The ancestors whose writes rebuild a checkpoint's channels, down to the one that holds the channel's value. */
function* neededBy(candidate: Candidate, byId: ReadonlyMap<string, Candidate>): Generator<string> {
  const open = new Set(candidate.rebuilt.filter((channel) => !candidate.valued.has(channel)));
  let current = candidate.parent === null ? undefined : byId.get(candidate.parent);
  while (open.size > 0 && current !== undefined) {
    yield current.id;
    for (const channel of current.valued) open.delete(channel);
    current = current.parent === null ? undefined : byId.get(current.parent);
  }
}

/**
 * Whether a namespace is still part of its thread. A subgraph that is called by a node has a namespace of its own for
 * each call (`node:id`), which hangs on a checkpoint of the root; when that is gone, nothing can come back to it.
 */
export function isLive(ns: string, head: Candidate | undefined, keptRoots: ReadonlySet<string>): boolean {
  if (!ns.includes(":") || head?.rootParent === undefined) return true;
  return keptRoots.has(head.rootParent);
}
