import { WRITES_IDX_MAP, compareWritesSortKeys, writesSortKey } from "@langchain/langgraph-checkpoint";
import type { CheckpointPendingWrite, CheckpointTuple, PendingWrite } from "@langchain/langgraph-checkpoint";

/** What one task wrote, as `putWrites` takes it. */
export interface TaskWrites {
  readonly task: string;
  readonly path: string;
  readonly writes: PendingWrite[];
}

/**
 * The writes of a checkpoint by task, with paths under which they come back in the order in which they were given:
 * DeltaChannels are rebuilt in it. Savers order writes by path, task and index; where they tell the paths, these stay,
 * and where the order is by task and index alone, there are none. Else the place in the order stands for the path.
 */
export function writesByTask(pending: readonly CheckpointPendingWrite[], paths: readonly string[] = []): TaskWrites[] {
  const groups: TaskWrites[] = [];
  for (const [index, [task, channel, value]] of pending.entries()) {
    const path = paths[index] ?? "";
    const last = groups.at(-1);
    if (last?.task === task && last.path === path) last.writes.push([channel, value]);
    else groups.push({ task, path, writes: [[channel, value]] });
  }
  if (isInOrder(groups)) return groups;
  return groups.map((group, place) => ({ ...group, path: String(place).padStart(PLACE_DIGITS, "0") }));
}

const PLACE_DIGITS = 8;

function isInOrder(groups: readonly TaskWrites[]): boolean {
  const keys = groups.map(({ path, task }) => writesSortKey(path, task));
  return keys.every((key, index) => {
    const before = keys[index - 1];
    return before === undefined || compareWritesSortKeys(before, key) < 0;
  });
}

/**
 * What has to be the same on both sides, as text: the parts of a checkpoint that LangGraph reads, its metadata, its
 * parent and its writes in their order. The order of channels, which means nothing, is left out of it; so is the place
 * of a task's control writes among its own.
 */
export function fingerprint({ checkpoint, metadata, parentConfig, pendingWrites = [] }: CheckpointTuple): string {
  const { v, id, ts, channel_values, channel_versions, versions_seen } = checkpoint;
  const seen = Object.entries(versions_seen).map(([node, versions]): [string, unknown] => [node, sorted(versions)]);
  const parts = {
    ...{ v, id, ts, metadata },
    parent: parentConfig?.configurable?.checkpoint_id as unknown,
    values: sorted(channel_values),
    versions: sorted(channel_versions),
    seen: sorted(Object.fromEntries(seen)),
    writes: writesByTask(pendingWrites).map(({ task, writes }) => [task, byIndex(writes)]),
  };
  return JSON.stringify(parts, exact);
}

function sorted(record: object): [string, unknown][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function byIndex(writes: readonly PendingWrite[]): readonly PendingWrite[] {
  const indexOf = (channel: string, place: number): number =>
    (Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined) ?? place;
  return writes
    .map((write, place) => ({ write, index: indexOf(write[0], place) }))
    .sort((a, b) => a.index - b.index)
    .map(({ write }) => write);
}

/** Keeps apart what JSON would make the same. An undefined property is the same as none, as in messages. */
function exact(this: unknown, _key: string, value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return { bigint: value.toString() };
    case "undefined":
      return Array.isArray(this) ? { undefined: true } : undefined;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { number: Object.is(value, -0) ? "-0" : String(value) };
    default:
      return value instanceof Map || value instanceof Set ? { [value.constructor.name]: [...value] } : value;
  }
}
