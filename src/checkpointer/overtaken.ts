import type { StaleCheckpointError } from "./errors.js";
import { isRecord } from "./input.js";

/** How many refusals are kept in mind. A run ends soon after the first of its checkpoints was refused. */
const KEPT = 1000;

/**
 * The checkpoints that this process was refused. Under durability "async" their runs go on for a while; what they bring
 * hangs on a checkpoint that is not there and never will be, and may not get in the way of the run that was faster.
 */
export class Overtaken {
  private readonly refusals = new Map<string, StaleCheckpointError>();

  note(threadId: string, ns: string, id: string, error: StaleCheckpointError): void {
    const [oldest] = this.refusals.keys();
    if (oldest !== undefined && this.refusals.size >= KEPT) this.refusals.delete(oldest);
    this.refusals.set(keyOf(threadId, ns, id), error);
  }

  /** It is taken after all, at another try. */
  forget(threadId: string, ns: string, id: string): void {
    if (this.refusals.size > 0) this.refusals.delete(keyOf(threadId, ns, id));
  }

  has(threadId: string, ns: string, id: string): boolean {
    return this.refusals.has(keyOf(threadId, ns, id));
  }

  /**
   * @param levels checkpoint id by namespace
   * @throws StaleCheckpointError, the one that was thrown before, when one of these checkpoints was refused
   */
  guard(threadId: string, levels: unknown): void {
    if (this.refusals.size === 0 || !isRecord(levels)) return;
    for (const [ns, id] of Object.entries(levels)) {
      const reason = typeof id === "string" ? this.refusals.get(keyOf(threadId, ns, id)) : undefined;
      if (reason !== undefined) throw reason;
    }
  }
}

function keyOf(threadId: string, ns: string, id: string): string {
  return JSON.stringify([threadId, ns, id]);
}
