import type BetterSqlite3 from "better-sqlite3";
import { MissingDependencyError } from "../../shared/errors.js";
import { requireOptional } from "../../shared/optional.js";
import { NotADatabaseError, SchemaVersionError, StoreClosedError, StoreUnavailableError } from "../errors.js";
import { APPROVAL_SCHEMA } from "./approval-schema.js";
import { ARTIFACT_SCHEMA } from "./artifact-schema.js";
import { CIRCUIT_SCHEMA } from "./circuit-schema.js";
import { CHECKPOINT_SCHEMA } from "./checkpoint-schema.js";
import { LEASE_SCHEMA } from "./lease-schema.js";
import { LEDGER_SCHEMA } from "./ledger-schema.js";
import { MEMO_SCHEMA } from "./memo-schema.js";
import { PACK_SCHEMA } from "./pack-schema.js";
import { WAIT_SCHEMA } from "./wait-schema.js";
import { OUTSIDE_SCHEMA } from "./outside-schema.js";
import { SEAL_SCHEMA } from "./seal-schema.js";

/** Raised by one whenever a table changes; a database of another number is refused. */
export const SCHEMA_VERSION = 3;

const PACKAGE = "better-sqlite3";
const FEATURE = "The embedded SQLite store";

/** Statements that do nothing where there is nothing. */
const FINDS = /^\s*(SELECT|UPDATE|DELETE)\b/i;
const NO_CHANGE: BetterSqlite3.RunResult = { changes: 0, lastInsertRowid: 0 };

const BUSY_TIMEOUT_MS = 15_000;

/** Half of SQLite's own: rows are short, and a step changes a few pages of which each is written whole. */
const PAGE_BYTES = 2048;
/** The write-ahead log is brought back into the database when it has 4 MB, as SQLite does with larger pages. */
const WAL_PAGES = 2000;

type Statement = BetterSqlite3.Statement;

/**
 * One open SQLite database: checkpoints, objects and ledger live in it together.
 *
 * - WAL; ordinary commits do not wait for the disk, a `durable` one does and carries everything before it along.
 * - Every write runs in `BEGIN IMMEDIATE`, so that two processes queue and neither sees "database is locked".
 */
export class SqliteDatabase {
  private readonly statements = new Map<string, Statement>();
  /** Statements whose table was not there, with the cookie of the schema at that time. */
  private readonly absent = new Map<string, number>();
  private cookie: Statement | undefined;
  private running: "durable" | "ordinary" | undefined;

  private constructor(
    readonly path: string,
    private readonly handle: BetterSqlite3.Database,
  ) {}

  /**
   * Opens or creates the database and brings its tables up to date.
   *
   * @throws StoreUnavailableError, NotADatabaseError, SchemaVersionError, MissingDependencyError
   */
  static open(path: string): SqliteDatabase {
    const Database = requireOptional<typeof BetterSqlite3>(PACKAGE, FEATURE);
    const handle = openHandle(Database, path);
    try {
      prepareSchema(handle, path);
    } catch (error) {
      handle.close();
      throw asOpenError(error, path);
    }
    return new SqliteDatabase(path, handle);
  }

  get isOpen(): boolean {
    return this.handle.open;
  }

  /** In a table that is not there yet, nothing is found. */
  get<T>(sql: string, ...parameters: unknown[]): T | undefined {
    return this.using(() => this.prepare(sql)?.get(...parameters)) as T | undefined;
  }

  all<T>(sql: string, ...parameters: unknown[]): T[] {
    return this.using(() => this.prepare(sql)?.all(...parameters) ?? []) as T[];
  }

  run(sql: string, ...parameters: unknown[]): BetterSqlite3.RunResult {
    return this.using(() => this.prepare(sql)?.run(...parameters) ?? NO_CHANGE);
  }

  /** A statement, prepared once per text; undefined when it can find nothing, as its table is not there yet. */
  private prepare(sql: string): Statement | undefined {
    if (!this.handle.open) throw closed(this.path);
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const absentAt = this.absent.get(sql);
    if (absentAt !== undefined && absentAt === this.schemaCookie()) return undefined;
    const statement = this.prepareAnew(sql);
    if (statement === undefined) this.absent.set(sql, this.schemaCookie());
    else this.statements.set(sql, statement);
    return statement;
  }

