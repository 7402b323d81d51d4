import { AsyncLocalStorage } from "node:async_hooks";
import type { RunningTask } from "../shared/langgraph.js";
import { processWide } from "../shared/process-wide.js";
import { EffectDefinitionError } from "./errors.js";

interface Scope {
  readonly effect: string;
  readonly task: RunningTask | undefined;
}

const scope = processWide("run-scope", () => new AsyncLocalStorage<Scope>());

/** Runs an effect's `run`, so that what is called inside can tell. */
export function insideRunOf<T>(effect: string, task: RunningTask | undefined, work: () => T): T {
  return scope.run({ effect, task }, work);
}

/**
 * Effects and questions of one task do not nest: an inner one could only ask by breaking the outer one off in the
 * middle, and what the outer one had done by then would be unknown. Another graph that `run` invokes is its own affair.
 */
export function refuseInsideRun(what: string, task: RunningTask): void {
  const outer = scope.getStore();
  if (outer?.task?.scratchpad !== task.scratchpad) return;
  throw new EffectDefinitionError(
    `${what} was called inside the run of effect "${outer.effect}". One effect is one outside call: call them one after the other.`,
    { details: { threadId: task.threadId, effect: outer.effect } },
  );
}
