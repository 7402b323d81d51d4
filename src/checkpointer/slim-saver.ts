import { InvalidInputError } from "../shared/errors.js";
import { STORE } from "../store/home.js";
import { SqliteDatabase } from "../store/sqlite/database.js";
import { effectsOfThread, pendingApprovalsOfThread, waitsOfThread } from "../store/sqlite/overview.js";
import type { Artifact, ArtifactRef, GetArtifactOptions, PutArtifactOptions } from "./artifact.js";
import { verifyArtifacts } from "./artifact-verify.js";
import { Artifacts } from "./artifacts.js";
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
import { whole } from "./whole.js";
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
  private readonly artifacts: Artifacts;

  private constructor(database: SqliteDatabase, options: SlimSaverOptions) {
    super(database, options);
    this.artifacts = new Artifacts(this[STORE], options, (threadId) => this.archive.table.isBuried(threadId));
    this.upkeep = new Upkeep(this[STORE], this.archive, this.artifacts);
    this.inspection = new Inspection(this[STORE], this.archive);
    this.selectors = options.position ?? {};
  }

  /**
   * Opens or creates a database: `"file.db"`, or `":memory:"` for one that lives as long as this object.
   *
   * @throws StoreUnavailableError when the path cannot be written, NotADatabaseError when the file is something else,
   * SchemaVersionError when a newer version of this package wrote it, MissingDependencyError without better-sqlite3,
   * DecryptionError when what is stored was sealed with another key, or without one.
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
    const database = SqliteDatabase.open(conn);
    try {
      return new SlimSaver(database, options);
    } catch (error) {
      database.close();
      throw error;
    }
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
   * Removes a thread: its checkpoints and writes in all namespaces, its artifacts, and the objects that only it used. What
   * a run of before the deletion still brings is refused; the thread may begin anew. The ledger keeps what happened, so
   * that a deletion cannot open a payment again. Reads the whole database to find what others use.
   *
   * @throws ThreadIdError; ObjectsUnavailableError when all was deleted but for contents outside the database: call it
   * again, or `prune`
   */
  override async deleteThread(threadId: string): Promise<void> {
    await Promise.resolve();
    this.upkeep.deleteThread(threadIdOf(threadId, "delete a thread"));
    await this.artifacts.leftovers.removeUnused();
  }

  /**
   * Removes checkpoints that are no longer needed, and then the objects that nothing refers to.
   *
   * Always kept: the newest checkpoint of each namespace, checkpoints whose writes nobody has taken up (a question may
   * wait in them), ancestors from which a DeltaChannel is rebuilt, and whatever is younger than `olderThan`. Namespaces
   * of finished subgraph calls go with the checkpoint they hang on. Artifacts stay as long as their thread; what an object
   * store keeps and nothing refers to is removed an hour after it was put there. Large pieces that could not be brought
   * outside when they were stored are brought there now.
   *
   * @returns what was removed; with `dryRun`, what would be
   * @throws InvalidInputError for a policy that cannot be meant; nothing was removed. ObjectsUnavailableError when all was
   * removed but what lies in the object store
   * @example await checkpointer.prune({ keep: { last: 20 }, olderThan: "7d" });
   */
  async prune(options: PruneOptions): Promise<PruneReport> {
    await Promise.resolve();
    const report = await whole(this.archive, () => this.upkeep.prune(record(options, "prune")));
    const { leftovers } = this.artifacts;
    if (options.dryRun !== true) await this.archive.outside?.moveAll();
    const removed = options.dryRun === true ? leftovers.count() : await leftovers.remove();
    return removed === undefined ? report : { ...report, leftovers: removed };
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
   * Copies a thread with all its namespaces, checkpoints, writes and artifacts; the copy goes its own way from then on and
   * shares the objects. Effects stay with the thread that carried them out.
   *
   * @throws ThreadIdError; InvalidInputError when `from` is not there, or `to` is; StaleFenceError when somebody holds a
   * lease on `to`
   */
  async copyThread(from: string, to: string): Promise<void> {
    await Promise.resolve();
    this.upkeep.copyThread(threadIdOf(from, "copy a thread"), threadIdOf(to, "copy a thread"));
  }

  /**
   * Removes the checkpoints that these runs stored, with their writes and the objects that only they used. A run is
   * known by the `run_id` that the caller gave in `metadata` or `configurable`, or as `runId`.
   *
   * @throws InvalidInputError; ObjectsUnavailableError when all was removed but what lies in the object store
   */
  async deleteForRuns(runIds: string[]): Promise<void> {
    await Promise.resolve();
    if (!Array.isArray(runIds)) throw new InvalidInputError("deleteForRuns needs a list of run ids.");
    const runs = runIds.map((id) => idOf(id, "run id"));
    await whole(this.archive, () => {
      this.upkeep.deleteForRuns(runs);
    });
    await this.artifacts.leftovers.removeUnused();
  }

  /**
   * Reads everything that checkpoints, writes and threads refer to, and checks it against its hash. Changes nothing.
   *
   * @throws DecryptionError for another key; ObjectsUnavailableError
   */
  async verify(options: { threadId?: string } = {}): Promise<VerifyReport> {
    await Promise.resolve();
    const scope = scopeOf(options, "verify");
    const report = await this.inspection.verify(scope);
    const artifacts = await verifyArtifacts(this.artifacts, scope);
    return { ...report, artifacts, ok: report.ok && artifacts.broken.length === 0 };
  }

  /** How much is stored, of one thread or of all. */
  async stats(options: { threadId?: string } = {}): Promise<StorageStats> {
    await Promise.resolve();
    const scope = scopeOf(options, "stats");
    return whole(this.archive, () => ({ ...this.inspection.stats(scope), ...this.artifacts.table.size(scope) }));
  }

  /**
   * Gives the pages that were freed back to the operating system. Needs the database for itself while it runs. With
   * `objects`, what could not be brought there or removed there before is brought and removed first, as `prune` does.
   *
   * @throws ObjectsUnavailableError when all was done but that
   */
  async compact(): Promise<void> {
    await Promise.resolve();
    try {
      await this.archive.outside?.moveAll();
      await this.artifacts.leftovers.remove();
    } finally {
      this.database.vacuum();
    }
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
    const { database, clock } = this[STORE];
    return positionOf({
      threadId,
      tuple,
      effects: effectsOfThread(database, this[STORE], threadId),
      approvals: pendingApprovalsOfThread(database, this[STORE], threadId),
      artifacts: this.artifacts.list(threadId),
      waits: waitsOfThread(database, this[STORE], threadId, clock.now()),
      selectors: this.selectors,
    });
  }

  /**
   * Keeps a piece of luggage beside the state, and returns the reference that stands for it: in the state, in a message, in
   * a prompt. The thread holds it from then on, until it is deleted.
   *
   * - When it resolves, the content is there and whole. One content is kept once, however many threads hold it.
   * - To put the same again changes nothing, so a node that runs again does no harm; it mends a content that was damaged.
   *   A name or media type that is given takes the place of the one before.
   * - The thread need not have a checkpoint yet. One that was deleted must begin anew first.
   *
   * @param data bytes as they are; a text, kept as UTF-8; an object of plain data, kept as JSON with its keys in their
   * order. At most 256 MiB. What would not come back as it went in (undefined, a Date, half a character) is refused.
   * @throws InvalidInputError, ThreadIdError; StaleCheckpointError when the thread was deleted; ObjectsUnavailableError. In
   * each case the thread does not hold it.
   * @example const ref = await checkpointer.putArtifact(pdf, { threadId, name: "invoice.pdf", mediaType: "application/pdf" });
   */
  async putArtifact(data: Uint8Array | string | object, options: PutArtifactOptions): Promise<ArtifactRef> {
    return this.artifacts.put(data, options);
  }

  /**
   * Brings an artifact, for a thread that holds it: that has put it, or is a copy of one that had when it was copied. Then
   * the saver's `authorize` is asked, with `context`. The content is checked against its reference.
   *
   * @throws ArtifactDeniedError for every reference that this thread may not read, whether it exists or not;
   * ArtifactCorruptError when the content is missing or damaged; InvalidInputError for what is no reference;
   * DecryptionError for another key; ObjectsUnavailableError
   * @example const report = await checkpointer.getArtifact(state.report, { threadId }); report.text();
   */
  async getArtifact(ref: ArtifactRef, options: GetArtifactOptions): Promise<Artifact> {
    return this.artifacts.get(ref, options);
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