  /** Another number whenever a table was created, by whichever process. */
  private schemaCookie(): number {
    this.cookie ??= this.handle.prepare("PRAGMA schema_version").pluck();
    return this.cookie.get() as number;
  }

  /** Tables that not every database needs are created when a row is first put into one of them. */
  private prepareAnew(sql: string): Statement | undefined {
    try {
      return this.handle.prepare(sql);
    } catch (error) {
      const schema = schemaOfMissingTable(error);
      if (schema === undefined) throw error;
      if (FINDS.test(sql)) return undefined;
      this.transaction(() => this.handle.exec(schema));
      return this.handle.prepare(sql);
    }
  }

  private using<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asUseError(error, this.path);
    }
  }

  /**
   * Runs `work` in one write transaction; an error rolls all of it back.
   * With `durable`, returns after the commit, and every commit before it, is synced to disk.
   * Called inside another transaction, it joins that one.
   */
  transaction<T>(work: () => T, options: { durable?: boolean } = {}): T {
    if (!this.handle.open) throw closed(this.path);
    if (this.running !== undefined) return this.join(work, options.durable === true);
    if (options.durable) this.handle.pragma("synchronous = FULL");
    try {
      return this.begin(work, options.durable ? "durable" : "ordinary");
    } finally {
      if (options.durable) this.handle.pragma("synchronous = NORMAL");
    }
  }

  private join<T>(work: () => T, durable: boolean): T {
    if (durable && this.running === "ordinary") {
      throw new Error("A durable transaction cannot join an ordinary one: the pragma has no effect inside it.");
    }
    return work();
  }

  private begin<T>(work: () => T, kind: "durable" | "ordinary"): T {
    this.run("BEGIN IMMEDIATE");
    this.running = kind;
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      if (this.handle.inTransaction) this.handle.exec("ROLLBACK");
      // Tables that were created in it are gone again.
      this.statements.clear();
      throw error;
    } finally {
      this.running = undefined;
    }
  }

  /** Syncs everything that was committed so far to disk. */
  sync(): void {
    this.transaction(() => this.run("UPDATE waypoint_meta SET value = value + 1 WHERE key = 'syncs'"), {
      durable: true,
    });
  }

  /** Rewrites the file without its free pages. */
  vacuum(): void {
    if (!this.handle.open) throw closed(this.path);
    this.handle.exec("VACUUM");
    this.handle.pragma("wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    if (!this.handle.open) return;
    this.handle.pragma("wal_checkpoint(TRUNCATE)");
    this.handle.close();
  }
}

