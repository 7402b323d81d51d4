import { isDeepStrictEqual } from "node:util";
import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";

/** True when every key of the filter is in the metadata with an equal value, whatever the order of keys inside it. */
export function matches(metadata: CheckpointMetadata, filter: Record<string, unknown> | undefined): boolean {
  if (filter === undefined) return true;
  const fields = metadata as Record<string, unknown>;
  return Object.entries(filter).every(
    ([key, wanted]) => wanted === undefined || (Object.hasOwn(fields, key) && isDeepStrictEqual(fields[key], wanted)),
  );
}
