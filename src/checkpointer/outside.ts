import { ObjectsUnavailableError } from "../store/errors.js";
import type { Store } from "../store/home.js";
import type { ObjectStore } from "../store/objects/object-store.js";
import { isTampered } from "../store/sealing.js";
import { ObjectTable } from "../store/sqlite/objects.js";
import type { Attempt } from "../store/sqlite/objects.js";
import { INSIDE_UP_TO, OutsideTable } from "../store/sqlite/outside.js";
import { UploadTable } from "../store/sqlite/uploads.js";

/** Payloads that are asked for at the same time. */
const BROUGHT_AT_ONCE = 16;

/** What reads with pieces from outside. */
interface Served {
  readonly objects: ObjectTable;
  readonly forget: () => void;
}

/** Thrown in a transaction to roll it back: what was read in it was not all there. */
class Incomplete extends Error {}

/**
 * Large pieces outside the database. A checkpoint is stored whole in the database, then its large pieces are brought
 * outside, each payload before the row that refers to it; so that a crash, or a place that cannot be written, takes
 * nothing away. What is read is tried, and tried again when the pieces that were missing have been brought.
 */
export class Outside {
  private readonly table: OutsideTable;
  private readonly objects: ObjectTable;
  private readonly uploads: UploadTable;
  private attempt: Attempt | undefined;
  /** Pieces were stored since `settle` last looked. */
  private isDue = false;
  private settling: Promise<void> = Promise.resolve();

  private readonly served: Served[] = [];

  constructor(
    private readonly store: Store,
    private readonly place: ObjectStore,
  ) {
    this.table = new OutsideTable(store.database, store.tenant);
    this.uploads = new UploadTable(store.database, store.tenant);
    this.objects = new ObjectTable(store.database, store);
  }

  /** @param forget drops what was cached of these objects, also of pieces that were not there */
  serve(objects: ObjectTable, forget: () => void): void {
    this.served.push({ objects, forget });
    objects.large = {
      above: this.store.objectsAbove ?? INSIDE_UP_TO,
      tell: (object, bytes) => {
        this.table.wait(object, bytes);
        this.isDue = true;
      },
    };
  }

  /**
   * Runs what reads from the database, and again until all pieces were there.
   *
   * @throws what `work` throws; ObjectsUnavailableError
   */
  async complete<T>(work: () => T): Promise<T> {
    const attempt: Attempt = { missing: new Set(), brought: new Map() };
    for (;;) {
      const outcome = this.tried(attempt, work);
      if ("value" in outcome) return outcome.value;
      await this.bring(attempt);
    }
  }

  private tried<T>(attempt: Attempt, work: () => T): { value: T } | { incomplete: true } {
    this.trying(attempt);
    try {
      const value = work();
      if (attempt.missing.size === 0) return { value };
    } catch (error) {
      if (attempt.missing.size === 0) throw error;
    } finally {
      this.trying(undefined);
    }
    for (const { forget } of this.served) forget();
    return { incomplete: true };
  }

  private trying(attempt: Attempt | undefined): void {
    this.attempt = attempt;
    for (const { objects } of this.served) objects.attempt = attempt;
  }

  /** At the end of a transaction: nothing is written that was made of pieces which were not there. */
  assertComplete(): void {
    if (this.attempt !== undefined && this.attempt.missing.size > 0) throw new Incomplete();
  }

  private async bring({ missing, brought }: Attempt): Promise<void> {
    const wanted = [...missing];
    missing.clear();
    for (let from = 0; from < wanted.length; from += BROUGHT_AT_ONCE) {
      const some = wanted.slice(from, from + BROUGHT_AT_ONCE);
      await Promise.all(some.map(async (object) => brought.set(object, await this.payloadOf(object))));
    }
  }

  private async payloadOf(object: number): Promise<Uint8Array | undefined> {
    const key = this.table.keyOf(object);
    return key === undefined ? undefined : this.place.get(key);
  }

  /** What is wrong with an object outside; undefined when it is whole. @throws ObjectsUnavailableError */
  async check(object: number): Promise<"missing" | "corrupt" | undefined> {
    const brought = new Map([[object, await this.payloadOf(object)]]);
    try {
      const found = this.objects.readWith(object, { missing: new Set(), brought });
      return typeof found === "string" && found !== "elsewhere" ? found : undefined;
    } catch (error) {
      if (isTampered(error)) return "corrupt";
      throw error;
    }
  }

  /**
   * Brings outside what was stored since the last time. A place that cannot be written loses nothing: the pieces stay in the
   * database, a warning says so, and they are tried again with the next large piece, and by `prune`.
   */
  async settle(): Promise<void> {
    if (!this.isDue) return;
    this.isDue = false;
    try {
      await this.moveAll();
    } catch (error) {
      if (!(error instanceof ObjectsUnavailableError)) throw error;
      process.emitWarning(`${error.message} Large pieces of checkpoints stay in the database until prune.`, {
        code: "WAYPOINT_OBJECTS_UNAVAILABLE",
      });
    }
  }

  /** Brings outside whatever waits for it, one after the other. @throws ObjectsUnavailableError */
  async moveAll(): Promise<void> {
    const mine = this.settling.then(async () => {
      for (const object of this.table.waiting()) await this.move(object);
    });
    this.settling = mine.catch(() => undefined); // who called it hears of the error
    await mine;
  }

  private async move(object: number): Promise<void> {
    const data = this.table.inside(object);
    if (data === undefined) return;
    const { database, clock } = this.store;
    const key = this.uploads.newKey();
    database.transaction(() => {
      this.uploads.begin(key, clock.now());
    });
    // Where this fails, or the process dies, the key is known as an upload and its object is removed in time.
    await this.place.put(key, data);
    database.transaction(() => {
      const inTime = this.uploads.end(key);
      if (!inTime || !this.table.move(object, key)) this.uploads.abandon(key, clock.now());
    });
  }
}
