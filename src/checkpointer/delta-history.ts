import type { CheckpointPendingWrite, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import type { CheckpointRow, TaskRow } from "../store/sqlite/checkpoints.js";
import type { Archive } from "./archive.js";
import type { Tree } from "./tree.js";

/** Rows that are read at once on the way up, at first and at most: a snapshot may be near, or a hundred steps away. */
const AT_ONCE = { first: 8, most: 64 } as const;

/**
 * The ancestors of a checkpoint, nearest first, each with what was written at it. Most checkpoints continue the one
 * before, so the rows below a checkpoint are read together, and only an ancestor that is not among them by itself.
 */
function* ancestors(archive: Archive, namespace: number, start: CheckpointRow): Generator<[CheckpointRow, TaskRow[]]> {
  const { table } = archive;
  let page = new Map<string, CheckpointRow>();
  let written = new Map<string, TaskRow[]>();
  let child = start;
  let limit: number = AT_ONCE.first;
  for (;;) {
    const id = archive.partsOf(child).parent;
    if (id === undefined) return;
    if (!page.has(id)) {
      const rows = table.older(namespace, "uuid", child.id, limit);
      limit = Math.min(limit * 2, AT_ONCE.most);
      page = new Map(rows.map((row) => [row.id, row]));
      written = table.taskRowsOf(namespace, [...page.keys()]);
    }
    const row = page.get(id) ?? table.checkpoint(namespace, id);
    if (row === undefined) return;
    yield [row, written.get(id) ?? table.taskRows(namespace, id)];
    child = row;
  }
}

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
  for (const [row, written] of start === undefined ? [] : ancestors(archive, namespace, start)) {
    for (const { task, channel, value } of archive.sortedWrites(written).reverse()) {
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
    if (open.size === 0) break;
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
