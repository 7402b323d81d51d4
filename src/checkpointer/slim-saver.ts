import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { systemClock, toMilliseconds } from "../shared/clock.js";
import type { Clock, Duration } from "../shared/clock.js";
import { InvalidInputError } from "../shared/errors.js";
import { runningTask } from "../shared/langgraph.js";
import { STORE } from "../store/home.js";
import type { Housed, Store } from "../store/home.js";
import type { Namespace } from "../store/sqlite/checkpoints.js";
import { SqliteDatabase } from "../store/sqlite/database.js";
import { effectsOfThread, pendingApprovalsOfThread } from "../store/sqlite/overview.js";
import { ThreadTable } from "../store/sqlite/threads.js";
import { Archive, configOf } from "./archive.js";
import { Arrivals, neverStored, underExit } from "./durability.js";
import { StaleCheckpointError } from "./errors.js";
import { matches } from "./filter.js";
import { deletedThread, mayAdvance, staleCheckpoint } from "./head.js";
import type { Concurrency } from "./head.js";
import { addressOf, idOf, optionalId, runOf, threadIdOf } from "./ids.js";
import type { Address } from "./ids.js";
import { positionOf } from "./position.js";
import type { Position, PositionSelectors } from "./position.js";
import type { PruneOptions, PruneReport } from "./retention.js";
import type { StorageStats } from "./stats.js";
import { cursorAfter, filterOf, stateAfter, stateBy, summaryOf } from "./threads.js";
import type { ListThreadsOptions, ThreadSummary } from "./threads.js";
import { Upkeep } from "./upkeep.js";
import type { VerifyReport } from "./upkeep.js";

const DURABLE_WITHIN: Duration = "10s";

export interface SlimSaverOptions {
  /**
   * What happens to a checkpoint that does not continue the newest one of its thread, because another run was faster:
   * `enforce` (default) refuses it with `StaleCheckpointError`, `detect` stores it and warns, `off` stores it.
   */
  readonly concurrency?: Concurrency;
  /** Part of every key: nothing of one tenant can be read, listed or deleted by another. */
  readonly tenant?: string;
  /** Where todos and plan stand in the state, for `position`. Default: the channels `todos` and `plan`. */
  readonly position?: PositionSelectors;
  readonly clock?: Clock;
}

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
export class SlimSaver extends BaseCheckpointSaver implements Housed {
  readonly [STORE]: Store;
  private readonly concurrency: Concurrency;
  private readonly archive: Archive;
  private readonly selectors: PositionSelectors;
  private readonly upkeep: Upkeep;
  private readonly threads: ThreadTable;
  private readonly arrivals = new Arrivals();

  private constructor(database: SqliteDatabase, options: SlimSaverOptions) {
    super();
    const tenant = options.tenant ?? "";
    this.concurrency = options.concurrency ?? "enforce";
    this[STORE] = { database, tenant, clock: options.clock ?? systemClock };
    this.archive = new Archive(this[STORE]);
    this.upkeep = new Upkeep(this[STORE], this.archive);
    this.threads = new ThreadTable(database, tenant);
    this.selectors = options.position ?? {};
  }

  /**
   * Opens or creates a database: `"file.db"`, or `":memory:"` for one that lives as long as this object.
   *
   * @throws StoreUnavailableError when the path cannot be written, NotADatabaseError when the file is something else,
   * SchemaVersionError when a newer version of this package wrote it, MissingDependencyError without better-sqlite3.
   */
  static fromConnString(conn: string, options: SlimSaverOptions = {}): SlimSaver {
    if (typeof conn !== "string" || conn === "") {
      throw new InvalidInputError(`SlimSaver.fromConnString needs the path of a database file, or ":memory:".`);
    }
    if (/^[a-z]+:\/\//i.test(conn)) {
      throw new InvalidInputError(
        `SlimSaver.fromConnString knows file paths and ":memory:"; it cannot open "${conn.split(":", 1)[0] ?? ""}://…".`,
      );
    }
    return new SlimSaver(SqliteDatabase.open(conn), options);
  }

