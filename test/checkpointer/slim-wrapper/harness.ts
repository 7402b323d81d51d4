import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createStorage } from "unstorage";
import { onTestFinished } from "vitest";
import { unstorageObjects } from "../../../src/checkpointer/index.js";
import type { ObjectStore } from "../../../src/checkpointer/index.js";
import { LOOP, checkpointOf, thread } from "../checkpoints.js";

/** An SqliteSaver that is closed when the test ends. */
export function sqlite(file = ":memory:"): SqliteSaver {
  const saver = SqliteSaver.fromConnString(file);
  onTestFinished(() => void saver.db.close());
  return saver;
}

export const INNERS: readonly (readonly [string, () => BaseCheckpointSaver])[] = [
  ["MemorySaver", () => new MemorySaver()],
  ["SqliteSaver", () => sqlite()],
];

/** Objects in memory, which count what is put. */
export class CountedObjects implements ObjectStore {
  readonly puts: string[] = [];
  readonly gets: string[] = [];
  private readonly objects = unstorageObjects(createStorage());

  async put(key: string, bytes: Uint8Array): Promise<void> {
    this.puts.push(key);
    await this.objects.put(key, bytes);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    this.gets.push(key);
    return this.objects.get(key);
  }

  delete(key: string): Promise<void> {
    return this.objects.delete(key);
  }

  list(prefix: string): AsyncIterable<string> {
    return this.objects.list(prefix);
  }

  /** The keys that hold something. */
  get keys(): string[] {
    return [...new Set(this.puts)];
  }
}

/** Stores values as a new checkpoint of thread "t", after `parent`. */
export async function store(
  saver: BaseCheckpointSaver,
  values: Record<string, unknown>,
  { name = "t", parent }: { name?: string; parent?: string } = {},
): Promise<RunnableConfig> {
  const checkpoint = checkpointOf(values);
  return saver.put(thread(name, parent), checkpoint, LOOP, checkpoint.channel_versions);
}

export async function valuesOf(saver: BaseCheckpointSaver, name = "t"): Promise<Record<string, unknown>> {
  return (await tupleOf(saver, name)).checkpoint.channel_values;
}

export async function tupleOf(saver: BaseCheckpointSaver, name = "t"): Promise<CheckpointTuple> {
  const tuple = await saver.getTuple({ configurable: { thread_id: name } });
  if (tuple === undefined) throw new Error(`Thread ${name} has no checkpoint.`);
  return tuple;
}

/** A text that no two parts of are alike. */
export function longText(seed: number, length = 5000): string {
  let text = "";
  for (let word = seed * 7919; text.length < length; word = (word * 48271 + 11) % 2147483647)
    text += `${word.toString(36)} `;
  return text;
}
