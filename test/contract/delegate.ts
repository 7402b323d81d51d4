import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { SlimSaver } from "../../src/checkpointer/index.js";
import type { SlimSaverOptions } from "../../src/checkpointer/index.js";

type Methods = Pick<BaseCheckpointSaver, "getTuple" | "list" | "put" | "putWrites" | "deleteThread">;

/** Does what a SlimSaver does, until a method is replaced. */
class Delegate extends BaseCheckpointSaver {
  constructor(readonly inner: SlimSaver) {
    super();
  }

  override getTuple: Methods["getTuple"] = (...given) => this.inner.getTuple(...given);
  override list: Methods["list"] = (...given) => this.inner.list(...given);
  override put: Methods["put"] = (...given) => this.inner.put(...given);
  override putWrites: Methods["putWrites"] = (...given) => this.inner.putWrites(...given);
  override deleteThread: Methods["deleteThread"] = (...given) => this.inner.deleteThread(...given);
}

/** A saver in which the methods that `replace` returns stand in the place of those that work. */
export function savedBy(replace: (inner: SlimSaver) => Partial<Methods>, options: SlimSaverOptions = {}): Delegate {
  const inner = SlimSaver.fromConnString(":memory:", options);
  return Object.assign(new Delegate(inner), replace(inner));
}

/** Reading in which every tuple is changed on its way out. */
export function reading(inner: SlimSaver, change: (tuple: CheckpointTuple) => CheckpointTuple): Partial<Methods> {
  return {
    getTuple: async (config) => {
      const tuple = await inner.getTuple(config);
      return tuple && change(tuple);
    },
    async *list(...given) {
      for await (const tuple of inner.list(...given)) yield change(tuple);
    },
  };
}

export async function everything(inner: SlimSaver, config: RunnableConfig): Promise<CheckpointTuple[]> {
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of inner.list(config)) tuples.push(tuple);
  return tuples;
}
