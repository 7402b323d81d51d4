import { toMilliseconds } from "../shared/clock.js";
import { WaypointError } from "../shared/errors.js";
import type { Store } from "../store/home.js";
import { ObjectsUnavailableError } from "../store/errors.js";
import type { ObjectStore } from "../store/objects/object-store.js";
import type { UploadTable } from "../store/sqlite/uploads.js";

/** An upload that takes longer comes to nothing; an object that nobody knows stays this long. */
const GRACE_MS = toMilliseconds("1h");

/** Objects outside the database that nothing refers to: uploads that broke off, contents that were let go of. */
export class Leftovers {
  constructor(
    private readonly store: Store,
    private readonly uploads: UploadTable,
    private readonly objects: ObjectStore | undefined,
  ) {}

  /** How many `remove` would remove; undefined without an object store. */
  count(): number | undefined {
    return this.objects === undefined ? undefined : this.uploads.countDue(this.cutoff());
  }

  /**
   * Removes what was let go of, uploads that began long ago, and, the next time, what is found that nobody knows.
   *
   * @returns how many; undefined without an object store
   * @throws ObjectsUnavailableError when some could not be removed; they are tried again the next time
   */
  async remove(): Promise<number | undefined> {
    if (this.objects === undefined) return undefined;
    this.store.database.transaction(() => {
      this.uploads.abandonOlder(this.cutoff());
    });
    const removed = await this.removeUnused();
    for await (const key of this.objects.list(this.uploads.prefix)) this.note(key);
    return removed;
  }

  /** Removes what was let go of, and nothing else. @throws ObjectsUnavailableError */
  async removeUnused(): Promise<number> {
    let removed = 0;
    const failed: unknown[] = [];
    for (const unused of this.objects === undefined ? [] : this.uploads.unused()) {
      try {
        await this.objects?.delete(unused.key);
        if (this.store.database.transaction(() => this.uploads.forget(unused))) removed += 1;
      } catch (error) {
        if (!WaypointError.is(error) || error.code !== "OBJECTS_UNAVAILABLE") throw error;
        failed.push(error);
      }
    }
    if (failed.length > 0) throw notRemoved(failed);
    return removed;
  }

  /** An object whose row a power cut took, or whose writer was slower than the grace. */
  private note(key: string): void {
    if (this.uploads.isKnown(key)) return;
    this.store.database.transaction(() => {
      if (!this.uploads.isKnown(key)) this.uploads.note(key, this.store.clock.now());
    });
  }

  private cutoff(): number {
    return this.store.clock.now() - GRACE_MS;
  }
}

function notRemoved(failed: readonly unknown[]): ObjectsUnavailableError {
  const [first] = failed;
  return new ObjectsUnavailableError(
    `${failed.length} contents that nothing refers to any more could not be removed from the place for large contents, and ` +
      `still lie there: ${(first as Error).message} In the database all was done. Call this again, or prune, to remove them.`,
    { cause: first, details: { left: failed.length } },
  );
}
