import type { SqliteDatabase } from "./database.js";

export interface Anchor {
  readonly checkpoint: string;
}

export interface Size {
  readonly rows: number;
  readonly bytes: number;
}

/** Statements that look at, and clean up, more than one checkpoint at a time. */
export class MaintenanceTable {
  constructor(
    private readonly database: SqliteDatabase,
    private readonly tenant: string,
  ) {}

  /** Checkpoints of a namespace that have writes. */
  withWrites(namespace: number): string[] {
    return this.database
      .all<Anchor>("SELECT DISTINCT checkpoint FROM waypoint_writes WHERE ns = ?", namespace)
      .map(({ checkpoint }) => checkpoint);
  }

  /** Checkpoints at which somebody was asked (a write to `interruptChannel`), or whose task carried an effect out. */
  anchors(namespace: number, thread: string, interruptChannel: string): string[] {
    return this.database
      .all<Anchor>(
        `SELECT DISTINCT w.checkpoint FROM waypoint_writes w JOIN waypoint_names c ON c.id = w.channel
         WHERE w.ns = ? AND (c.name = ? OR w.task IN (
           SELECT substr(visit, 1, 36) FROM waypoint_effects WHERE tenant = ? AND thread_id = ?))`,
        namespace,
        interruptChannel,
        this.tenant,
        thread,
      )
      .map(({ checkpoint }) => checkpoint);
  }

  /** Checkpoints of a namespace that these runs stored. */
  ofRuns(namespace: number, runs: readonly string[]): string[] {
    return this.database
      .all<{ id: string }>(
        `SELECT c.id FROM waypoint_checkpoints c JOIN waypoint_names n ON n.id = c.run
         WHERE c.ns = ? AND n.name IN (SELECT value FROM json_each(?))`,
        namespace,
        JSON.stringify(runs),
      )
      .map(({ id }) => id);
  }

  /** The newest checkpoint that is left becomes the head, and is returned. */
  renewHead(namespace: number): string | undefined {
    this.database.run(
      `UPDATE waypoint_namespaces SET head = (SELECT max(id) FROM waypoint_checkpoints WHERE ns = ?) WHERE id = ?`,
      namespace,
      namespace,
    );
    const row = this.database.get<{ head: string | null }>(
      "SELECT head FROM waypoint_namespaces WHERE id = ?",
      namespace,
    );
    return row?.head ?? undefined;
  }

  /** Copies every row of one namespace into another, which is new. */
  copyNamespace(from: number, to: number): void {
    this.database.run(
      `INSERT INTO waypoint_checkpoints (ns, id, parent, shape, body, metadata, run)
       SELECT ?, id, parent, shape, body, metadata, run FROM waypoint_checkpoints WHERE ns = ?`,
      to,
      from,
    );
    this.database.run(
      `INSERT INTO waypoint_writes (ns, checkpoint, task, idx, channel, path, value)
       SELECT ?, checkpoint, task, idx, channel, path, value FROM waypoint_writes WHERE ns = ?`,
      to,
      from,
    );
    this.database.run(
      "UPDATE waypoint_namespaces SET head = (SELECT head FROM waypoint_namespaces WHERE id = ?) WHERE id = ?",
      from,
      to,
    );
  }

  deleteNamespace(namespace: number): { checkpoints: number; writes: number } {
    const checkpoints = this.database.run("DELETE FROM waypoint_checkpoints WHERE ns = ?", namespace).changes;
    const writes = this.database.run("DELETE FROM waypoint_writes WHERE ns = ?", namespace).changes;
    this.database.run("DELETE FROM waypoint_namespaces WHERE id = ?", namespace);
    return { checkpoints, writes };
  }

  /** Every row that refers to objects, of all tenants: a collection sees the whole database. */
  allCheckpointRows(): { shape: number; body: string; metadata: string }[] {
    return this.database.all("SELECT shape, body, metadata FROM waypoint_checkpoints");
  }

  allWriteValues(): string[] {
    return this.database.all<{ value: string }>("SELECT value FROM waypoint_writes").map(({ value }) => value);
  }

  writeValues(namespace: number): { checkpoint: string; value: string }[] {
    return this.database.all("SELECT checkpoint, value FROM waypoint_writes WHERE ns = ?", namespace);
  }

  objectSizes(): { id: number; bytes: number }[] {
    return this.database.all("SELECT id, length(data) AS bytes FROM waypoint_objects");
  }

  deleteObject(id: number): void {
    this.database.run("DELETE FROM waypoint_objects WHERE id = ?", id);
  }

  /** Tells every process that object ids it knows may be gone. */
  countCollection(): void {
    this.database.run("UPDATE waypoint_meta SET value = value + 1 WHERE key = 'collections'");
  }

  checkpointSize(namespace: number): Size {
    return this.size(
      "SELECT count(*) AS rows, coalesce(sum(length(id) + length(body) + length(metadata)), 0) AS bytes FROM waypoint_checkpoints WHERE ns = ?",
      namespace,
    );
  }

  writeSize(namespace: number): Size {
    return this.size(
      "SELECT count(*) AS rows, coalesce(sum(length(checkpoint) + length(task) + length(value)), 0) AS bytes FROM waypoint_writes WHERE ns = ?",
      namespace,
    );
  }

  private size(sql: string, namespace: number): Size {
    return this.database.get<Size>(sql, namespace) ?? { rows: 0, bytes: 0 };
  }
}
