import type { CheckpointPendingWrite, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import type { Archive } from "./archive.js";
import type { Tree } from "./tree.js";

/**
 * What a DeltaChannel is rebuilt from: the writes of a checkpoint's ancestors, oldest first, down to the nearest one
 * that holds the channel's value. Decodes those writes and that value, and nothing else of the ancestors.
 */
export function deltaHistory(
  archive: Archive,
  namespace: number,
  checkpointId: string,
  channels: readonly string[],
): Record<string, DeltaChannelHistory> {
  const newestFirst = new Map<string, CheckpointPendingWrite[]>(channels.map((channel) => [channel, []]));
  const seeds = new Map<string, unknown>();
  const open = new Set(channels);
  const start = archive.table.checkpoint(namespace, checkpointId);
  let id = start && archive.partsOf(start).parent;
  while (open.size > 0 && id !== undefined) {
    const row = archive.table.checkpoint(namespace, id);
    if (row === undefined) break;
    for (const { task, channel, value } of archive.writesOf(namespace, id).reverse()) {
      if (open.has(channel)) newestFirst.get(channel)?.push([task, channel, archive.restore(value)]);
    }
    const { shape, body } = archive.storedIn(row);
    for (const [index, channel] of shape.valued.entries()) {
      if (!open.has(channel)) continue;
      const seed = archive.restore(body.roots[index] as Tree);
      if (seed === undefined) continue;
      seeds.set(channel, seed);
      open.delete(channel);
    }
    id = archive.partsOf(row).parent;
  }
  return Object.fromEntries(channels.map((channel) => [channel, entryOf(channel, newestFirst, seeds)]));
}

function entryOf(
  channel: string,
  newestFirst: ReadonlyMap<string, CheckpointPendingWrite[]>,
  seeds: ReadonlyMap<string, unknown>,
): DeltaChannelHistory {
  const writes = (newestFirst.get(channel) ?? []).reverse();
  return seeds.has(channel) ? { writes, seed: seeds.get(channel) } : { writes };
}

export function emptyHistory(channels: readonly string[]): Record<string, DeltaChannelHistory> {
  return Object.fromEntries(channels.map((channel) => [channel, { writes: [] }]));
}
