/** Calls that are made one after the other within a thread, in the order in which they were asked for. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /**
   * Makes a call when `ready` has resolved and the calls that were asked for earlier have begun. It does not wait for
   * those to end: what an inner saver does at the same time is its own matter.
   */
  async take<T>(thread: string, ready: Promise<unknown>, call: () => Promise<T>): Promise<T> {
    // Whoever fails while others are awaited is heard of below.
    ready.catch(() => undefined);
    const before = this.last.get(thread) ?? Promise.resolve();
    const begun = before.then(() => ready).then(() => ({ result: call() }));
    const settled = begun.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(thread, settled);
    try {
      return await (
        await begun
      ).result;
    } finally {
      if (this.last.get(thread) === settled) this.last.delete(thread);
    }
  }
}
