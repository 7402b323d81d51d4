import type { SqliteDatabase } from "./database.js";

/** That a thread holds a content. Columns are of the type they were written with, unless somebody wrote into the table. */
export interface HoldingRow {
  readonly thread: string;
  readonly hash: unknown;
  readonly label: unknown;
  readonly createdAt: number;
}

export interface ContentRow {
  readonly id: number;
  readonly deflated: number;
  readonly sealed: number;
  readonly data: unknown;
  /** Key in the object store. */
  readonly object: string | null;
}

export interface NewContent {
  readonly deflated: boolean;
  readonly sealed: boolean;
  readonly data: Uint8Array;
  /** Where the data lies already; undefined: it goes into the row. */
  readonly object: string | undefined;
}

const HOLDING = "SELECT thread, hash, label, created_at AS createdAt FROM waypoint_artifacts";

/** Who holds what, and the contents; all of one tenant. */
export class ArtifactTable {
  constructor(
    private readonly database: SqliteDatabase,
    private readonly tenant: string,
  ) {}

  holding(thread: string, hash: Buffer): HoldingRow | undefined {
    return this.database.get<HoldingRow>(
      `${HOLDING} WHERE tenant = ? AND thread = ? AND hash = ?`,
      this.tenant,
      thread,
      hash,
    );
  }

  /** Any one of a thread. */
  someHolding(thread: string): HoldingRow | undefined {
    return this.database.get<HoldingRow>(`${HOLDING} WHERE tenant = ? AND thread = ? LIMIT 1`, this.tenant, thread);
  }

  /** Oldest first; of all threads without `thread`. */
  holdings(thread: string | undefined): HoldingRow[] {
    return this.database.all<HoldingRow>(
      `${HOLDING} WHERE tenant = ? AND (? IS NULL OR thread = ?) ORDER BY created_at, hash`,
      this.tenant,
      thread ?? null,
      thread ?? null,
    );
  }

  /** The first `createdAt` stays, the last label counts. */
  hold(thread: string, hash: Buffer, label: string | Uint8Array, createdAt: number): void {
    this.database.run(
      `INSERT INTO waypoint_artifacts (tenant, thread, hash, label, created_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET label = excluded.label`,
      this.tenant,
      thread,
      hash,
      label,
      createdAt,
    );
  }

  content(hash: Buffer): ContentRow | undefined {
    return this.database.get<ContentRow>(
      "SELECT id, deflated, sealed, data, object FROM waypoint_artifact_contents WHERE tenant = ? AND hash = ?",
      this.tenant,
      hash,
    );
  }

  contentId(hash: Buffer): number | undefined {
    return this.database.get<{ id: number }>(
      "SELECT id FROM waypoint_artifact_contents WHERE tenant = ? AND hash = ?",
      this.tenant,
      hash,
    )?.id;
  }

  insertContent(hash: Buffer, { deflated, sealed, data, object }: NewContent): void {
    this.database.run(
      `INSERT INTO waypoint_artifact_contents (tenant, hash, deflated, sealed, stored, data, object)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      this.tenant,
      hash,
      deflated ? 1 : 0,
      sealed ? 1 : 0,
      data.length,
      object === undefined ? data : null,
      object ?? null,
    );
  }

  /** What it keeps outside the database is put down as unused. */
  deleteContent(id: number, now: number): void {
    this.database.run(
      `INSERT INTO waypoint_uploads (key, tenant, state, since)
       SELECT object, tenant, 'unused', ? FROM waypoint_artifact_contents WHERE id = ? AND object IS NOT NULL`,
      now,
      id,
    );
    this.database.run("DELETE FROM waypoint_artifact_contents WHERE id = ?", id);
  }

  /** A thread lets go of what it holds; what no other thread holds goes. */
  release(thread: string, now: number): void {
    for (const { id } of this.heldOnlyBy(thread)) this.deleteContent(id, now);
    this.database.run("DELETE FROM waypoint_artifacts WHERE tenant = ? AND thread = ?", this.tenant, thread);
  }

  private heldOnlyBy(thread: string): { id: number }[] {
    return this.database.all(
      `SELECT c.id FROM waypoint_artifact_contents c
       JOIN waypoint_artifacts own ON own.tenant = c.tenant AND own.hash = c.hash AND own.thread = ?
       WHERE c.tenant = ? AND NOT EXISTS (
         SELECT 1 FROM waypoint_artifacts other
         WHERE other.tenant = c.tenant AND other.hash = c.hash AND other.thread <> own.thread)`,
      thread,
      this.tenant,
    );
  }

  /** How many artifacts threads hold, and the bytes of their contents as stored, each content once. */
  size(thread: string | undefined): { artifacts: number; artifactBytes: number } {
    const held = "SELECT hash FROM waypoint_artifacts WHERE tenant = ? AND (? IS NULL OR thread = ?)";
    const scope = [this.tenant, thread ?? null, thread ?? null];
    const row = this.database.get<{ artifacts: number; artifactBytes: number }>(
      `SELECT (SELECT count(*) FROM (${held})) AS artifacts,
         (SELECT coalesce(sum(stored), 0) FROM waypoint_artifact_contents
          WHERE tenant = ? AND hash IN (${held})) AS artifactBytes`,
      ...scope,
      this.tenant,
      ...scope,
    );
    return row ?? { artifacts: 0, artifactBytes: 0 };
  }
}
