import type { ChannelVersions, Checkpoint } from "@langchain/langgraph-checkpoint";
import { Decoder } from "./decode.js";
import { Encoder } from "./encode.js";
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
  return versioned >= 0 && valued >= 0 && Object.is(body.versions[versioned], version) ? body.roots[valued] : undefined;
}

export function shapeTree({ versioned, seen, valued }: Shape): Tree {
  return [versioned, seen, valued];
}

/** The two parts as they were stored. @throws TypeError when they are no such parts, or do not belong together. */
export function storedOf(shape: Tree, body: string): Stored {
  const stored = { shape: shapeOf(shape), body: bodyOf(body) };
  const { versioned, seen, valued } = stored.shape;
  const pairs = seen.reduce((sum, [, channels]) => sum + channels.length, 0);
  const { versions, seen: seenVersions, roots } = stored.body;
  if (versions.length !== versioned.length || seenVersions.length !== pairs || roots.length !== valued.length) {
    throw new TypeError("The body of the checkpoint does not fit its shape.");
  }
  return stored;
}

function shapeOf(tree: Tree): Shape {
  const [versioned, seen, valued] = tree as unknown[];
  if (areNames(versioned) && areNames(valued) && areSeen(seen)) return { versioned, seen, valued };
  throw new TypeError("What is stored as the shape of the checkpoint is none.");
}

function areNames(names: unknown): names is string[] {
  return Array.isArray(names) && names.every((name) => typeof name === "string");
}

function areSeen(seen: unknown): seen is [string, string[]][] {
  return Array.isArray(seen) && seen.every((item: unknown) => Array.isArray(item) && areNames(item[1]));
}

export function bodyText({ v, ts, versions, seen, roots }: Body): string {
  const time = Date.parse(ts);
  const exact = !Number.isNaN(time) && new Date(time).toISOString() === ts;
  return JSON.stringify([v, exact ? time : ts, versions.map(versionTree), seen.map(versionTree), roots]);
}

/** The roots that a stored body refers to. @throws TypeError or SyntaxError when it is none. */
export function rootsIn(body: string): Tree[] {
  return bodyOf(body).roots;
}

function bodyOf(text: string): Body {
  const [v, ts, versions, seen, roots] = JSON.parse(text) as [number, string | number, Tree[], Tree[], Tree[]];
  return {
    v,
    ts: typeof ts === "number" ? new Date(ts).toISOString() : ts,
    versions: versions.map(versionOf),
    seen: seen.map(versionOf),
    roots,
  };
}

/** Whole numbers and texts stand as they are; what a faulty `getNextVersion` made (NaN) is kept too. */
function versionTree(version: Version): Tree {
  return Number.isInteger(version) ? version : new Encoder().encode(version, "The version of a channel");
}

function versionOf(tree: Tree): Version {
  return typeof tree === "number" ? tree : (new Decoder().decode(tree) as Version);
}
