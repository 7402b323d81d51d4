import { InvalidInputError } from "../shared/errors.js";
import type { EffectId, EffectRow } from "./effect-row.js";
import type { Store } from "../store/home.js";
import { effectId } from "./effect-id.js";
import { EffectTable } from "./effect-table.js";
import { EffectClosedError, EffectInProgressError, EffectNotFoundError } from "./errors.js";
import { Ledger } from "./ledger.js";
import { isAlive } from "./owner.js";
import { isUndo, undoOfEffect } from "./undo-row.js";
import { readResolution, settlementOf, type Resolution } from "./resolution.js";

/**
 * Settles an effect whose outcome is unknown, or another matter that holds up a thread, from outside the graph.
 *
 * - `succeeded`: every run returns `result` from now on. `failed`: the visit that made the call gets `evidence` as its
 *   refusal; a new visit may try again. `retry`: the next run carries the effect out, with the same key.
 * - Of an effect whose undo did not go through (COMPENSATION_FAILED), it settles the undo, by the id of either:
 *   `succeeded` where it was taken back by hand, `retry` for `compensate` to try again.
 * - It changes the ledger only. A thread that waits with a question is continued with `resume`; its answer then settles
 *   nothing more.
 * - Who said so, and why, is kept with the effect.
 *
 * @param ledger from `ledgerOf` or `memoryLedger`
 * @param id the effect's id, or the matter's, as questions and errors name it
 * @throws EffectNotFoundError, EffectClosedError when the outcome is known already, EffectInProgressError while the call
 *   is under way, InvalidInputError for an incomplete resolution
 * @example
 * await resolve(ledgerOf(checkpointer), "eff_3f…", { as: "succeeded", by: "ada", evidence: "bank statement", result: receipt });
 */
export async function resolve(ledger: Ledger, id: EffectId, resolution: Resolution): Promise<void> {
  if (!Ledger.is(ledger)) throw new InvalidInputError("resolve needs a ledger: ledgerOf(checkpointer).");
  const reading = readResolution(resolution);
  if ("problem" in reading) throw new InvalidInputError(`${reading.problem} Nothing was changed.`);
  settleMatter(ledger, id, reading.resolution);
}

/** Settles a matter by its id: an effect, or a latch with an id of its own. */
export function settleMatter({ store }: Ledger, id: string, resolution: Resolution): void {
  const table = new EffectTable(store);
  const row = undoBehind(store, table.find(id));
  if (row === undefined) {
    releaseLatch(table, id, resolution);
    return;
  }
  if (row.state === "STARTED" && isAlive(store, row)) {
    throw new EffectInProgressError(
      `${which(row)} is being carried out right now. Nothing was changed; call resolve() again when the call has ended and left it open.`,
      {
        details: { effectId: id, key: row.key, threadId: row.threadId },
      },
    );
  }
  const open = isOpen(row);
  const abandoned = row.state === "STARTED" ? ({ attempt: "abandoned" } as const) : {};
  if (open && table.settle(row, { ...settlementOf(row, resolution, store.clock.now()), ...abandoned })) return;
  throw new EffectClosedError(
    `${which(row)} ${open ? "was settled by somebody else just now" : `is ${row.state}`}, so there is nothing to settle. ` +
      `Nothing was changed. See what is recorded with: waypoint actions ${threadArgument(row.threadId)}. If that is right, ` +
      `continue with resume(app, config)${row.state === "SUCCEEDED" ? "; if it is wrong, put it right outside: the record stands" : ""}.`,
    { details: { effectId: id, key: row.key, threadId: row.threadId, state: row.state } },
  );
}

/** Of an effect that is being taken back, the undo is what can be settled. */
function undoBehind(store: Store, row: EffectRow | undefined): EffectRow | undefined {
  if (row?.state !== "COMPENSATING" && row?.state !== "COMPENSATION_FAILED") return row;
  const { name, key } = undoOfEffect(row);
  return new EffectTable(store).find(effectId(store, name, key)) ?? row;
}

/** An undo that failed is not at its end: somebody may take the effect back by hand. */
function isOpen(row: EffectRow): boolean {
  if (row.state === "UNKNOWN" || row.state === "STARTED") return true;
  return isUndo(row) && (row.state === "FAILED" || row.state === "RETRYABLE");
}

function releaseLatch(table: EffectTable, id: string, { by, evidence }: Resolution): void {
  const latch = table.findLatch(id);
  if (latch === undefined) {
    throw new EffectNotFoundError(
      `There is no effect or matter "${id}" in this ledger. Nothing was changed. Take the id from the question or the error ` +
        `(eff_… or lat_…), or from: waypoint actions; an effect of another tenant or database is not seen. An approval is ` +
        `decided with decide(ledger, id, …).`,
      { details: { id } },
    );
  }
  if (table.release(id, by, evidence)) return;
  throw new EffectClosedError(
    `The matter "${id}" of thread "${latch.threadId}" was settled before${latch.releasedBy === null ? "" : ` by ${latch.releasedBy}`}. ` +
      `Nothing was changed. Continue the thread with resume(app, config).`,
    {
      details: { id, threadId: latch.threadId },
    },
  );
}

function threadArgument(threadId: string): string {
  return threadId === "" ? "--db <file>" : `${JSON.stringify(threadId)} --db <file>`;
}

function which({ name, key }: EffectRow): string {
  return `Effect "${name}" with key "${key}"`;
}
