import { createHash, randomBytes } from "node:crypto";
import type { SqliteDatabase } from "./database.js";

/** An object that nothing will refer to; `since` moves on whenever its writer speaks of it. */
export interface Unused {
  readonly key: string;
  readonly since: number;
}

/**
 * Objects outside the database that are on their way in (`uploading`) or out (`unused`), and such as nobody knew of
 * (`stray`). Every object has a key of its own: what is on its way out is never what somebody has just put.
 */
export class UploadTable {
  private known: string | undefined;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly tenant: string,
  ) {}

  /** Stands for this database and tenant in an object store, and tells neither to who reads it. */
  get prefix(): string {
    this.known ??= createHash("sha256").update(`${this.home()}\0${this.tenant}`).digest("hex").slice(0, 32);
    return this.known;
  }

  private home(): string {
    return this.database.transaction(() => {
      this.database.run(
        "INSERT OR IGNORE INTO waypoint_object_home (id, token) VALUES (1, ?)",
        randomBytes(16).toString("hex"),
      );
      return (this.database.get("SELECT token FROM waypoint_object_home") as { token: string }).token;
    });
  }

  /** A key that was never used. */
  newKey(): string {
    return `${this.prefix}/${randomBytes(32).toString("hex")}`;
  }

  /** Before the object is put. */
  begin(key: string, now: number): void {
    this.insert(key, "uploading", now);
  }

  /** An object was found that nobody knows. */
  note(key: string, now: number): void {
    this.insert(key, "stray", now);
  }

  private insert(key: string, state: "uploading" | "stray" | "unused", now: number): void {
    this.database.run(
      `INSERT INTO waypoint_uploads (key, tenant, state, since) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET state = excluded.state, since = max(excluded.since, since + 1)`,
      key,
      this.tenant,
      state,
      now,
    );
  }

  /**
   * After it was put, together with what refers to it. False when it took too long: then others may be about to remove the
   * object, so that nothing may refer to it, even where it is there.
   */
  end(key: string): boolean {
    return this.database.run("DELETE FROM waypoint_uploads WHERE key = ? AND state = 'uploading'", key).changes === 1;
  }

  /** Nothing will refer to it. */
  abandon(key: string, now: number): void {
    this.insert(key, "unused", now);
  }

  /** Uploads that began before `cutoff` come to nothing: their writers find it so. */
  abandonOlder(cutoff: number): void {
    this.database.run(
      "UPDATE waypoint_uploads SET state = 'unused' WHERE tenant = ? AND state <> 'unused' AND since < ?",
      this.tenant,
      cutoff,
    );
  }

  unused(): Unused[] {
    return this.database.all<Unused>(
      "SELECT key, since FROM waypoint_uploads WHERE tenant = ? AND state = 'unused'",
      this.tenant,
    );
  }

  countDue(cutoff: number): number {
    const row = this.database.get<{ n: number }>(
      `SELECT count(*) AS n FROM waypoint_uploads
       WHERE tenant = ? AND (state = 'unused' OR since < ?)`,
      this.tenant,
      cutoff,
    );
    return row?.n ?? 0;
  }

  /**
   * After the object was deleted. False when somebody else was faster, and when a late writer has put the object after
   * that: what it has put is still to be removed.
   */
  forget({ key, since }: Unused): boolean {
    const sql = "DELETE FROM waypoint_uploads WHERE key = ? AND state = 'unused' AND since = ?";
    return this.database.run(sql, key, since).changes === 1;
  }

  /** Whether something refers to an object, or will. */
  isKnown(key: string): boolean {
    return (
      this.database.get(
        `SELECT 1 FROM waypoint_uploads WHERE key = ?
         UNION ALL SELECT 1 FROM waypoint_artifact_contents WHERE object = ? LIMIT 1`,
        key,
        key,
      ) !== undefined || this.database.get("SELECT 1 FROM waypoint_outside WHERE key = ?", key) !== undefined
    );
  }
}
