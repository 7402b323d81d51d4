import type { BaseMessage } from "@langchain/core/messages";
import { BaseMessage as MessageClass } from "@langchain/core/messages";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import type {
  BaseCheckpointSaver,
  ChannelVersions,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { MESSAGES_A_TURN, openThread } from "../growth/graph.js";
import { ReferenceSaver } from "../growth/reference-saver.js";

/** The checkpoints and writes of one real turn of the ReAct loop, oldest first. */
export type RecordedTurn = readonly CheckpointTuple[];

const THREAD = "recorded";
/** Each message of the recording says its number, so that it can be told in every value it stands in. */
const PLACEHOLDERS = Array.from({ length: MESSAGES_A_TURN }, (_, index) => `message ${index}`);

export async function recordTurn(): Promise<RecordedTurn> {
  const saver = new ReferenceSaver();
  const texts = PLACEHOLDERS.values();
  const thread = openThread(saver, "annotation", () => texts.next().value!, THREAD);
  await thread.turn(texts.next().value!);
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of saver.list({ configurable: { thread_id: THREAD } })) tuples.unshift(tuple);
  return tuples;
}

/**
 * Gives a saver what LangGraph would give it for a turn of another thread: the same calls with other ids and texts.
 * Ten thousand threads are made in the time that the savers take, without the graph's.
 */
export async function replayTurn(
  turn: RecordedTurn,
  saver: BaseCheckpointSaver,
  threadId: string,
  texts: readonly string[],
): Promise<void> {
  const say = sayInstead(texts);
  let parent: string | undefined;
  let known: ChannelVersions = {};
  for (const { checkpoint, metadata, pendingWrites = [] } of turn) {
    const id = uuid6(metadata!.step);
    const config = configOf(threadId, parent);
    const versions = checkpoint.channel_versions;
    const values = say(checkpoint.channel_values) as Record<string, unknown>;
    await saver.put(config, { ...checkpoint, id, channel_values: values }, metadata!, moved(known, versions));
    for (const [task, writes] of byTask(pendingWrites)) {
      await saver.putWrites(configOf(threadId, id), say(writes) as PendingWrite[], task);
    }
    [parent, known] = [id, versions];
  }
}

function configOf(threadId: string, id: string | undefined) {
  return { configurable: { thread_id: threadId, checkpoint_ns: "", ...(id !== undefined && { checkpoint_id: id }) } };
}

function moved(known: ChannelVersions, versions: ChannelVersions): ChannelVersions {
  return Object.fromEntries(Object.entries(versions).filter(([channel, version]) => known[channel] !== version));
}

function byTask(pendingWrites: readonly [string, string, unknown][]): Map<string, PendingWrite[]> {
  const tasks = new Map<string, PendingWrite[]>();
  for (const [task, channel, value] of pendingWrites) {
    tasks.set(task, [...(tasks.get(task) ?? []), [channel, value]]);
  }
  return tasks;
}

/** A copy of a value in which each recorded message says something else; one message stays one object. */
function sayInstead(texts: readonly string[]): (value: unknown) => unknown {
  const said = new Map<BaseMessage, BaseMessage>();
  const instead = (message: BaseMessage): BaseMessage => {
    const known = said.get(message);
    if (known !== undefined) return known;
    const text = texts[PLACEHOLDERS.indexOf(message.text)]!;
    const Class = message.constructor as new (fields: object) => BaseMessage;
    const made = new Class({ ...(message.lc_kwargs as object), id: message.id, content: text });
    said.set(message, made);
    return made;
  };
  const copy = (value: unknown): unknown => {
    if (MessageClass.isInstance(value)) return instead(value);
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]));
  };
  return copy;
}
