import { InvalidInputError } from "../shared/errors.js";
import { STORE } from "../store/home.js";
import { SqliteDatabase } from "../store/sqlite/database.js";
import { effectsOfThread, pendingApprovalsOfThread, waitsOfThread } from "../store/sqlite/overview.js";
import { idOf, threadIdOf } from "./ids.js";
import { checkOptions, isRecord } from "./input.js";
import { Inspection } from "./inspection.js";
import type { VerifyReport } from "./inspection.js";
import { positionOf } from "./position.js";
import type { Position, PositionSelectors } from "./position.js";
import type { PruneOptions, PruneReport } from "./retention.js";
import type { StorageStats } from "./stats.js";
import { cursorAfter, filterOf, summaryOf } from "./threads.js";
import type { ListThreadsOptions, ThreadSummary } from "./threads.js";
import { Upkeep } from "./upkeep.js";
import { Saver } from "./saver.js";
import type { SlimSaverOptions } from "./saver.js";

/**
 * A checkpointer that stores each value once and keeps references in the checkpoints.
 *
 * Promises:
 * - What comes back equals what went in, for everything that a graph's state may hold; nothing handed out is shared.
 * - Of two runs that continue one checkpoint, exactly one advances (`concurrency: "enforce"`).
 * - A checkpoint is stored whole or not at all; a value that cannot be stored fails the `put` and names its place.
 * - It creates its tables on first use, and serves `effect` and approvals from the same database.
 *
 * @example
 * const checkpointer = SlimSaver.fromConnString("agent.db");
 * const app = graph.compile({ checkpointer });
 */
export class SlimSaver extends Saver {
  private readonly upkeep: Upkeep;
  private readonly inspection: Inspection;
  private readonly selectors: PositionSelectors;

  private constructor(database: SqliteDatabase, options: SlimSaverOptions) {
    super(database, options);
    this.upkeep = new Upkeep(this[STORE], this.archive);
    this.inspection = new Inspection(this[STORE], this.archive);
    this.selectors = options.position ?? {};
  }

  /**
   * Opens or creates a database: `"file.db"`, or `":memory:"` for one that lives as long as this object.
   *
   * @throws StoreUnavailableError when the path cannot be written, NotADatabaseError when the file is something else,
   * SchemaVersionError when a newer version of this package wrote it, MissingDependencyError without better-sqlite3.
   */
  static fromConnString(conn: string, options: SlimSaverOptions = {}): SlimSaver {
    checkOptions(options);
    if (typeof conn !== "string" || conn.trim() === "") {
      throw new InvalidInputError(`SlimSaver.fromConnString needs the path of a database file, or ":memory:".`);
    }
    if (/^[a-z]+:\/\//i.test(conn)) {
      throw new InvalidInputError(
        `SlimSaver.fromConnString knows file paths and ":memory:"; it cannot open "${conn.split(":", 1)[0] ?? ""}://…".`,
      );
    }
    return new SlimSaver(SqliteDatabase.open(conn), options);
  }

  /** Does nothing that opening the database has not done; here so that savers can be exchanged. */
  async setup(): Promise<void> {
    return Promise.resolve();
  }

  /** Closes the database; its write-ahead log is folded into the file. */
  async close(): Promise<void> {
    this.database.close();
    return Promise.resolve();
  }

  /**
   * Removes a thread: its checkpoints and writes in all namespaces, and the objects that only it used. What a run of
   * before the deletion still brings is refused; the thread may begin anew. The ledger keeps what happened, so that a
   * deletion cannot open a payment again. Reads the whole database to find what others use.
   *
   * @throws ThreadIdError
   */
  override async deleteThread(threadId: string): Promise<void> {
    await Promise.resolve();
    this.upkeep.deleteThread(threadIdOf(threadId, "delete a thread"));
  }

