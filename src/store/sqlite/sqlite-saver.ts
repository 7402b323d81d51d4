import type BetterSqlite3 from "better-sqlite3";

/** What LangGraph's SqliteSaver keeps its checkpoints in; only ever read. */
const TABLE = "checkpoints";
const COLUMNS = ["thread_id", "checkpoint_ns", "checkpoint_id"] as const;

type Handle = Pick<BetterSqlite3.Database, "prepare">;

/** Whether a database has the table of a SqliteSaver. */
export function hasSqliteSaverTable(handle: Handle): boolean {
  const found = handle
    .prepare("SELECT count(*) AS columns FROM pragma_table_info(?) WHERE name IN (SELECT value FROM json_each(?))")
    .get(TABLE, JSON.stringify(COLUMNS)) as { columns: number };
  return found.columns === COLUMNS.length;
}

/** The threads of a SqliteSaver's database, and how many checkpoints each has; reads no checkpoint. */
export function threadsOfSqliteSaver(handle: Handle): { thread: string; checkpoints: number }[] {
  return handle
    .prepare(`SELECT thread_id AS thread, count(*) AS checkpoints FROM ${TABLE} GROUP BY thread_id ORDER BY thread_id`)
    .all() as { thread: string; checkpoints: number }[];
}

export function checkpointsOfSqliteSaver(handle: Handle, thread: string): { ns: string; id: string }[] {
  return handle
    .prepare(`SELECT checkpoint_ns AS ns, checkpoint_id AS id FROM ${TABLE} WHERE thread_id = ?`)
    .all(thread) as { ns: string; id: string }[];
}
