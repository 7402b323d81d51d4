import type { Place, Sealing } from "../sealing.js";
import { isSealed, openBytes, sealBytes } from "../sealing.js";
import { compactId, fullId } from "./compact-id.js";
import type { CompactId } from "./compact-id.js";
import type { SqliteDatabase } from "./database.js";
import { identitiesOf } from "./identities.js";
import { ownerOf } from "./objects.js";
import { PackTable } from "./packs.js";
import type { PackSize } from "./packs.js";
import { placeOfCheckpoint, placeOfWrites, runColumn, withBody } from "./rows.js";

export interface Size {
  readonly rows: number;
  readonly bytes: number;
}

/** What a task wrote at a checkpoint. */
export interface TaskBody {
  readonly checkpoint: string;
  readonly task: string;
  readonly body: unknown;
}

interface StoredCheckpoint {
  readonly ns: number;
  readonly id: CompactId;
  readonly body: unknown;
}

interface StoredWrites {
  readonly ns: number;
  readonly checkpoint: CompactId;
  readonly task: CompactId;
  readonly body: unknown;
}

const CHECKPOINTS_OF = "SELECT ns, id, body FROM waypoint_checkpoints WHERE ns = ?";
const WRITES_OF = "SELECT ns, checkpoint, task, body FROM waypoint_writes WHERE ns = ?";

