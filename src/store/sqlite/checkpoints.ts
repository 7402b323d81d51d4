import type { Sealing } from "../sealing.js";
import { sealBytes } from "../sealing.js";
import { compactId, fullId } from "./compact-id.js";
import type { CompactId } from "./compact-id.js";
import type { SqliteDatabase } from "./database.js";
import { placeOfCheckpoint, placeOfWrites, runColumn, withBody } from "./rows.js";

export interface Namespace {
  readonly id: number;
  readonly ns: string;
  readonly thread: string;
  readonly threadRow: number;
  readonly head: string | null;
  /** 1 where the thread was deleted. */
  readonly buried: number;
}

/** A checkpoint; `body` is bytes, unless somebody wrote into the table. To read it may throw a DecryptionError. */
export interface CheckpointRow {
  readonly id: string;
  readonly body: unknown;
}

/** What a task wrote at a checkpoint; `body` as in a CheckpointRow. */
export interface TaskRow {
  readonly task: string;
  readonly body: unknown;
}

const NAMESPACES = `
  SELECT n.id, n.ns, t.thread, t.id AS threadRow, n.head, t.deleted_at IS NOT NULL AS buried
  FROM waypoint_namespaces n JOIN waypoint_threads t ON t.id = n.thread
  WHERE t.tenant = ?`;

/** Ids that are no UUIDs are stored as texts, which SQLite sorts before all bytes. */
const FIRST_BYTES = Buffer.alloc(0);

