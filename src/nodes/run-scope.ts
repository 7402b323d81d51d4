import { AsyncLocalStorage } from "node:async_hooks";
import type { RunningTask } from "../shared/langgraph.js";
import { processWide } from "../shared/process-wide.js";
import { EffectDefinitionError } from "./errors.js";
import { MemoUseError } from "./memo-errors.js";

/** The function of the user's that runs as part of one of our operations. */
interface Scope {
  readonly within: "effect" | "memo";
  readonly name: string;
  readonly task: RunningTask | undefined;
  /** Memos whose function this is, or is called by. */
  readonly memos: readonly string[];
}

const scope = processWide("run-scope", () => new AsyncLocalStorage<Scope>());

/** Runs an effect's `run`, so that what is called inside can tell. */
export function insideRunOf<T>(effect: string, task: RunningTask | undefined, work: () => T): T {
  return scope.run({ within: "effect", name: effect, task, memos: memosAround() }, work);
}

/** Runs a memo's function, so that what is called inside can tell. `memo` identifies it in the process. */
export function insideMemo<T>(name: string, memo: string, task: RunningTask, work: () => T): T {
  return scope.run({ within: "memo", name, task, memos: [...memosAround(), memo] }, work);
}

/** Whether this runs inside an effect's `run` or a memo's function. */
export function isNested(): boolean {
  return scope.getStore() !== undefined;
}

/** The memos whose functions call what runs here, outermost first. */
export function memosAround(): readonly string[] {
  return scope.getStore()?.memos ?? [];
}

/** The task of the memo whose function runs here; LangGraph's own context ends at it. */
export function taskAround(): RunningTask | undefined {
  const outer = scope.getStore();
  return outer?.within === "memo" ? outer.task : undefined;
}

/**
 * Effects and questions of one task do not nest: an inner one could only ask by breaking the outer one off in the
 * middle, and what the outer one had done by then would be unknown. Nor do they run inside a memo, whose function is not
 * called again, so that no later pass would ask there. Another graph that is invoked there is its own affair.
 */
export function refuseInsideRun(what: string, task: RunningTask | undefined): void {
  const outer = scope.getStore();
  if (outer === undefined) return;
  const isOutside = task === undefined && outer.within === "memo";
  const isSame = task !== undefined && outer.task?.scratchpad === task.scratchpad;
  if (!isOutside && !isSame) return;
  const threadId = outer.task?.threadId;
  if (outer.within === "memo") {
    throw new MemoUseError(
      `${what} was called inside the function of memo "${outer.name}", which is called once and skipped from then on. ` +
        `Compute the value in the memo; call effects, approvals and waits after it, in the node itself.`,
      { details: { threadId, name: outer.name } },
    );
  }
  throw new EffectDefinitionError(
    `${what} was called inside the run of effect "${outer.name}". One effect is one outside call: call them one after the other.`,
    { details: { threadId, effect: outer.name } },
  );
}
