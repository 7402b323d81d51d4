import { WRITES_IDX_MAP, compareWritesSortKeys, writesSortKey } from "@langchain/langgraph-checkpoint";
import type { CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { placeOf } from "./stub.js";

/** The index of a write that LangGraph keeps at one of its own, whatever its place in the batch. */
export function ownIndexOf(channel: string): number | undefined {
  return Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined;
}

/**
 * Writes in LangGraph's order, which needs the path of each task: savers that were made before there were paths do not
 * keep it, the stubs do. Writes of before the wrapper stay in the order of the inner saver.
 */
export function inOrder(writes: readonly CheckpointPendingWrite[]): CheckpointPendingWrite[] {
  const keyed = writes.map((write) => ({ write, place: placeOf(write[2]) }));
  if (keyed.some(({ place }) => place === undefined)) return [...writes];
  const keyOf = ({ write: [task], place }: (typeof keyed)[number]): ReturnType<typeof writesSortKey> =>
    writesSortKey(place?.[0] ?? "", task, place?.[1]);
  return keyed.sort((a, b) => compareWritesSortKeys(keyOf(a), keyOf(b))).map(({ write }) => write);
}
