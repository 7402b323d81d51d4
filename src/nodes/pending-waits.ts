import { InvalidInputError } from "../shared/errors.js";
import { Ledger } from "./ledger.js";
import { iso, isDue, referenceTo, type Wait } from "./wait.js";
import { WaitTable } from "./wait-table.js";

/**
 * The waits that are open, oldest first; `due` says which of them `resume(app, config)` would go on with. A timer that resumes
 * the threads of those that are due is all that it takes to wake them.
 *
 * @param ledger where they are kept: `ledgerOf(checkpointer)`
 * @param options `threadId`: only those of one thread; `due`: only those that are due, or that are not
 * @throws InvalidInputError when `ledger` is none
 * @example
 * for (const { threadId } of await pendingWaits(ledger, { due: true })) await resume(app, { configurable: { thread_id: threadId } });
 */
export async function pendingWaits(
  ledger: Ledger,
  options: { threadId?: string; due?: boolean } = {},
): Promise<Wait[]> {
  await Promise.resolve();
  if (!Ledger.is(ledger))
    throw new InvalidInputError("pendingWaits needs a ledger: ledgerOf(checkpointer) or memoryLedger().");
  const now = ledger.store.clock.now();
  const waits = new WaitTable(ledger.store).open(options.threadId).map((row): Wait => ({
    ...referenceTo(row),
    threadId: row.threadId,
    due: isDue(row, now),
    since: iso(row.createdAt),
  }));
  return waits.filter(({ due }) => options.due === undefined || due === options.due);
}