/** The rows of threads, namespaces, checkpoints and writes. Every statement of the checkpointer stands here. */
export class CheckpointTable {
  private readonly tenant: string;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly sealing: Sealing,
  ) {
    this.tenant = sealing.tenant;
  }

  namespace(thread: string, ns: string): Namespace | undefined {
    const row = this.database.get<Namespace>(`${NAMESPACES} AND t.thread = ? AND n.ns = ?`, this.tenant, thread, ns);
    return row && withHead(row);
  }

  /** All namespaces, or those of one thread, or those of one name; in the order in which they came to be. */
  namespaces(filter: { thread: string | undefined; ns: string | undefined }): Namespace[] {
    return this.database
      .all<Namespace>(
        `${NAMESPACES} AND (? IS NULL OR t.thread = ?) AND (? IS NULL OR n.ns = ?) ORDER BY n.id`,
        this.tenant,
        filter.thread ?? null,
        filter.thread ?? null,
        filter.ns ?? null,
        filter.ns ?? null,
      )
      .map(withHead);
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

  /** The objects of a thread that wait for a pack, as they were set. */
  loose(threadRow: number): Buffer | null {
    const row = this.database.get<{ loose: unknown }>("SELECT loose FROM waypoint_threads WHERE id = ?", threadRow);
    return Buffer.isBuffer(row?.loose) ? row.loose : null;
  }

  setLoose(threadRow: number, loose: Buffer | null): void {
    this.database.run("UPDATE waypoint_threads SET loose = ? WHERE id = ?", loose, threadRow);
  }

  insert(namespace: number, { id, body }: { id: string; body: Buffer }, run: string | undefined): void {
    const compact = compactId(id);
    this.database.run(
      "INSERT OR REPLACE INTO waypoint_checkpoints (ns, id, body, run) VALUES (?, ?, ?, ?)",
      namespace,
      compact,
      sealBytes(this.sealing, body, placeOfCheckpoint(namespace, id)),
      run === undefined ? null : runColumn(this.sealing, run),
    );
    this.database.run("UPDATE waypoint_namespaces SET head = ? WHERE id = ?", compact, namespace);
  }

  checkpoint(namespace: number, id: string): CheckpointRow | undefined {
    const row = this.database.get<{ body: unknown }>(
      "SELECT body FROM waypoint_checkpoints WHERE ns = ? AND id = ?",
      namespace,
      compactId(id),
    );
    return row && this.checkpointRow(namespace, id, row.body);
  }

  has(namespace: number, id: string): boolean {
    const row = this.database.get(
      "SELECT 1 FROM waypoint_checkpoints WHERE ns = ? AND id = ?",
      namespace,
      compactId(id),
    );
    return row !== undefined;
  }

  /** Whether a namespace has checkpoints whose ids are no UUIDs: they are stored apart. */
  hasTextIds(namespace: number): boolean {
    const row = this.database.get(
      "SELECT 1 FROM waypoint_checkpoints WHERE ns = ? AND id < ? LIMIT 1",
      namespace,
      FIRST_BYTES,
    );
    return row !== undefined;
  }

  /** A page of rows whose ids are UUIDs, or of those whose ids are not; newest first, older than `before`. */
  older(namespace: number, kind: "uuid" | "text", before: string | undefined, limit: number): CheckpointRow[] {
    const bound = before === undefined ? undefined : kind === "uuid" ? compactId(before) : before;
    const rows = this.database.all<{ id: CompactId; body: unknown }>(
      `SELECT id, body FROM waypoint_checkpoints
       WHERE ns = ? AND id ${kind === "uuid" ? ">=" : "<"} ? AND (? IS NULL OR id < ?) ORDER BY id DESC LIMIT ?`,
      namespace,
      FIRST_BYTES,
      bound ?? null,
      bound ?? null,
      limit,
    );
    return rows.map(({ id, body }) => this.checkpointRow(namespace, fullId(id), body));
  }

  private checkpointRow(namespace: number, id: string, body: unknown): CheckpointRow {
    return withBody(this.sealing, { id }, body, () => placeOfCheckpoint(namespace, id));
  }

  private taskRowOf(namespace: number, checkpoint: string, task: string, body: unknown): TaskRow {
    return withBody(this.sealing, { task }, body, () => placeOfWrites(namespace, checkpoint, task));
  }

  taskRow(namespace: number, checkpoint: string, task: string): TaskRow | undefined {
    const row = this.database.get<{ body: unknown }>(
      "SELECT body FROM waypoint_writes WHERE ns = ? AND checkpoint = ? AND task = ?",
      namespace,
      compactId(checkpoint),
      compactId(task),
    );
    return row && this.taskRowOf(namespace, checkpoint, task, row.body);
  }

  taskRows(namespace: number, checkpoint: string): TaskRow[] {
    return this.database
      .all<{ task: CompactId; body: unknown }>(
        "SELECT task, body FROM waypoint_writes WHERE ns = ? AND checkpoint = ?",
        namespace,
        compactId(checkpoint),
      )
      .map(({ task, body }) => this.taskRowOf(namespace, checkpoint, fullId(task), body));
  }

  /** The same for several checkpoints, by checkpoint. */
  taskRowsOf(namespace: number, checkpoints: readonly string[]): Map<string, TaskRow[]> {
    const compact = checkpoints.map(compactId);
    const rows = new Map(checkpoints.map((id): [string, TaskRow[]] => [id, []]));
    const uuids = compact.filter((id) => typeof id !== "string").sort((a, b) => a.compare(b));
    for (const [first, last] of rangesOf(uuids, compact)) {
      const found = this.database.all<{ checkpoint: CompactId; task: CompactId; body: unknown }>(
        "SELECT checkpoint, task, body FROM waypoint_writes WHERE ns = ? AND checkpoint BETWEEN ? AND ?",
        namespace,
        first,
        last,
      );
      for (const { checkpoint, task, body } of found) {
        const of = fullId(checkpoint);
        rows.get(of)?.push(this.taskRowOf(namespace, of, fullId(task), body));
      }
    }
    return rows;
  }

  setTaskRow(namespace: number, checkpoint: string, task: string, body: Buffer): void {
    this.database.run(
      "INSERT OR REPLACE INTO waypoint_writes (ns, checkpoint, task, body) VALUES (?, ?, ?, ?)",
      namespace,
      compactId(checkpoint),
      compactId(task),
      sealBytes(this.sealing, body, placeOfWrites(namespace, checkpoint, task)),
    );
  }

  deleteTaskRow(namespace: number, checkpoint: string, task: string): void {
    this.database.run(
      "DELETE FROM waypoint_writes WHERE ns = ? AND checkpoint = ? AND task = ?",
      namespace,
      compactId(checkpoint),
      compactId(task),
    );
  }

  deleteCheckpoint(namespace: number, id: string): void {
    const compact = compactId(id);
    this.database.run("DELETE FROM waypoint_checkpoints WHERE ns = ? AND id = ?", namespace, compact);
    this.database.run("DELETE FROM waypoint_writes WHERE ns = ? AND checkpoint = ?", namespace, compact);
  }

  /** Leaves a tombstone in place of a deleted thread. */
  bury(thread: string, now: number): void {
    this.database.run(
      `UPDATE waypoint_threads SET deleted_at = ?, state = NULL, step = NULL, loose = NULL
       WHERE tenant = ? AND thread = ?`,
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
}

/** One range for all ids that are UUIDs, and one for each other. */
function rangesOf(uuids: readonly Buffer[], ids: readonly CompactId[]): [CompactId, CompactId][] {
  const texts = ids.filter((id) => typeof id === "string").map((id): [string, string] => [id, id]);
  const [first, last] = [uuids[0], uuids.at(-1)];
  return first === undefined || last === undefined ? texts : [[first, last], ...texts];
}

function withHead(row: Namespace): Namespace {
  const head: unknown = row.head;
  return { ...row, head: head === null ? null : fullId(head) };
}
