import type BetterSqlite3 from "better-sqlite3";

/** What LangGraph's SqliteSaver keeps checkpoints and writes in; only ever read. */
const TABLES = ["checkpoints", "writes"] as const;
const COLUMNS = ["thread_id", "checkpoint_ns", "checkpoint_id"] as const;

type Handle = Pick<BetterSqlite3.Database, "prepare">;

/** Whether a database has the tables of a SqliteSaver. */
export function hasSqliteSaverTables(handle: Handle): boolean {
  const count = handle.prepare(
    "SELECT count(*) AS columns FROM pragma_table_info(?) WHERE name IN (SELECT value FROM json_each(?))",
  );
  return TABLES.every((table) => {
    const { columns } = count.get(table, JSON.stringify(COLUMNS)) as { columns: number };
    return columns === COLUMNS.length;
  });
}

/** The threads of a SqliteSaver's database, and how many checkpoints each has; reads no checkpoint. */
export function threadsOfSqliteSaver(handle: Handle): { thread: string; checkpoints: number }[] {
  return handle
    .prepare(
      `SELECT thread_id AS thread, count(*) AS checkpoints FROM checkpoints GROUP BY thread_id ORDER BY thread_id`,
    )
    .all() as { thread: string; checkpoints: number }[];
}

export function checkpointsOfSqliteSaver(handle: Handle, thread: string): { ns: string; id: string }[] {
  return handle
    .prepare(`SELECT checkpoint_ns AS ns, checkpoint_id AS id FROM checkpoints WHERE thread_id = ?`)
    .all(thread) as { ns: string; id: string }[];
}