  private get database(): SqliteDatabase {
    return this[STORE].database;
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

  /** The checkpoint that `config` names, or the newest of its thread and namespace. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    await Promise.resolve();
    if (config.configurable?.thread_id === undefined) return undefined;
    const address = addressOf(config, "read a checkpoint");
    const namespace = this.archive.table.namespace(address.threadId, address.ns);
    const id = address.checkpointId ?? namespace?.head;
    if (namespace === undefined || id === undefined || id === null) return undefined;
    const row = this.archive.table.checkpoint(namespace.id, id);
    return row === undefined ? undefined : this.archive.tuple(namespace, row);
  }

  /** Checkpoints, newest first within a namespace; without a thread, those of all threads. */
  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: only } = config.configurable ?? {};
    const filter = {
      thread: thread === undefined ? undefined : threadIdOf(thread, "list checkpoints"),
      ns: ns === undefined ? undefined : idOf(ns, "checkpoint_ns", { empty: true }),
    };
    const before = optionalId(options.before?.configurable?.checkpoint_id, "before.checkpoint_id");
    let left = limitOf(options.limit);
    for (const namespace of this.archive.table.namespaces(filter)) {
      for (const row of this.archive.rows(namespace.id, before, optionalId(only, "checkpoint_id"))) {
        if (left <= 0) return;
        const metadata = this.archive.restoreText(row.metadata) as CheckpointMetadata;
        if (!matches(metadata, options.filter)) continue;
        left -= 1;
        yield await Promise.resolve(this.archive.tuple(namespace, row));
      }
    }
  }

  /**
   * Stores a checkpoint and makes it the head of its namespace, in one transaction.
   *
   * @throws StaleCheckpointError when another run has advanced the thread; UnstorableValueError naming the channel and
   * path of a value that cannot be stored; ThreadIdError. In each case nothing of the checkpoint was stored.
   */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions | undefined,
  ): Promise<RunnableConfig> {
    await Promise.resolve();
    const address = addressOf(config, "store a checkpoint");
    const id = idOf(checkpoint.id, "checkpoint.id");
    this.inTransaction(() => {
      this.guardTombstone(address);
      const namespace = this.archive.table.ensureNamespace(address.threadId, address.ns);
      this.guardHead(namespace, address, id, metadata);
      this.archive.storeCheckpoint(namespace, address.checkpointId, checkpoint, metadata, newVersions, runOf(config));
      if (address.ns === "") this.summarise(address.threadId, stateAfter(checkpoint), metadata.step);
    });
    this.arrivals.announce(arrivalKey(address.threadId, address.ns, id));
    return configOf(address.threadId, address.ns, id);
  }

  /** Stores what a task wrote, linked to a checkpoint that may arrive later. */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    await Promise.resolve();
    const address = addressOf(config, "store writes");
    const checkpointId = idOf(address.checkpointId, "configurable.checkpoint_id of putWrites");
    idOf(taskId, "taskId");
    this.inTransaction(() => {
      this.guardTombstone(address);
      const namespace = this.archive.table.ensureNamespace(address.threadId, address.ns);
      this.archive.endPlainAnswer(namespace.id, checkpointId, taskId, writes);
      this.archive.storeWrites(namespace.id, checkpointId, taskId, taskPath, writes);
      const state = stateBy(writes);
      if (address.ns === "" && state !== undefined) this.summarise(address.threadId, state, undefined);
    });
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
    return this.upkeep.prune(options);
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
    const filter = filterOf(options);
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
    this.upkeep.deleteForRuns(runIds.map((id) => idOf(id, "run id")));
  }

  /** Reads everything that checkpoints and writes refer to, and checks it against its hash. Changes nothing. */
  async verify(options: { threadId?: string } = {}): Promise<VerifyReport> {
    await Promise.resolve();
    return this.upkeep.verify(options.threadId);
  }

  /** How much is stored, of one thread or of all. */
  async stats(options: { threadId?: string } = {}): Promise<StorageStats> {
    await Promise.resolve();
    return this.upkeep.stats(options.threadId);
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
    const { database, tenant } = this[STORE];
    return positionOf({
      threadId,
      tuple,
      effects: effectsOfThread(database, tenant, threadId),
      approvals: pendingApprovalsOfThread(database, tenant, threadId),
      selectors: this.selectors,
    });
  }

  /**
   * Resolves when every checkpoint that the running task hangs on is stored and synced to disk: after a crash, the task
   * will be found again under the same id.
   *
   * @param config What a node or tool was given.
   * @param options `timeout`: how long to wait for checkpoints that are on their way (default 10 s). `sync: false` leaves
   * the sync to the caller's next durable commit.
   * @throws NotDurableError when one does not arrive, as under `durability: "exit"`; StaleCheckpointError when another
   * run has advanced the thread meanwhile, so that this task may no longer act for it.
   */
  async whenDurable(config: RunnableConfig, options: { timeout?: Duration; sync?: boolean } = {}): Promise<void> {
    const timeoutMs = toMilliseconds(options.timeout ?? DURABLE_WITHIN, "timeout");
    const task = runningTask(config);
    const threadId = threadIdOf(config.configurable?.thread_id, "wait for a checkpoint");
    if (task?.durability === "exit") throw underExit(threadId);
    for (const [ns, id] of Object.entries(levelsOf(config))) await this.untilStored(threadId, ns, id, timeoutMs);
    if (options.sync ?? true) this.database.sync();
  }

  private async untilStored(threadId: string, ns: string, id: string, timeoutMs: number): Promise<void> {
    const isThere = (): boolean => {
      const namespace = this.archive.table.namespace(threadId, ns);
      return namespace !== undefined && this.archive.table.checkpoint(namespace.id, id) !== undefined;
    };
    const arrived = await this.arrivals.until(arrivalKey(threadId, ns, id), isThere, timeoutMs);
    if (!arrived) throw neverStored(threadId, ns, id, timeoutMs);
    const head = this.archive.table.namespace(threadId, ns)?.head ?? undefined;
    if (this.concurrency === "enforce" && ns === "" && head !== id) {
      throw staleCheckpoint({ threadId, ns, head, parent: id, id, source: undefined });
    }
  }

  private summarise(thread: string, state: Position["state"], step: number | undefined): void {
    this.threads.summarise(thread, { state, step, at: this[STORE].clock.now() });
  }

  /** A deleted thread begins anew with a checkpoint that continues none; a run of before the deletion is over. */
  private guardTombstone({ threadId, ns, checkpointId }: Address): void {
    if (!this.archive.table.isBuried(threadId)) return;
    if (checkpointId !== undefined || ns !== "") throw deletedThread(threadId, ns, checkpointId);
    this.archive.table.unbury(threadId);
  }

  private guardHead(namespace: Namespace, address: Address, id: string, metadata: CheckpointMetadata): void {
    if (this.concurrency === "off") return;
    const move = {
      threadId: address.threadId,
      ns: address.ns,
      head: namespace.head ?? undefined,
      parent: address.checkpointId,
      id,
      source: (metadata as Partial<CheckpointMetadata> | undefined)?.source,
    };
    if (mayAdvance(move)) return;
    const stale = staleCheckpoint(move);
    if (this.concurrency === "enforce") throw stale;
    process.emitWarning(stale.message, StaleCheckpointError.name);
  }

  private inTransaction(work: () => void): void {
    try {
      this.database.transaction(() => {
        this.archive.noticeCollections();
        work();
      });
    } catch (error) {
      this.archive.forget();
      throw error;
    }
  }
}

function arrivalKey(threadId: string, ns: string, id: string): string {
  return JSON.stringify([threadId, ns, id]);
}

function levelsOf(config: RunnableConfig): Record<string, string> {
  const { checkpoint_map: map, checkpoint_id: id, checkpoint_ns: ns } = config.configurable ?? {};
  const levels = (map ?? {}) as Record<string, string>;
  if (Object.keys(levels).length > 0 || typeof id !== "string") return levels;
  return { [String(ns ?? "")]: id };
}

function limitOf(limit: number | undefined): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (Number.isInteger(limit) && limit >= 0) return limit;
  throw new InvalidInputError(`limit must be a whole number of at least 0; got ${String(limit)}.`);
}