function openHandle(Database: typeof BetterSqlite3, path: string): BetterSqlite3.Database {
  try {
    return new Database(path, { timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    if (isUnbuilt(error)) throw new MissingDependencyError(PACKAGE, FEATURE, { cause: error, unbuilt: true });
    throw asOpenError(error, path);
  }
}

/** The package is there, but its install script did not run, or ran under another Node. */
function isUnbuilt(error: unknown): boolean {
  const { code, message = "" } = error as { code?: string; message?: string };
  return code === "ERR_DLOPEN_FAILED" || message.startsWith("Could not locate the bindings file");
}

function prepareSchema(handle: BetterSqlite3.Database, path: string): void {
  const found = schemaVersion(handle);
  if (found !== undefined && found !== SCHEMA_VERSION) throw otherSchema(path, found);
  handle.pragma(`page_size = ${PAGE_BYTES}`);
  handle.pragma("journal_mode = WAL");
  handle.pragma("synchronous = NORMAL");
  handle.pragma(`wal_autocheckpoint = ${WAL_PAGES}`);
  if (found === SCHEMA_VERSION) return;
  handle.exec("BEGIN IMMEDIATE");
  handle.exec("CREATE TABLE IF NOT EXISTS waypoint_meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID");
  handle.exec(withoutComments(CHECKPOINT_SCHEMA));
  handle
    .prepare("INSERT OR IGNORE INTO waypoint_meta (key, value) VALUES ('schema', ?), ('syncs', 0), ('collections', 0)")
    .run(SCHEMA_VERSION);
  handle.exec("COMMIT");
}

/** Created when they are first needed: an empty table takes a page, and an index too. */
const LATE_SCHEMAS = [
  LEDGER_SCHEMA,
  APPROVAL_SCHEMA,
  ARTIFACT_SCHEMA,
  CIRCUIT_SCHEMA,
  LEASE_SCHEMA,
  MEMO_SCHEMA,
  OUTSIDE_SCHEMA,
  PACK_SCHEMA,
  SEAL_SCHEMA,
  WAIT_SCHEMA,
].map(withoutComments);

/** The definitions of the tables among which a statement found one missing. */
function schemaOfMissingTable(error: unknown): string | undefined {
  const [, table] = /^no such table: (?:main\.)?(waypoint_\w+)$/.exec((error as Error).message) ?? [];
  return table && LATE_SCHEMAS.find((schema) => schema.includes(`CREATE TABLE IF NOT EXISTS ${table} (`));
}

/** SQLite keeps the text of each table's definition in the database. */
function withoutComments(schema: string): string {
  return schema.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ");
}

function schemaVersion(handle: BetterSqlite3.Database): number | undefined {
  const table = handle.prepare("SELECT 1 FROM sqlite_master WHERE name = 'waypoint_meta'").get();
  if (table === undefined) return undefined;
  const row = handle.prepare("SELECT value FROM waypoint_meta WHERE key = 'schema'").get();
  return (row as { value: number } | undefined)?.value;
}

function otherSchema(path: string, found: number): SchemaVersionError {
  const advice =
    found > SCHEMA_VERSION
      ? "Upgrade langgraph-waypoint, or point it at another file."
      : "It was made before the first release, whose format differs: point it at another file.";
  return new SchemaVersionError(
    `The database "${path}" has schema version ${found}; this version of langgraph-waypoint knows ${SCHEMA_VERSION}. ` +
      `${advice} Nothing was changed.`,
    { details: { path, found, known: SCHEMA_VERSION } },
  );
}

function asOpenError(error: unknown, path: string): unknown {
  const code = (error as { code?: string }).code ?? "";
  if (code.startsWith("SQLITE_CORRUPT")) {
    return new NotADatabaseError(
      `The database "${path}" is damaged: ${(error as Error).message}. It was not touched. Restore it from a backup.`,
      { cause: error, details: { path } },
    );
  }
  if (code.startsWith("SQLITE_NOTADB")) {
    return new NotADatabaseError(
      `The file "${path}" is not an SQLite database. It was not touched. Point the connection string at another path.`,
      { cause: error, details: { path } },
    );
  }
  if (code.startsWith("SQLITE_") || error instanceof TypeError) {
    return new StoreUnavailableError(
      `The database "${path}" cannot be opened or created: ${(error as Error).message}. ` +
        `Check that the folder exists and that this process may write to it.`,
      { cause: error, details: { path } },
    );
  }
  return error;
}

/** What the disk, the file or another process is to blame for, in our terms; every other error as it is. */
function asUseError(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string") return error;
  const why = (error as Error).message;
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return new NotADatabaseError(`The database "${path}" is damaged: ${why}. Restore it from a backup.`, {
      cause: error,
      details: { path },
    });
  }
  if (!/^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL|NOMEM)/.test(code)) return error;
  const advice = /BUSY|LOCKED/.test(code)
    ? `Another process held its lock for more than ${BUSY_TIMEOUT_MS / 1000} s; try again.`
    : `Check the disk's free space and this process's rights.`;
  return new StoreUnavailableError(`The database "${path}" cannot be used: ${why}. Nothing was written. ${advice}`, {
    cause: error,
    details: { path },
  });
}

function closed(path: string): StoreClosedError {
  return new StoreClosedError(`The store "${path}" is closed. Create a new SlimSaver to use it again.`, {
    details: { path },
  });
}
