import type BetterSqlite3 from "better-sqlite3";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { requireOptional } from "../shared/optional.js";
import { hasPostgresSaverTable, hasTablesOfOurs } from "../store/postgres/postgres-saver.js";
import type { Queryable } from "../store/postgres/postgres-saver.js";
import { hasSqliteSaverTables } from "../store/sqlite/sqlite-saver.js";
import { isOurs, readOnly, refuseWhatIsNotSqlite } from "./database.js";
import { CommandFailure } from "./failure.js";

const SQLITE_PACKAGE = "@langchain/langgraph-checkpoint-sqlite";
const POSTGRES_PACKAGE = "@langchain/langgraph-checkpoint-postgres";
const POSTGRES_URL = /^postgres(ql)?:\/\//i;
const ANY_URL = /^[a-z][a-z0-9+.-]*:\/\//i;

const SLIM_SOURCE =
  "was written by a SlimSaver: there is nothing to bring over. Copy the file, or call importThreads in a program.";

export interface SourceOptions {
  /** The file of a SqliteSaver, or the `postgres://…` URL of a PostgresSaver. */
  readonly source: string;
  /** Where the PostgresSaver keeps its tables. */
  readonly schema: string;
}

/**
 * Opens the checkpointer of a database that is there, gives it to `work`, and closes it. The database is only read.
 *
 * @throws CommandFailure when there is none, or it is something else; MissingDependencyError
 */
export async function withSource<T>(
  { source, schema }: SourceOptions,
  work: (from: BaseCheckpointSaver) => Promise<T>,
): Promise<T> {
  if (POSTGRES_URL.test(source)) return withPostgresSaver(source, schema, work);
  if (ANY_URL.test(source)) {
    const [protocol = ""] = source.split(":", 1);
    throw new CommandFailure(
      `waypoint import reads the file of a SqliteSaver, or a postgres://… URL; it cannot read "${protocol}://…". ` +
        `importThreads takes every checkpointer, in a program.`,
    );
  }
  return withSqliteSaver(source, work);
}

interface SqliteModule {
  SqliteSaver: new (db: BetterSqlite3.Database) => BaseCheckpointSaver;
}

async function withSqliteSaver<T>(file: string, work: (from: BaseCheckpointSaver) => Promise<T>): Promise<T> {
  refuseWhatIsNotSqlite(file, "Give the database that the SqliteSaver was opened with.");
  const { SqliteSaver } = requireOptional<SqliteModule>(SQLITE_PACKAGE, "waypoint import from an SQLite file");
  const handle = readOnly(file);
  try {
    if (!hasSqliteSaverTables(handle)) {
      const what = isOurs(handle) ? SLIM_SOURCE : "is an SQLite database, but no SqliteSaver has written to it.";
      throw new CommandFailure(`"${file}" ${what}`);
    }
    // The saver would switch the journal of the database, which cannot be done to one that is only read.
    Object.assign(handle, { pragma: () => undefined });
    return await work(new SqliteSaver(handle));
  } finally {
    handle.close();
  }
}

interface PostgresSource extends BaseCheckpointSaver {
  readonly pool: Queryable & { on(event: "error", listener: () => void): unknown };
  end(): Promise<void>;
}

interface PostgresModule {
  PostgresSaver: { fromConnString(url: string, options: { schema: string }): PostgresSource };
}

async function withPostgresSaver<T>(
  url: string,
  schema: string,
  work: (from: BaseCheckpointSaver) => Promise<T>,
): Promise<T> {
  const { PostgresSaver } = requireOptional<PostgresModule>(POSTGRES_PACKAGE, "waypoint import from Postgres");
  const from = PostgresSaver.fromConnString(url, { schema });
  // A connection that breaks while nobody uses it is no matter of its own: the next query says so.
  from.pool.on("error", () => undefined);
  try {
    await refuseOtherSchemas(from.pool, schema).catch((error: unknown) => {
      throw error instanceof CommandFailure ? error : unreachable(url, error);
    });
    return await work(from);
  } finally {
    await from.end();
  }
}

async function refuseOtherSchemas(pool: Queryable, schema: string): Promise<void> {
  if (await hasPostgresSaverTable(pool, schema)) return;
  const what = (await hasTablesOfOurs(pool, schema))
    ? SLIM_SOURCE
    : "has no tables of a PostgresSaver. Give the schema that it was opened with: --schema <name>.";
  throw new CommandFailure(`The schema "${schema}" ${what}`);
}

/** Names the server without the user and the password. */
function unreachable(url: string, error: unknown): CommandFailure {
  const { message, code } = error as NodeJS.ErrnoException;
  const where = URL.canParse(url) ? `${new URL(url).host}${new URL(url).pathname}` : "that URL";
  return new CommandFailure(
    `The Postgres database at ${where} cannot be read: ${message === "" ? (code ?? "") : message}.`,
  );
}
