import type { RunnableConfig } from "@langchain/core/runnables";
import { InvalidInputError } from "../shared/errors.js";
import { isDue } from "./wait.js";
import { questionAbout } from "./wait-question.js";
import { beforeRow, inScope, waitScope, waitSlot } from "./waiting.js";

/**
 * Waits until a moment, without holding a process: the run stops, and goes on when somebody resumes it then.
 *
 * - Returns at once when the moment is past. Otherwise the wait is a row, synced to disk, before the run stops with an
 *   interrupt of type `waypoint.wait` (see `WaitRequest`).
 * - Nothing wakes by itself: `resume(app, config)` goes on with what is due and leaves the rest; `pendingWaits` says where.
 * - A run that is resumed too early asks again, whatever the answer was.
 * - The moment that was asked for first stands for the rest of the visit, also where `at` is computed anew on each pass.
 *
 * @param at a Date, or ISO 8601 text with a time zone
 * @param config the node's config; optional where async-local storage works
 * @throws GraphInterrupt until then (let it pass); InvalidInputError for a moment that is none, outside a graph, and without a
 *   checkpointer; NoLedgerError, NotDurableError
 * @example
 * await sleepUntil(new Date((await now()).getTime() + 3_600_000), config);
 */
export async function sleepUntil(at: Date | string, config?: RunnableConfig): Promise<void> {
  const dueAt = momentOf(at);
  const scope = waitScope("sleepUntil", config);
  const { desk, table, visit } = scope;
  const asked = String(dueAt);
  const slot = waitSlot(scope, "sleep", "", asked);
  const place = `wait:${visit.id}:${slot}`;
  await inScope(scope, place, async () => {
    await beforeRow(scope, config);
    const { threadId, checkpointNs, id } = visit;
    const row = table.enter({ threadId, checkpointNs, visit: id, slot, kind: "sleep", name: "", asked, dueAt });
    const over = (): boolean => isDue(row, scope.ledger.store.clock.now());
    await desk.spend(place, over() ? { due: true } : {});
    if (!over()) await desk.ask(questionAbout(row, place));
    table.end(row.id);
  });
}

/** ISO 8601 with a zone: without one, it would be another moment on another machine. */
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/;

function momentOf(at: unknown): number {
  const moment =
    at instanceof Date ? at.getTime() : typeof at === "string" && ISO.test(at) ? Date.parse(at) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new InvalidInputError(
    `sleepUntil needs a moment: a Date, or a text such as "2026-01-31T08:00:00Z"; got ${describe(at)}. Nothing was done.`,
  );
}

function describe(at: unknown): string {
  if (at instanceof Date) return "an invalid Date";
  return typeof at === "string" ? JSON.stringify(at.slice(0, 100)) : typeof at;
}
