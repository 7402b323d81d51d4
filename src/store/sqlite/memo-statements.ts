/** Statements on memos in SQLite's dialect. */
export const MEMOS = {
  find: "SELECT args, args_hash, value FROM waypoint_memos WHERE tenant = ? AND thread_id = ? AND visit = ? AND kind = ? AND name = ?",
  insert: `INSERT INTO waypoint_memos (tenant, thread_id, visit, kind, name, args, args_hash, value, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  deleteThread: "DELETE FROM waypoint_memos WHERE tenant = ? AND thread_id = ?",
} as const;
