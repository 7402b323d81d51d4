import type { RunnableConfig } from "@langchain/core/runnables";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import type {
  BaseCheckpointSaver,
  Checkpoint,
  CheckpointMetadata,
  CheckpointTuple,
} from "@langchain/langgraph-checkpoint";
import { holds, show, there } from "../claims.js";

export const LOOP: CheckpointMetadata = { source: "loop", step: 1, parents: {} };
export const FORK: CheckpointMetadata = { ...LOOP, source: "fork" };

export interface Place {
  readonly thread: string;
  readonly ns?: string;
  readonly id?: string | undefined;
}

/** A configuration as LangGraph passes it. */
export function at({ thread, ns = "", id }: Place): RunnableConfig {
  const address = { thread_id: thread, checkpoint_ns: ns };
  return { configurable: id === undefined ? address : { ...address, checkpoint_id: id } };
}

/** A checkpoint with these values, all at one version. Each is younger than the one made before it. */
export function checkpointOf(values: Record<string, unknown>, version = 1): Checkpoint {
  return {
    ...emptyCheckpoint(),
    id: uuid6(0),
    channel_values: values,
    channel_versions: Object.fromEntries(Object.keys(values).map((name) => [name, version])),
  };
}

/** Stores a checkpoint with these values under `parent`, and returns the configuration that it is found under. */
export async function store(
  saver: BaseCheckpointSaver,
  place: Place,
  values: Record<string, unknown>,
  options: { metadata?: CheckpointMetadata; version?: number } = {},
): Promise<RunnableConfig> {
  const checkpoint = checkpointOf(values, options.version);
  return saver.put(at(place), checkpoint, options.metadata ?? LOOP, checkpoint.channel_versions);
}

/** A chain of checkpoints, each the child of the one before, with its number in the channel `step`; oldest first. */
export async function chain(
  saver: BaseCheckpointSaver,
  place: Omit<Place, "id">,
  length: number,
  metadata: (step: number) => CheckpointMetadata = (step) => ({ ...LOOP, step }),
): Promise<string[]> {
  const ids: string[] = [];
  for (let step = 0; step < length; step += 1) {
    const stored = await store(
      saver,
      { ...place, id: ids.at(-1) },
      { step },
      { metadata: metadata(step), version: step + 1 },
    );
    ids.push(idOf(stored));
  }
  return ids;
}

export function idOf(config: RunnableConfig): string {
  return config.configurable?.checkpoint_id as string;
}

/** The checkpoint that is stored there, which has to be. */
export async function read(saver: BaseCheckpointSaver, place: Place): Promise<CheckpointTuple> {
  const name = place.id === undefined ? "The newest checkpoint of a thread" : "A checkpoint that was stored";
  const tuple = there(await saver.getTuple(at(place)), `${name} is not found.`);
  const { channel_values: values } = tuple.checkpoint as Partial<Checkpoint>;
  holds(typeof values === "object", `${name} is read as something that is no checkpoint: ${show(tuple.checkpoint)}`);
  return tuple;
}

export async function listed(
  saver: BaseCheckpointSaver,
  config: RunnableConfig,
  options?: Parameters<BaseCheckpointSaver["list"]>[1],
): Promise<CheckpointTuple[]> {
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of saver.list(config, options)) tuples.push(tuple);
  return tuples;
}

/** The ids of the checkpoints of a thread and namespace, in the order in which they are listed. */
export async function idsOf(saver: BaseCheckpointSaver, place: Place): Promise<string[]> {
  return (await listed(saver, at(place))).map(({ config }) => idOf(config));
}
