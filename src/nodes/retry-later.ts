import type { RunnableConfig } from "@langchain/core/runnables";
import { toMilliseconds, type Duration } from "../shared/clock.js";
import { InvalidInputError } from "../shared/errors.js";
import { questionAbout } from "./wait-question.js";
import { RetriesExhaustedError } from "./wait-errors.js";
import { beforeRow, inScope, momentAfter, waitScope } from "./waiting.js";

export interface RetryLaterOptions {
  /** How long to wait before the node runs again. */
  readonly after: Duration;
  /** Why; a person reads it. */
  readonly reason: string;
  /** Attempts in all, the first one included; without it, as many as it takes. */
  readonly maxAttempts?: number;
  /** Tells several matters of one node apart, which are counted each for itself. */
  readonly name?: string;
}

/**
 * Stops the node, and lets it run again from its first line when the time has come: for a wait that is too long to be held in
 * a process, such as a rate limit or a bank that is closed.
 *
 * - Each call is counted in the ledger, across crashes and node retries, and synced to disk before the run stops with an
 *   interrupt of type `waypoint.wait` and kind `retry`.
 * - `resume(app, config)` runs the node again when it is due, and not before. It is not a question: nothing answers it. A
 *   plain `Command({ resume })` would be the answer to the next question of the node, so do not send one.
 * - Where a parallel branch is answered meanwhile, LangGraph runs this node again too, and it tries early.
 *
 * @param options `after` as a duration; `reason`
 * @param config the node's config; optional where async-local storage works
 * @returns never: it throws
 * @throws GraphInterrupt (let it pass); RetriesExhaustedError when `maxAttempts` attempts have failed; InvalidInputError for
 *   wrong options, outside a graph, and without a checkpointer; NoLedgerError, NotDurableError
 * @example
 * const rates = await readRates();
 * if (rates === undefined) await retryLater({ after: "15m", reason: "The bank is closed.", maxAttempts: 20 }, config);
 */
export async function retryLater(options: RetryLaterOptions, config?: RunnableConfig): Promise<never> {
  const { after, reason, maxAttempts, name = "" } = options;
  if (typeof reason !== "string" || reason === "") throw new InvalidInputError("retryLater needs a reason, as a text.");
  if (typeof name !== "string") throw new InvalidInputError("The name of a retry must be a text.");
  if (maxAttempts !== undefined && (!Number.isInteger(maxAttempts) || maxAttempts < 1))
    throw new InvalidInputError("retryLater's maxAttempts must be a whole number from 1.");
  const delay = toMilliseconds(after, "after");
  const scope = waitScope("retryLater", config);
  const { desk, table, visit } = scope;
  const slot = `retry:${name}`;
  const place = `wait:${visit.id}:${slot}`;
  return inScope(scope, place, async () => {
    await beforeRow(scope, config);
    const { threadId, checkpointNs, id } = visit;
    const dueAt = momentAfter(delay, scope);
    const draft = { threadId, checkpointNs, visit: id, slot, kind: "retry", name, asked: "", dueAt, reason } as const;
    const row = table.postpone(draft, (failures) => maxAttempts === undefined || failures < maxAttempts);
    if (row === undefined) throw exhausted(threadId, maxAttempts ?? 0, reason);
    return desk.pause(questionAbout(row, place));
  });
}

function exhausted(threadId: string, attempts: number, reason: string): RetriesExhaustedError {
  return new RetriesExhaustedError(
    `On thread "${threadId}", ${attempts} attempts have failed, and no more are allowed: ${reason} Mend the cause, then continue ` +
      `with resume(app, config), which makes one more attempt.`,
    { details: { threadId, attempts } },
  );
}
