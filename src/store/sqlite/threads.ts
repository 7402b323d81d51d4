import type { SqliteDatabase } from "./database.js";

export interface ThreadRow {
  readonly id: number;
  readonly thread: string;
  readonly state: string;
  readonly step: number;
  readonly updatedAt: number;
}

export interface ThreadFilter {
  readonly state: string | undefined;
  readonly search: string | undefined;
  /** Only threads that come after this one in the order of the list. */
  readonly after: readonly [updatedAt: number, id: number] | undefined;
  readonly limit: number;
}

/** The summary of each thread, kept as checkpoints come in, so that a list needs to look at nothing else. */
export class ThreadTable {
  constructor(
    private readonly database: SqliteDatabase,
    private readonly tenant: string,
  ) {}

  /** `step` undefined leaves it as it is; `state` null takes the thread off the list. */
  summarise(thread: string, summary: { state: string | null; step: number | undefined; at: number }): void {
    this.database.run(
      `UPDATE waypoint_threads SET state = ?, step = coalesce(?, step), updated_at = ? WHERE tenant = ? AND thread = ?`,
      summary.state,
      summary.step ?? null,
      summary.at,
      this.tenant,
      thread,
    );
  }

  /** Last changed first. */
  list({ state, search, after, limit }: ThreadFilter): ThreadRow[] {
    return this.database.all<ThreadRow>(
      `SELECT id, thread, state, step, updated_at AS updatedAt FROM waypoint_threads
       WHERE tenant = ? AND state IS NOT NULL AND deleted_at IS NULL
         AND (? IS NULL OR state = ?) AND (? IS NULL OR instr(thread, ?) > 0)
         AND (? IS NULL OR (updated_at, id) < (?, ?))
       ORDER BY updated_at DESC, id DESC LIMIT ?`,
      this.tenant,
      state ?? null,
      state ?? null,
      search ?? null,
      search ?? null,
      after?.[0] ?? null,
      after?.[0] ?? null,
      after?.[1] ?? null,
      limit,
    );
  }

  /** Copies the summary from one thread to another, which has to be there. */
  copySummary(from: string, to: string): void {
    this.database.run(
      `UPDATE waypoint_threads SET (state, step, updated_at) =
         (SELECT state, step, updated_at FROM waypoint_threads WHERE tenant = ? AND thread = ?)
       WHERE tenant = ? AND thread = ?`,
      this.tenant,
      from,
      this.tenant,
      to,
    );
  }
}
