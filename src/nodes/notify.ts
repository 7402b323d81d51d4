import { systemClock } from "../shared/clock.js";
import type { Approval, Notify } from "./approval.js";
import type { ApprovalTable } from "./approval-table.js";

/** A hook that hangs may not hold up the question. Real time: it waits for the user's code, not for a deadline of ours. */
const PATIENCE_MS = 10_000;

/**
 * Calls the hook for a pending approval, once: the row remembers it. A hook that fails or hangs is reported as a
 * process warning and called again on the next pass; the question is asked all the same.
 */
export async function notifyOnce(approval: Approval, notify: Notify | undefined, table: ApprovalTable): Promise<void> {
  if (notify === undefined) return;
  const claim = table.claimNotice(approval.id);
  if (claim === undefined) return;
  const done = new AbortController();
  try {
    await Promise.race([notify(approval), hung(done.signal)]);
  } catch (error) {
    table.releaseNotice(approval.id, claim);
    process.emitWarning(
      `The notify hook failed for the approval "${approval.id}" of "${approval.action}" on thread "${approval.threadId}": ` +
        `${(error as Error).message}. The question was asked; the hook is called again on the next pass.`,
      { code: "WAYPOINT_NOTIFY_FAILED" },
    );
  } finally {
    done.abort();
  }
}

async function hung(signal: AbortSignal): Promise<never> {
  await systemClock.sleep(PATIENCE_MS, signal).catch(() => new Promise(() => undefined));
  throw new Error(`it did not return within ${PATIENCE_MS} ms`);
}
