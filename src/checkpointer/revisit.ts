import type { RunnableConfig } from "@langchain/core/runnables";
import { markOfRun } from "../shared/langgraph.js";
import type { Address } from "./ids.js";

/**
 * Runs that start from an old checkpoint on purpose: they named it when it was no longer the newest, as somebody does who
 * edits an earlier message and sends it again. A run that named the newest one, and was overtaken, does not mean to.
 */
export class Revisits {
  private readonly places = new WeakMap<object, string>();

  /** Call when a checkpoint is read by its id and another one is the newest. */
  note(config: RunnableConfig, address: Address): void {
    const run = markOfRun(config);
    if (run !== undefined) this.places.set(run, placeOf(address));
  }

  /** Whether the checkpoint that `config` and `address` continue was named like that, by this very run. */
  has(config: RunnableConfig, address: Address): boolean {
    const run = markOfRun(config);
    return run !== undefined && this.places.get(run) === placeOf(address);
  }
}

function placeOf({ threadId, ns, checkpointId }: Address): string {
  return JSON.stringify([threadId, ns, checkpointId]);
}
