import { Arrivals } from "../checkpointer/durability.js";

/** A checkpoint. */
export interface Place {
  readonly threadId: string;
  readonly ns: string;
  readonly id: string;
}

/** How many threads are remembered; the others are read. */
const MOST_THREADS = 1000;

/** What is known of one thread's checkpoints. */
interface Thread {
  /** The newest stored checkpoint of each namespace: tasks hang on no other. */
  readonly stored: Map<string, string>;
  /** Why the newest put of a namespace failed: LangGraph makes no later one in the same run. */
  readonly failed: Map<string, unknown>;
  readonly writes: Set<Promise<unknown>>;
}

/** What a saver is storing right now, by the calls that this process made. */
export class InFlight {
  private readonly arrivals = new Arrivals();
  private readonly threads = new Map<string, Thread>();

  async putting<T>(place: Place, work: () => Promise<T>): Promise<T> {
    const thread = this.thread(place.threadId);
    thread.failed.delete(place.ns);
    try {
      const result = await work();
      thread.stored.set(place.ns, place.id);
      return result;
    } catch (error) {
      thread.failed.set(place.ns, error);
      throw error;
    } finally {
      this.arrivals.announce(keyOf(place));
    }
  }

  async writing<T>(threadId: string, work: () => Promise<T>): Promise<T> {
    const { writes } = this.thread(threadId);
    const running = work();
    writes.add(running);
    try {
      return await running;
    } finally {
      writes.delete(running);
    }
  }

  /** Resolves true when the checkpoint is stored, false when storing it failed or `timeoutMs` has passed. */
  async stored(place: Place, timeoutMs: number, isReadable: () => Promise<boolean>): Promise<boolean> {
    if (this.isStored(place)) return true;
    // Another process may have stored it, or this one long ago.
    if (await isReadable()) return true;
    await this.arrivals.until(
      keyOf(place),
      () => this.isStored(place) || this.failureOf(place) !== undefined,
      timeoutMs,
    );
    return this.isStored(place);
  }

  /** Why a checkpoint could not be stored. */
  failureOf(place: Place): unknown {
    return this.threads.get(place.threadId)?.failed.get(place.ns);
  }

  writesOf(threadId: string): readonly Promise<unknown>[] {
    return [...(this.threads.get(threadId)?.writes ?? [])];
  }

  /** Resolves true when all of these have ended, however; false when `timeoutMs` has passed. */
  async ended(work: readonly Promise<unknown>[], timeoutMs: number): Promise<boolean> {
    if (work.length === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), timeoutMs)));
    const all = Promise.allSettled(work).then(() => true);
    return Promise.race([all, late]).finally(() => clearTimeout(timer));
  }

  forget(threadId: string): void {
    this.threads.delete(threadId);
  }

  private isStored({ threadId, ns, id }: Place): boolean {
    return this.threads.get(threadId)?.stored.get(ns) === id;
  }

  private thread(threadId: string): Thread {
    const known = this.threads.get(threadId) ?? { stored: new Map(), failed: new Map(), writes: new Set() };
    // The threads that were used last stay.
    this.threads.delete(threadId);
    this.threads.set(threadId, known);
    for (const [oldest] of this.threads) {
      if (this.threads.size <= MOST_THREADS) break;
      this.threads.delete(oldest);
    }
    return known;
  }
}

function keyOf({ threadId, ns }: Place): string {
  return JSON.stringify([threadId, ns]);
}
