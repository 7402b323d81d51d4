import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { InvalidInputError } from "../shared/errors.js";
import { runningTask, type RunningTask } from "../shared/langgraph.js";
import { callEffect, type Effect } from "./effect.js";
import { InterruptSwallowedError, StaleFenceError } from "./errors.js";
import { findLedger } from "./ledger.js";
import { taskFor } from "./request-approval.js";
import { deskOf } from "./slots.js";
import { watched } from "./swallowed.js";

/** Puts an effect off until the node has returned. The arguments are read then. */
export type Defer = <A, R>(effect: Effect<A, R>, args: A) => void;

/** What a node function of `safeNode` is given beside state and config. */
export interface SafeNodeTools {
  readonly defer: Defer;
}

interface Deferred {
  readonly effect: Pick<Effect<unknown, unknown>, "definition">;
  readonly args: unknown;
}

/**
 * Gives an existing node `defer(effect, args)`: the effect is carried out when the node has returned, and not before. So what
 * acts on the outside world may stand anywhere in the node, also before a question.
 *
 * - Deferred effects run one after the other, in the order in which they were deferred, once the node has returned normally
 *   and every `interrupt()` in it is answered. A node that throws, or stops to ask, has deferred nothing.
 * - Each is an `effect`: it happens once, whatever runs again. Its errors are those of the effect: the node fails with them, and
 *   the effects after it are not carried out before a re-run gets that far. Its result is in the ledger, not in the node.
 * - An interrupt that was swallowed (a `try` around it, `Promise.allSettled`, `.catch()`) is an error, and nothing that was
 *   deferred is carried out: of the node's own `interrupt()`, and of graphs and tasks that it calls.
 * - What the node returns (an update, a `Command`) is returned as it is.
 *
 * @param fn the node: `(state, config, { defer })`
 * @returns a node function for `addNode`
 * @throws when run: InterruptSwallowedError; what `fn` throws; as `effect` for what was deferred. `defer` itself throws
 *   InvalidInputError for what is no effect, and after the node has returned
 * @example
 * graph.addNode("place", safeNode((state: State, config, { defer }) => {
 *   defer(sendReceipt, { order: state.order });
 *   const seat = interrupt("Which seat?");
 *   return { seat };
 * }));
 */
export function safeNode<S, U>(
  fn: (state: S, config: LangGraphRunnableConfig, tools: SafeNodeTools) => U | Promise<U>,
): (state: S, config: LangGraphRunnableConfig) => Promise<U> {
  if (typeof fn !== "function") throw new InvalidInputError("safeNode needs the node's function.");
  return async (state, config) => {
    const task = taskFor("A node of safeNode", config);
    const deferred: Deferred[] = [];
    let returned = false;
    const defer: Defer = (effect, args) => {
      if (returned) throw tooLate(task);
      deferred.push({ effect: effectOf(effect), args });
    };
    const { result, stoppedToAsk } = await watched(task, config, (heard) => fn(state, heard, { defer }));
    returned = true;
    if (stoppedToAsk) throw swallowed(task);
    for (const { effect, args } of deferred) {
      refuseUnfinished(effect, task);
      await callEffect(effect, args, config);
    }
    return result;
  };
}

function effectOf(candidate: unknown): Deferred["effect"] {
  if (typeof candidate === "function" && "definition" in candidate) return candidate as unknown as Deferred["effect"];
  throw new InvalidInputError("defer needs an effect, as effect({ name, key, run }) makes it, and its arguments.");
}

/**
 * An attempt that was given up (a timeout) carries out nothing more, and one that has left something running has not come to
 * its end.
 */
function refuseUnfinished({ definition }: Deferred["effect"], task: RunningTask): void {
  const { threadId, checkpointNs } = task;
  if (runningTask(task.config)?.pass !== task.pass) {
    throw new StaleFenceError(
      `An attempt of this node on thread "${threadId}" was given up, and a newer one runs; what it deferred is not carried out. ` +
        "The newer one goes on: nothing has to be done now.",
      { details: { threadId, checkpointNs } },
    );
  }
  if (!deskOf(findLedger(definition.ledger, task), task).isBusy) return;
  throw new InterruptSwallowedError(
    `A node on thread "${threadId}" returned while an effect, approval, memo or wait that it had started was still under way, so ` +
      "nothing that it deferred was carried out. Await all of them in the node.",
    { details: { threadId, checkpointNs } },
  );
}

function swallowed({ threadId, checkpointNs }: RunningTask): InterruptSwallowedError {
  return new InterruptSwallowedError(
    `A node on thread "${threadId}" went on after an interrupt, its own or that of a graph or task it called, that has no answer: ` +
      "something caught it (try/catch, .catch(), Promise.allSettled, a retry wrapper). Nothing that it deferred was carried out. " +
      "Throw the error on when isGraphInterrupt(error), and continue with resume(app, config).",
    { details: { threadId, checkpointNs } },
  );
}

function tooLate({ threadId, checkpointNs }: RunningTask): InvalidInputError {
  return new InvalidInputError(
    `defer was called on thread "${threadId}" after the node had returned, so the effect is not carried out. Await what calls it.`,
    { details: { threadId, checkpointNs } },
  );
}
