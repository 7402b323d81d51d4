import type { ChannelVersions, Checkpoint } from "@langchain/langgraph-checkpoint";
import { parse, stringify } from "./codec.js";
import type { PackedReader, PackedWriter } from "./packed.js";
import type { Tree } from "./tree.js";
import { setOwn } from "./tree.js";

/** Which channels and nodes a checkpoint speaks of: the same for most checkpoints of a graph, stored once. */
export interface Shape {
  /** Channels in `channel_versions`. */
  readonly versioned: string[];
  /** Nodes in `versions_seen`, each with its channels. */
  readonly seen: [string, string[]][];
  /** Channels in `channel_values`. */
  readonly valued: string[];
}

export type Version = number | string;

/** The numbers and references that fill the shape. */
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

/** The checkpoint again. `restore` makes the value of a channel from its root. */
export function join(
  id: string,
  { shape, body }: Stored,
  restore: (root: Tree, channel: string) => unknown,
): Checkpoint {
  const values: Record<string, unknown> = {};
  for (const [index, channel] of shape.valued.entries()) {
    setOwn(values, channel, restore(body.roots[index] as Tree, channel));
  }
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

/** @throws TypeError for a tree that is no shape. */
export function shapeOf(tree: Tree): Shape {
  const [versioned, seen, valued] = (Array.isArray(tree) ? tree : []) as unknown[];
  if (areNames(versioned) && areNames(valued) && areSeen(seen)) return { versioned, seen, valued };
  throw new TypeError("What is stored as the shape of the checkpoint is none.");
}

function areNames(names: unknown): names is string[] {
  return Array.isArray(names) && names.every((name) => typeof name === "string");
}

function areSeen(seen: unknown): seen is [string, string[]][] {
  return Array.isArray(seen) && seen.every((item: unknown) => Array.isArray(item) && areNames(item[1]));
}

const TIME = { text: 0, milliseconds: 1 } as const;

/** @param near a time near the one of the checkpoint, in milliseconds; the same is needed to read it */
export function writeBody(writer: PackedWriter, { v, ts, versions, seen, roots }: Body, near: number): void {
  const time = Date.parse(ts);
  const isExact = !Number.isNaN(time) && new Date(time).toISOString() === ts;
  writer.byte(isExact ? TIME.milliseconds : TIME.text);
  if (isExact) writer.tree(time - near);
  else writer.tree(ts);
  writer.tree(v);
  writeVersions(writer, versions);
  writeVersions(writer, seen);
  writer.uint(roots.length);
  for (const root of roots) writer.tree(root);
}

/** @throws TypeError or RangeError for bytes that are no body. */
export function readBody(reader: PackedReader, near: number): Body {
  const isExact = reader.byte() === TIME.milliseconds;
  const time = reader.tree();
  return {
    ts: isExact ? new Date(near + (time as number)).toISOString() : (time as string),
    v: reader.tree() as number,
    versions: readVersions(reader),
    seen: readVersions(reader),
    roots: Array.from({ length: reader.count() }, () => reader.tree()),
  };
}

/** @throws TypeError when a body belongs to another shape. */
export function fitted(shape: Shape, body: Body): Stored {
  const pairs = shape.seen.reduce((sum, [, channels]) => sum + channels.length, 0);
  const fits = body.versions.length === shape.versioned.length && body.seen.length === pairs;
  if (fits && body.roots.length === shape.valued.length) return { shape, body };
  throw new TypeError("The body of the checkpoint does not fit its shape.");
}

const VERSIONS = { numbers: 0, others: 1 } as const;

/** Whole numbers as distances from the largest; what a `getNextVersion` of another kind made is kept too. */
function writeVersions(writer: PackedWriter, versions: readonly Version[]): void {
  const numbers = versions.filter(
    (version): version is number => Number.isSafeInteger(version) && Number(version) >= 0,
  );
  writer.uint(versions.length);
  if (numbers.length < versions.length) {
    writer.byte(VERSIONS.others);
    for (const version of versions) writer.tree(stringify(version, "The version of a channel"));
    return;
  }
  const largest = numbers.reduce((most, version) => Math.max(most, version), 0);
  writer.byte(VERSIONS.numbers);
  writer.uint(largest);
  for (const version of numbers) writer.uint(largest - version);
}

function readVersions(reader: PackedReader): Version[] {
  const length = reader.count();
  if (reader.byte() === VERSIONS.others) {
    return Array.from({ length }, () => parse(reader.tree() as string) as Version);
  }
  const largest = reader.uint();
  return Array.from({ length }, () => largest - reader.uint());
}
