import { isDeepStrictEqual } from "node:util";
import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";

/** True when every key of the filter is in the metadata with an equal value, whatever the order of keys inside it. */
export function matches(
  metadata: CheckpointMetadata | null | undefined,
  filter: Record<string, unknown> | null | undefined,
): boolean {
  if (filter === undefined || filter === null) return true;
  const fields: Record<string, unknown> = { ...metadata };
  return Object.entries(filter).every(
    ([key, wanted]) => wanted === undefined || (Object.hasOwn(fields, key) && isDeepStrictEqual(fields[key], wanted)),
  );
}
