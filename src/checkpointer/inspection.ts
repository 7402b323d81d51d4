import type { Store } from "../store/home.js";
import type { Namespace } from "../store/sqlite/checkpoints.js";
import { MaintenanceTable } from "../store/sqlite/maintenance.js";
import type { Size } from "../store/sqlite/maintenance.js";
import { isTampered } from "../store/sealing.js";
import { ObjectTable } from "../store/sqlite/objects.js";
import type { Archive } from "./archive.js";
import type { ArtifactsReport } from "./artifact-verify.js";
import { CorruptObjectError } from "./errors.js";
import { orphans } from "./orphans.js";
import { referencesOfRow, referencesOfTask, walk } from "./reach.js";
import type { Found } from "./reach.js";
import { pageBytes } from "./stats.js";
import type { StorageStats } from "./stats.js";

/** What `verify` found wrong. */
export interface VerifyReport {
  readonly checkpoints: number;
  readonly objects: number;
  /** Objects that lie in an object store that was not given: not looked at. */
  readonly unchecked: number;
  /** Objects that a checkpoint or a write refers to, and that are not there or do not match their hash. */
  readonly broken: readonly { readonly objectId: number; readonly what: "missing" | "corrupt" }[];
  /** Checkpoints whose row, or a write of theirs, cannot be read. */
  readonly damaged: readonly string[];
  /** Objects that nothing refers to; `prune` removes them. Only counted where the whole database was read and is whole. */
  readonly orphans: number;
  readonly artifacts: ArtifactsReport;
  readonly ok: boolean;
}

/** Measuring and checking: looks at everything, changes nothing. */
export class Inspection {
  private readonly table: MaintenanceTable;
  private readonly objects: ObjectTable;

  constructor(
    private readonly store: Store,
    private readonly archive: Archive,
  ) {
    this.table = new MaintenanceTable(store.database, store);
    this.objects = new ObjectTable(store.database, store);
  }

  /** @throws DecryptionError for another key; ObjectsUnavailableError */
  async verify(threadId: string | undefined): Promise<Omit<VerifyReport, "artifacts">> {
    const namespaces = this.archive.table.namespaces({ thread: threadId, ns: undefined });
    const roots = new Set<number>();
    const damaged: string[] = [];
    let checkpoints = 0;
    for (const { id } of namespaces) {
      for (const row of this.archive.rows(id, undefined, undefined)) {
        checkpoints += 1;
        this.gather(roots, damaged, row.id, () => referencesOfRow(row));
      }
      for (const task of this.table.taskBodies(id)) {
        this.gather(roots, damaged, task.checkpoint, () => referencesOfTask(task.body));
      }
    }
    const { reached, broken: found, outside } = walk(roots, (id) => this.read(id));
    const broken = new Map([...found, ...(await this.brokenOutside(outside))]);
    const whole = threadId === undefined && broken.size === 0 && damaged.length === 0;
    const unused = whole ? orphans(this.table, this.objects).length : 0;
    return {
      checkpoints,
      objects: reached.size,
      unchecked: this.archive.outside === undefined ? outside.size : 0,
      broken: [...broken].map(([objectId, what]) => ({ objectId, what })),
      damaged: [...new Set(damaged)],
      orphans: unused,
      ok: broken.size === 0 && damaged.length === 0,
    };
  }

  stats(threadId: string | undefined): Omit<StorageStats, "artifacts" | "artifactBytes"> {
    const namespaces = this.archive.table.namespaces({ thread: threadId, ns: undefined });
    const checkpoints = namespaces.map(({ id }) => this.table.checkpointSize(id));
    const writes = namespaces.map(({ id }) => this.writeSize(id));
    const total = (sizes: { rows: number; bytes: number }[], of: "rows" | "bytes"): number =>
      sizes.reduce((all, size) => all + size[of], 0);
    const objects = this.objectsOf(threadId, namespaces);
    return {
      threads: new Set(namespaces.map(({ thread }) => thread)).size,
      namespaces: namespaces.length,
      checkpoints: total(checkpoints, "rows"),
      writes: total(writes, "rows"),
      objects: objects.length,
      rowBytes: total(checkpoints, "bytes") + total(writes, "bytes"),
      objectBytes: Math.round(objects.reduce((all, { bytes }) => all + bytes, 0)),
      ...pageBytes(this.store.database),
    };
  }

  private writeSize(namespace: number): Size {
    const tasks = this.table.taskBodies(namespace);
    return {
      rows: tasks.reduce((count, { body }) => count + this.archive.storedWrites(body).length, 0),
      bytes: tasks.reduce((sum, { body }) => sum + (Buffer.isBuffer(body) ? body.length : 0), 0),
    };
  }

  private objectsOf(threadId: string | undefined, namespaces: readonly Namespace[]): { id: number; bytes: number }[] {
    const sizes = this.table.objectSizes();
    if (threadId === undefined && this.store.tenant === "") return sizes;
    const roots = namespaces.flatMap(({ id }) => [
      ...[...this.archive.rows(id, undefined, undefined)].flatMap(referencesOfRow),
      ...this.table.taskBodies(id).flatMap(({ body }) => referencesOfTask(body)),
    ]);
    const { reached } = walk(roots, (id) => this.objects.read(id));
    return sizes.filter(({ id }) => reached.has(id));
  }

  private gather(roots: Set<number>, damaged: string[], checkpoint: string, references: () => number[]): void {
    try {
      for (const root of references()) roots.add(root);
    } catch (error) {
      if (!(error instanceof CorruptObjectError) && !isTampered(error)) throw error;
      damaged.push(checkpoint);
    }
  }

  private async brokenOutside(outside: ReadonlySet<number>): Promise<Map<number, "missing" | "corrupt">> {
    const broken = new Map<number, "missing" | "corrupt">();
    for (const id of this.archive.outside === undefined ? [] : outside) {
      const what = await this.archive.outside?.check(id);
      if (what !== undefined) broken.set(id, what);
    }
    return broken;
  }

  /** What stands in the clear among sealed objects is none of them. */
  private read(id: number): Found {
    try {
      return this.objects.read(id);
    } catch (error) {
      if (isTampered(error)) return "corrupt";
      throw error;
    }
  }
}
