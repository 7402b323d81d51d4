import { compactId, fullId } from "./compact-id.js";
import type { CompactId } from "./compact-id.js";
import type { SqliteDatabase } from "./database.js";
import { identitiesOf } from "./identities.js";

export interface Size {
  readonly rows: number;
  readonly bytes: number;
}

/** What a task wrote at a checkpoint, as stored. */
export interface TaskBody {
  readonly checkpoint: string;
  readonly task: string;
  readonly body: unknown;
}

/** Statements that look at, and clean up, more than one checkpoint at a time. */
export class MaintenanceTable {
  constructor(
    private readonly database: SqliteDatabase,
    private readonly tenant: string,
  ) {}

  /** The writes of all tasks in a namespace. */
  taskBodies(namespace: number): TaskBody[] {
    return this.database
      .all<{ checkpoint: CompactId; task: CompactId; body: unknown }>(
        "SELECT checkpoint, task, body FROM waypoint_writes WHERE ns = ?",
        namespace,
      )
      .map(({ checkpoint, task, body }) => ({ checkpoint: fullId(checkpoint), task: fullId(task), body }));
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
        compactId(run),
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
  }

  deleteNamespace(namespace: number): void {
    this.database.run("DELETE FROM waypoint_checkpoints WHERE ns = ?", namespace);
    this.database.run("DELETE FROM waypoint_writes WHERE ns = ?", namespace);
    this.database.run("DELETE FROM waypoint_namespaces WHERE id = ?", namespace);
  }

  /** Every row that refers to objects, of all tenants: a collection sees the whole database. */
  allCheckpointRows(): { id: string; body: unknown }[] {
    return this.database
      .all<{ id: CompactId; body: unknown }>("SELECT id, body FROM waypoint_checkpoints")
      .map(({ id, body }) => ({ id: fullId(id), body }));
  }

  allTaskBodies(): unknown[] {
    return this.database.all<{ body: unknown }>("SELECT body FROM waypoint_writes").map(({ body }) => body);
  }

  objectSizes(): { id: number; bytes: number }[] {
    return this.database.all("SELECT id, length(data) AS bytes FROM waypoint_objects");
  }

  /** Dictionaries of threads that are there, of all tenants. */
  dictionariesOfThreads(): Set<number> {
    const rows = this.database.all<{ dictionary: number }>(
      "SELECT dictionary FROM waypoint_threads WHERE dictionary IS NOT NULL",
    );
    return new Set(rows.map(({ dictionary }) => dictionary));
  }

  /** Objects that can be read only with a dictionary, by the dictionary's id. */
  objectsWithDictionary(): { id: number; dictionary: number }[] {
    return this.database.all("SELECT id, codec AS dictionary FROM waypoint_objects WHERE codec > 0");
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
