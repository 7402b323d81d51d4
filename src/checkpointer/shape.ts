import type { ChannelVersions, Checkpoint } from "@langchain/langgraph-checkpoint";
import { setOwn } from "./tree.js";
import type { Tree } from "./tree.js";

/**
 * A checkpoint in two parts: its *shape* (which channels and nodes there are; the same for most checkpoints of a graph,
 * stored once) and its *body* (the numbers and roots that fill the shape).
 */
export interface Shape {
  /** Channels in `channel_versions`. */
  readonly versioned: string[];
  /** Nodes in `versions_seen`, each with its channels. */
  readonly seen: [string, string[]][];
  /** Channels in `channel_values`. */
  readonly valued: string[];
}

type Version = number | string;

export interface Body {
  readonly v: number;
  readonly ts: string;
  readonly versions: Version[];
  readonly seen: Version[];
  readonly roots: Tree[];
}

export interface Stored {
  readonly shape: Shape;
  readonly body: Body;
}

/** `roots` in the order of the channels that are kept. */
export function split(checkpoint: Checkpoint, roots: ReadonlyMap<string, Tree>): Stored {
  const seen = Object.entries(checkpoint.versions_seen);
  return {
    shape: {
      versioned: Object.keys(checkpoint.channel_versions),
      seen: seen.map(([node, channels]) => [node, Object.keys(channels)]),
      valued: [...roots.keys()],
    },
    body: {
      v: checkpoint.v,
      ts: checkpoint.ts,
      versions: Object.values(checkpoint.channel_versions),
      seen: seen.flatMap(([, channels]) => Object.values(channels)),
      roots: [...roots.values()],
    },
  };
}

export function join(id: string, { shape, body }: Stored, restore: (root: Tree) => unknown): Checkpoint {
  const values: Record<string, unknown> = {};
  for (const [index, channel] of shape.valued.entries()) setOwn(values, channel, restore(body.roots[index] as Tree));
  return {
    v: body.v,
    id,
    ts: body.ts,
    channel_values: values,
    channel_versions: zip(shape.versioned, body.versions),
    versions_seen: joinSeen(shape, body),
  };
}

function joinSeen(shape: Shape, body: Body): Record<string, ChannelVersions> {
  const result: Record<string, ChannelVersions> = {};
  let from = 0;
  for (const [node, channels] of shape.seen) {
    setOwn(result, node, zip(channels, body.seen.slice(from, from + channels.length)));
    from += channels.length;
  }
  return result;
}

function zip(names: string[], versions: Version[]): ChannelVersions {
  const result: ChannelVersions = {};
  for (const [index, name] of names.entries()) setOwn(result, name, versions[index]);
  return result;
}

/** The root that is stored for a channel at exactly this version. */
export function rootAt({ shape, body }: Stored, channel: string, version: Version): Tree | undefined {
  const versioned = shape.versioned.indexOf(channel);
  const valued = shape.valued.indexOf(channel);
  return versioned >= 0 && valued >= 0 && body.versions[versioned] === version ? body.roots[valued] : undefined;
}

export function shapeTree({ versioned, seen, valued }: Shape): Tree {
  return [versioned, seen, valued];
}

export function shapeOf(tree: Tree): Shape {
  const [versioned, seen, valued] = tree as [string[], [string, string[]][], string[]];
  return { versioned, seen, valued };
}

export function bodyText({ v, ts, versions, seen, roots }: Body): string {
  const time = Date.parse(ts);
  const exact = !Number.isNaN(time) && new Date(time).toISOString() === ts;
  return JSON.stringify([v, exact ? time : ts, versions, seen, roots]);
}

export function bodyOf(text: string): Body {
  const [v, ts, versions, seen, roots] = JSON.parse(text) as [number, string | number, Version[], Version[], Tree[]];
  return { v, ts: typeof ts === "number" ? new Date(ts).toISOString() : ts, versions, seen, roots };
}
