import { AsyncLocalStorage } from "node:async_hooks";
import { processWide } from "./process-wide.js";

const watching = processWide("slot-use", () => new AsyncLocalStorage<{ used: boolean }>());

/**
 * Runs `work` and tells whether it asked something of its task, or may have: what has used a slot must run again on every
 * pass, or the answers to later questions would go astray.
 */
export async function watchSlots<T>(work: () => Promise<T>): Promise<{ result: T; used: boolean }> {
  const watch = { used: false };
  const result = await watching.run(watch, work);
  return { result, used: watch.used };
}

/** Says that whatever runs here uses a slot of its task, or an operation that might. */
export function slotUsed(): void {
  const watch = watching.getStore();
  if (watch !== undefined) watch.used = true;
}
