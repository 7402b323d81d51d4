import type { RunningTask } from "../shared/langgraph.js";
import { AutoKeyError, EffectDefinitionError } from "./errors.js";
import type { Visit } from "./visit.js";

const AUTO: unique symbol = Symbol.for("langgraph-waypoint.auto-key") as never;

/** Stands for a key that is made from the visit. */
export interface AutoKey {
  readonly [AUTO]: true;
}

/**
 * The key for an effect that has no business identity: thread, visit, effect and the number of the call in the visit.
 *
 * - It is stable through re-runs, retries and crashes, because the effect waits until the visit's checkpoint is stored.
 * - In a tool the tool call's id is part of it. The `ToolNode` of a StateGraph tells it only through the tool's config:
 *   hand that on where one message may call the tool several times.
 * - A loop, a fork and a new input are new visits, and so new keys. So is a subgraph that LangGraph starts anew because
 *   a `retryPolicy` runs the node around it again: give effects in there a business key.
 * - It needs a running graph with a checkpointer, and refuses `durability: "exit"`. It refuses time travel too, unless
 *   `onReplay` is `new`.
 *
 * @example effect({ name: "notify", key: () => autoKey, run: … });
 */
export const autoKey: AutoKey = { [AUTO]: true };

const MAX_LENGTH = 1000;

/** What an effect with `autoKey` does in a replay of an old checkpoint, where it would get another key. */
export type OnReplay = "refuse" | "new";

/** Reads what a definition's `key` returned. `index` counts the calls of the effect in this visit. */
export function keyFrom(
  key: unknown,
  name: string,
  task: RunningTask | undefined,
  visit: Visit | undefined,
  index: number,
  onReplay: OnReplay = "refuse",
): string {
  if (isAutoKey(key)) return automatic(name, task, visit, index, onReplay);
  if (typeof key === "string" && key !== "" && key.length <= MAX_LENGTH) return key;
  throw new EffectDefinitionError(
    `The key of effect "${name}" must be a text of 1 to ${MAX_LENGTH} characters, or autoKey; got ${describe(key)}. Nothing was done.`,
  );
}

function automatic(
  name: string,
  task: RunningTask | undefined,
  visit: Visit | undefined,
  index: number,
  onReplay: OnReplay,
): string {
  if (task?.checkpointer === undefined || visit === undefined) {
    throw new AutoKeyError(
      `Effect "${name}" uses autoKey outside a graph with a checkpointer, where no visit could be found again after a ` +
        `crash. Give it a business key, or compile the graph with a checkpointer. Nothing was done.`,
    );
  }
  if (task.replaying && onReplay === "refuse") {
    throw new AutoKeyError(
      `Effect "${name}" uses autoKey in a replay of an old checkpoint of thread "${task.threadId}": it would get a new ` +
        `key and happen again. Give it a business key, which finds the record, say onReplay: "new" if it shall happen again, or ` +
        `do not replay past it. Nothing was done.`,
      { details: { threadId: task.threadId, checkpointNs: task.checkpointNs } },
    );
  }
  return JSON.stringify(["auto", task.threadId, visit.id, index]);
}

/** Whether a definition leaves the key to the visit. */
export function isAutoKey(key: unknown): key is AutoKey {
  return typeof key === "object" && key !== null && AUTO in key;
}

function describe(key: unknown): string {
  return typeof key === "string" ? `a text of ${key.length} characters` : key === null ? "null" : typeof key;
}
