/** What LangGraph's PostgresSaver keeps its checkpoints in; only ever read. */
const TABLE = "checkpoints";

/** As much of a `pg.Pool` as is used here. */
export interface Queryable {
  query(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Whether a schema has the table of a PostgresSaver. */
export async function hasPostgresSaverTable(pool: Queryable, schema: string): Promise<boolean> {
  const { rows } = await pool.query(
    "SELECT 1 FROM information_schema.tables WHERE table_schema = $1 AND table_name = $2",
    [schema, TABLE],
  );
  return rows.length > 0;
}

/** Whether a SlimSaver has written to a schema. */
export async function hasTablesOfOurs(pool: Queryable, schema: string): Promise<boolean> {
  const { rows } = await pool.query(
    "SELECT 1 FROM information_schema.tables WHERE table_schema = $1 AND starts_with(table_name, 'waypoint_')",
    [schema],
  );
  return rows.length > 0;
}

/** The threads of a PostgresSaver's database, and how many checkpoints each has; reads no checkpoint. */
export async function threadsOfPostgresSaver(
  pool: Queryable,
  schema: string,
): Promise<{ thread: string; checkpoints: number }[]> {
  const { rows } = await pool.query(
    `SELECT thread_id AS thread, count(*)::int AS checkpoints FROM ${tableIn(schema)} GROUP BY thread_id ORDER BY thread_id`,
  );
  return rows as { thread: string; checkpoints: number }[];
}

export async function checkpointsOfPostgresSaver(
  pool: Queryable,
  schema: string,
  thread: string,
): Promise<{ ns: string; id: string }[]> {
  const { rows } = await pool.query(
    `SELECT checkpoint_ns AS ns, checkpoint_id AS id FROM ${tableIn(schema)} WHERE thread_id = $1`,
    [thread],
  );
  return rows as { ns: string; id: string }[];
}

function tableIn(schema: string): string {
  return `"${schema.replaceAll('"', '""')}".${TABLE}`;
}
