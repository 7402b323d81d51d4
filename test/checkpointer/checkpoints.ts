import type { RunnableConfig } from "@langchain/core/runnables";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import type { Checkpoint, CheckpointMetadata } from "@langchain/langgraph-checkpoint";

export function thread(threadId: string, checkpointId?: string): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: "", checkpoint_id: checkpointId } };
}

let versions = 0;

/** A checkpoint with the given values, each at a version that no other one has. */
export function checkpointOf(values: Record<string, unknown>, version = (versions += 1)): Checkpoint {
  return {
    ...emptyCheckpoint(),
    id: uuid6(0),
    channel_values: values,
    channel_versions: Object.fromEntries(Object.keys(values).map((name) => [name, version])),
  };
}

export const LOOP: CheckpointMetadata = { source: "loop", step: 1, parents: {} };
