import type { SqliteDatabase } from "./database.js";

export interface Namespace {
  readonly id: number;
  readonly ns: string;
  readonly thread: string;
  readonly head: string | null;
}

export interface CheckpointRow {
  readonly id: string;
  readonly parent: string | null;
  /** Object id of the shape. */
  readonly shape: number;
  readonly body: string;
  readonly metadata: string;
}

export interface WriteRow {
  readonly task: string;
  readonly idx: number;
  readonly channel: string;
  readonly path: string;
  readonly value: string;
}

const NAMESPACES = `
  SELECT n.id, n.ns, t.thread, n.head FROM waypoint_namespaces n JOIN waypoint_threads t ON t.id = n.thread
  WHERE t.tenant = ?`;

/** Names of channels and task paths kept in memory. */
const NAMES_KEPT = 10_000;

/** The rows of threads, namespaces, checkpoints and writes. Every statement of the checkpointer stands here. */
export class CheckpointTable {
  private readonly names = new Map<string, number>();

  constructor(
    private readonly database: SqliteDatabase,
    private readonly tenant: string,
  ) {}

  namespace(thread: string, ns: string): Namespace | undefined {
    return this.database.get<Namespace>(`${NAMESPACES} AND t.thread = ? AND n.ns = ?`, this.tenant, thread, ns);
  }

  /** All namespaces, or those of one thread, or those of one name; in the order in which they came to be. */
  namespaces(filter: { thread: string | undefined; ns: string | undefined }): Namespace[] {
    return this.database.all<Namespace>(
      `${NAMESPACES} AND (? IS NULL OR t.thread = ?) AND (? IS NULL OR n.ns = ?) ORDER BY n.id`,
      this.tenant,
      filter.thread ?? null,
      filter.thread ?? null,
      filter.ns ?? null,
      filter.ns ?? null,
    );
  }

  ensureNamespace(thread: string, ns: string): Namespace {
    const found = this.namespace(thread, ns);
    if (found !== undefined) return found;
    this.database.run("INSERT OR IGNORE INTO waypoint_threads (tenant, thread) VALUES (?, ?)", this.tenant, thread);
    this.database.run(
      `INSERT INTO waypoint_namespaces (thread, ns)
       SELECT id, ? FROM waypoint_threads WHERE tenant = ? AND thread = ?`,
      ns,
      this.tenant,
      thread,
    );
    return this.namespace(thread, ns) as Namespace;
  }

  insert(namespace: number, row: CheckpointRow, run: string | undefined): void {
    this.database.run(
      `INSERT OR REPLACE INTO waypoint_checkpoints (ns, id, parent, shape, body, metadata, run)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      namespace,
      row.id,
      row.parent,
      row.shape,
      row.body,
      row.metadata,
      run === undefined ? null : this.nameId(run),
    );
    this.database.run("UPDATE waypoint_namespaces SET head = ? WHERE id = ?", row.id, namespace);
  }

  checkpoint(namespace: number, id: string): CheckpointRow | undefined {
    return this.database.get<CheckpointRow>(
      "SELECT id, parent, shape, body, metadata FROM waypoint_checkpoints WHERE ns = ? AND id = ?",
      namespace,
      id,
    );
  }

  /** A page of rows, newest first, older than `before`. */
  older(namespace: number, before: string | undefined, limit: number): CheckpointRow[] {
    return this.database.all<CheckpointRow>(
      `SELECT id, parent, shape, body, metadata FROM waypoint_checkpoints
       WHERE ns = ? AND (? IS NULL OR id < ?) ORDER BY id DESC LIMIT ?`,
      namespace,
      before ?? null,
      before ?? null,
      limit,
    );
  }

  /** Regular writes: the first stays. Control writes (negative index): the last stays. */
  insertWrite(namespace: number, checkpoint: string, write: WriteRow): void {
    const verb = write.idx < 0 ? "REPLACE" : "IGNORE";
    this.database.run(
      `INSERT OR ${verb} INTO waypoint_writes (ns, checkpoint, task, idx, channel, path, value)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      namespace,
      checkpoint,
      write.task,
      write.idx,
      this.nameId(write.channel),
      this.nameId(write.path),
      write.value,
    );
  }

  deleteWrite(namespace: number, checkpoint: string, task: string, channel: string): void {
    this.database.run(
      "DELETE FROM waypoint_writes WHERE ns = ? AND checkpoint = ? AND task = ? AND channel = ?",
      namespace,
      checkpoint,
      task,
      this.nameId(channel),
    );
  }

  /** @throws TypeError when a write has lost its channel: it would be lost silently otherwise. */
  writes(namespace: number, checkpoint: string): WriteRow[] {
    const rows = this.database.all<WriteRow>(
      `SELECT w.task, w.idx, c.name AS channel, p.name AS path, w.value
       FROM waypoint_writes w
       LEFT JOIN waypoint_names c ON c.id = w.channel LEFT JOIN waypoint_names p ON p.id = w.path
       WHERE w.ns = ? AND w.checkpoint = ?`,
      namespace,
      checkpoint,
    );
    for (const { channel, path } of rows as Partial<WriteRow>[]) {
      if (typeof channel !== "string" || typeof path !== "string") throw new TypeError("A write names no channel.");
    }
    return rows;
  }

  deleteCheckpoint(namespace: number, id: string): { writes: number } {
    this.database.run("DELETE FROM waypoint_checkpoints WHERE ns = ? AND id = ?", namespace, id);
    const { changes } = this.database.run("DELETE FROM waypoint_writes WHERE ns = ? AND checkpoint = ?", namespace, id);
    return { writes: changes };
  }

  /** Leaves a tombstone in place of a deleted thread. */
  bury(thread: string, now: number): void {
    this.database.run(
      "UPDATE waypoint_threads SET deleted_at = ?, state = NULL, step = NULL WHERE tenant = ? AND thread = ?",
      now,
      this.tenant,
      thread,
    );
  }

  isBuried(thread: string): boolean {
    const row = this.database.get(
      "SELECT 1 FROM waypoint_threads WHERE tenant = ? AND thread = ? AND deleted_at IS NOT NULL",
      this.tenant,
      thread,
    );
    return row !== undefined;
  }

  /** A thread of that name begins anew. */
  unbury(thread: string): void {
    this.database.run(
      "UPDATE waypoint_threads SET deleted_at = NULL WHERE tenant = ? AND thread = ?",
      this.tenant,
      thread,
    );
  }

  /** How often objects have been collected in this database: a process that sees it rise forgets the ids it knows. */
  collections(): number {
    return (
      this.database.get<{ value: number }>("SELECT value FROM waypoint_meta WHERE key = 'collections'")?.value ?? 0
    );
  }

  /** Forgets what was cached: after a rollback, ids may name other rows. */
  forget(): void {
    this.names.clear();
  }

  private nameId(name: string): number {
    const known = this.names.get(name);
    if (known !== undefined) return known;
    this.database.run("INSERT OR IGNORE INTO waypoint_names (name) VALUES (?)", name);
    const row = this.database.get<{ id: number }>("SELECT id FROM waypoint_names WHERE name = ?", name);
    const id = (row as { id: number }).id;
    if (this.names.size >= NAMES_KEPT) this.names.clear();
    this.names.set(name, id);
    return id;
  }
}