/** Statements that look at, and clean up, more than one checkpoint at a time. */
export class MaintenanceTable {
  private readonly tenant: string;
  private readonly owner: number | null;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly sealing: Sealing,
  ) {
    this.tenant = sealing.tenant;
    this.owner = ownerOf(sealing);
  }

  /** The writes of all tasks in a namespace. */
  taskBodies(namespace: number): TaskBody[] {
    return this.database
      .all<StoredWrites>(WRITES_OF, namespace)
      .map(({ checkpoint, task, body }) => this.taskBody(namespace, checkpoint, task, body));
  }

  private taskBody(namespace: number, checkpoint: CompactId, task: CompactId, body: unknown): TaskBody {
    const row = { checkpoint: fullId(checkpoint), task: fullId(task) };
    return withBody(this.sealing, row, body, () => placeOfWrites(namespace, row.checkpoint, row.task));
  }

  /** The visits in which effects of a thread were carried out. */
  visitsWithEffects(thread: string): string[] {
    return this.database
      .all<{ visit: string }>(
        "SELECT visit FROM waypoint_effects WHERE tenant = ? AND thread_id = ?",
        this.tenant,
        thread,
      )
      .map(({ visit }) => visit);
  }

  /** Checkpoints of a namespace that these runs stored. */
  ofRuns(namespace: number, runs: readonly string[]): string[] {
    const ids = runs.flatMap((run) =>
      this.database.all<{ id: CompactId }>(
        "SELECT id FROM waypoint_checkpoints WHERE ns = ? AND run = ?",
        namespace,
        runColumn(this.sealing, run),
      ),
    );
    return ids.map(({ id }) => fullId(id));
  }

  /** The newest checkpoint that is there becomes the head, and is returned. */
  renewHead(namespace: number): string | undefined {
    const newest = this.newest(namespace);
    this.database.run(
      "UPDATE waypoint_namespaces SET head = ? WHERE id = ?",
      newest === undefined ? null : compactId(newest),
      namespace,
    );
    return newest;
  }

  /** Ids compare as texts, whatever the form they are stored in. */
  private newest(namespace: number): string | undefined {
    const row = this.database.get<{ text: CompactId | null; uuid: CompactId | null }>(
      `SELECT (SELECT max(id) FROM waypoint_checkpoints WHERE ns = ? AND id < x'') AS text,
              (SELECT max(id) FROM waypoint_checkpoints WHERE ns = ? AND id >= x'') AS uuid`,
      namespace,
      namespace,
    );
    const ids = [row?.text, row?.uuid].filter((id) => id !== null && id !== undefined).map(fullId);
    return ids.sort().at(-1);
  }

  /** Copies every row of one namespace into another, which is new. */
  copyNamespace(from: number, to: number): void {
    this.database.run(
      `INSERT INTO waypoint_checkpoints (ns, id, body, run)
       SELECT ?, id, body, run FROM waypoint_checkpoints WHERE ns = ?`,
      to,
      from,
    );
    this.database.run(
      `INSERT INTO waypoint_writes (ns, checkpoint, task, body)
       SELECT ?, checkpoint, task, body FROM waypoint_writes WHERE ns = ?`,
      to,
      from,
    );
    this.database.run(
      "UPDATE waypoint_namespaces SET head = (SELECT head FROM waypoint_namespaces WHERE id = ?) WHERE id = ?",
      from,
      to,
    );
    if (this.sealing.encryption !== undefined) this.sealAnew(from, to);
  }

  /** Rows that were copied open where they stood before. @throws DecryptionError */
  private sealAnew(from: number, to: number): void {
    const moved = (body: unknown, place: (namespace: number) => Place): Buffer =>
      sealBytes(this.sealing, openBytes(this.sealing, body, place(from)) as Buffer, place(to));
    for (const { id, body } of this.database.all<StoredCheckpoint>(CHECKPOINTS_OF, to)) {
      const sealed = moved(body, (namespace) => placeOfCheckpoint(namespace, fullId(id)));
      this.database.run("UPDATE waypoint_checkpoints SET body = ? WHERE ns = ? AND id = ?", sealed, to, id);
    }
    for (const { checkpoint, task, body } of this.database.all<StoredWrites>(WRITES_OF, to)) {
      const sealed = moved(body, (namespace) => placeOfWrites(namespace, fullId(checkpoint), fullId(task)));
      this.database.run(
        "UPDATE waypoint_writes SET body = ? WHERE ns = ? AND checkpoint = ? AND task = ?",
        sealed,
        to,
        checkpoint,
        task,
      );
    }
  }

  deleteNamespace(namespace: number): void {
    this.database.run("DELETE FROM waypoint_checkpoints WHERE ns = ?", namespace);
    this.database.run("DELETE FROM waypoint_writes WHERE ns = ?", namespace);
    this.database.run("DELETE FROM waypoint_namespaces WHERE id = ?", namespace);
  }

  /**
   * Every row that refers to objects which a collection may remove: the tenant's own where they are sealed, else those of
   * all tenants that are not.
   */
  referringCheckpoints(): { id: string; body: unknown }[] {
    return this.referring<StoredCheckpoint>("SELECT ns, id, body FROM waypoint_checkpoints").map(({ ns, id, body }) =>
      withBody(this.sealing, { id: fullId(id) }, body, (row) => placeOfCheckpoint(ns, row.id)),
    );
  }

  referringWrites(): { body: unknown }[] {
    const sql = "SELECT ns, checkpoint, task, body FROM waypoint_writes";
    return this.referring<StoredWrites>(sql).map(({ ns, checkpoint, task, body }) =>
      withBody(this.sealing, {}, body, () => placeOfWrites(ns, fullId(checkpoint), fullId(task))),
    );
  }

  private referring<T extends { readonly body: unknown }>(select: string): T[] {
    if (this.sealing.encryption === undefined)
      return this.database.all<T>(select).filter(({ body }) => !isSealed(body));
    return this.database.all<T>(
      `${select} WHERE ns IN (SELECT n.id FROM waypoint_namespaces n JOIN waypoint_threads t ON t.id = n.thread
         WHERE t.tenant = ?)`,
      this.tenant,
    );
  }

  /** The objects that may be collected; of a pack, each counts an equal part. */
  objectSizes(): { id: number; bytes: number }[] {
    const packs = new PackTable(this.database).sizes();
    return this.database
      .all<{ id: number; codec: number; bytes: number }>(
        "SELECT id, codec, length(data) AS bytes FROM waypoint_objects WHERE owner IS ?",
        this.owner,
      )
      .map(({ id, codec, bytes }) => ({ id, bytes: shareOf(packs.get(codec)) ?? bytes }));
  }

  deleteObject(id: number): void {
    this.database.run("DELETE FROM waypoint_objects WHERE id = ?", id);
    const [first, last] = identitiesOf(id);
    this.database.run("DELETE FROM waypoint_identities WHERE id BETWEEN ? AND ?", first, last);
  }

  /** Tells every process that object ids it knows may be gone. */
  countCollection(): void {
    this.database.run("UPDATE waypoint_meta SET value = value + 1 WHERE key = 'collections'");
  }

  checkpointSize(namespace: number): Size {
    return this.size(
      "SELECT count(*) AS rows, coalesce(sum(length(id) + length(body)), 0) AS bytes FROM waypoint_checkpoints WHERE ns = ?",
      namespace,
    );
  }

  private size(sql: string, namespace: number): Size {
    return this.database.get<Size>(sql, namespace) ?? { rows: 0, bytes: 0 };
  }
}

function shareOf(pack: PackSize | undefined): number | undefined {
  return pack && pack.bytes / pack.members;
}