  /**
   * Removes checkpoints that are no longer needed, and then the objects that nothing refers to.
   *
   * Always kept: the newest checkpoint of each namespace, checkpoints whose writes nobody has taken up (a question may
   * wait in them), ancestors from which a DeltaChannel is rebuilt, and whatever is younger than `olderThan`. Namespaces
   * of finished subgraph calls go with the checkpoint they hang on.
   *
   * @returns what was removed; with `dryRun`, what would be
   * @throws InvalidInputError for a policy that cannot be meant; nothing was removed
   * @example await checkpointer.prune({ keep: { last: 20 }, olderThan: "7d" });
   */
  async prune(options: PruneOptions): Promise<PruneReport> {
    await Promise.resolve();
    return this.upkeep.prune(record(options, "prune"));
  }

  /**
   * The threads of the tenant, last changed first, with state and step; one query, whatever their number.
   *
   * @param options `limit` (default 50), `cursor` from the call before, `state`, `search` in the thread id
   * @returns the threads, and a `cursor` while there may be more
   * @throws InvalidInputError
   * @example const { threads } = await checkpointer.listThreads({ state: "waiting" });
   */
  async listThreads(options: ListThreadsOptions = {}): Promise<{ threads: ThreadSummary[]; cursor?: string }> {
    await Promise.resolve();
    const filter = filterOf(record(options, "listThreads"));
    const rows = this.threads.list(filter);
    const last = rows.at(-1);
    const more = last !== undefined && rows.length === filter.limit;
    return { threads: rows.map(summaryOf), ...(more ? { cursor: cursorAfter(last) } : {}) };
  }

  /**
   * Copies a thread with all its namespaces, checkpoints and writes; the copy goes its own way from then on and shares
   * the objects. Effects stay with the thread that carried them out.
   *
   * @throws ThreadIdError; InvalidInputError when `from` is not there, or `to` is
   */
  async copyThread(from: string, to: string): Promise<void> {
    await Promise.resolve();
    this.upkeep.copyThread(threadIdOf(from, "copy a thread"), threadIdOf(to, "copy a thread"));
  }

  /**
   * Removes the checkpoints that these runs stored, with their writes and the objects that only they used. A run is
   * known by the `run_id` that the caller gave in `metadata` or `configurable`, or as `runId`.
   *
   * @throws InvalidInputError
   */
  async deleteForRuns(runIds: string[]): Promise<void> {
    await Promise.resolve();
    if (!Array.isArray(runIds)) throw new InvalidInputError("deleteForRuns needs a list of run ids.");
    this.upkeep.deleteForRuns(runIds.map((id) => idOf(id, "run id")));
  }

  /** Reads everything that checkpoints and writes refer to, and checks it against its hash. Changes nothing. */
  async verify(options: { threadId?: string } = {}): Promise<VerifyReport> {
    await Promise.resolve();
    return this.inspection.verify(scopeOf(options, "verify"));
  }

  /** How much is stored, of one thread or of all. */
  async stats(options: { threadId?: string } = {}): Promise<StorageStats> {
    await Promise.resolve();
    return this.inspection.stats(scopeOf(options, "stats"));
  }

  /** Gives the pages that were freed back to the operating system. Needs the database for itself while it runs. */
  async compact(): Promise<void> {
    await Promise.resolve();
    this.database.vacuum();
  }

  /**
   * Where a thread stands, as a person would want to read it; undefined for a thread that is not there.
   *
   * @throws ThreadIdError
   * @example const position = await checkpointer.position("order-7"); // { state: "waiting", waitingFor: [...], … }
   */
  async position(threadId: string): Promise<Position | undefined> {
    const tuple = await this.getTuple({ configurable: { thread_id: threadIdOf(threadId, "read a position") } });
    if (tuple === undefined) return undefined;
    const { database, tenant, clock } = this[STORE];
    return positionOf({
      threadId,
      tuple,
      effects: effectsOfThread(database, tenant, threadId),
      approvals: pendingApprovalsOfThread(database, tenant, threadId),
      waits: waitsOfThread(database, tenant, threadId, clock.now()),
      selectors: this.selectors,
    });
  }
}

function record<T>(options: T, method: string): T {
  if (isRecord(options)) return options;
  throw new InvalidInputError(`The options of ${method} must be an object.`);
}

function scopeOf(options: { threadId?: string }, method: string): string | undefined {
  const { threadId } = record(options, method);
  return threadId === undefined ? undefined : threadIdOf(threadId, `call ${method}`);
}
