import { NotDurableError } from "./errors.js";

/** Lets runs wait until a checkpoint has been stored by this process. */
export class Arrivals {
  private readonly waiting = new Map<string, Set<() => void>>();

  announce(key: string): void {
    for (const wake of this.waiting.get(key) ?? []) wake();
  }

  /** Resolves true when `isThere` holds, now or when `key` is announced; false when `timeoutMs` has passed. */
  async until(key: string, isThere: () => boolean, timeoutMs: number): Promise<boolean> {
    if (isThere()) return true;
    return new Promise((resolve) => {
      const settle = (arrived: boolean): void => {
        clearTimeout(timer);
        this.forget(key, wake);
        resolve(arrived);
      };
      const wake = (): void => {
        if (isThere()) settle(true);
      };
      const timer = setTimeout(() => {
        settle(isThere());
      }, timeoutMs);
      const others = this.waiting.get(key) ?? new Set();
      this.waiting.set(key, others.add(wake));
    });
  }

  private forget(key: string, wake: () => void): void {
    const others = this.waiting.get(key);
    others?.delete(wake);
    if (others?.size === 0) this.waiting.delete(key);
  }
}

const UNKEPT =
  " A graph compiled with checkpointer: false stores none: only effects with a key of the business work in it.";

/** @param cause why it could not be stored, where that is known */
export function neverStored(
  threadId: string,
  ns: string,
  checkpointId: string,
  waitedMs: number,
  cause?: unknown,
): NotDurableError {
  const where = ns === "" ? "" : `, namespace "${ns}"`;
  const how =
    cause === undefined
      ? `was not stored within ${waitedMs} ms`
      : `could not be stored (${cause instanceof Error ? cause.message : "the saver threw"})`;
  return new NotDurableError(
    `Checkpoint ${checkpointId} of thread "${threadId}"${where} ${how}, so what runs now ` +
      `could not be found again after a crash. Under durability "exit" it is never stored before the end: ` +
      `run the graph with durability "async" (the default) or "sync".${ns === "" ? "" : UNKEPT}`,
    { cause, details: { threadId, checkpointNs: ns, checkpointId } },
  );
}

export function underExit(threadId: string): NotDurableError {
  return new NotDurableError(
    `Thread "${threadId}" runs with durability "exit": its checkpoints are stored only at the end, so what runs now ` +
      `could not be found again after a crash. Use durability "async" (the default) or "sync".`,
    { details: { threadId } },
  );
}
