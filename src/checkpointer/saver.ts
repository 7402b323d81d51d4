import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  DeltaChannelHistory,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { systemClock, toMilliseconds } from "../shared/clock.js";
import type { Clock, Duration } from "../shared/clock.js";
import { InvalidInputError } from "../shared/errors.js";
import { CONTROL, runningTask } from "../shared/langgraph.js";
import { STORE } from "../store/home.js";
import type { Housed, Store } from "../store/home.js";
import type { Encryption } from "../store/encryption.js";
import { guarded } from "../store/objects/guarded.js";
import type { ObjectStore } from "../store/objects/object-store.js";
import type { Namespace } from "../store/sqlite/checkpoints.js";
import type { SqliteDatabase } from "../store/sqlite/database.js";
import { checkKey } from "../store/sqlite/seals.js";
import { ThreadTable } from "../store/sqlite/threads.js";
import { Archive, configOf } from "./archive.js";
import type { Authorize } from "./artifact.js";
import { Classes } from "./classes.js";
import type { SerializableClass } from "./classes.js";
import { deltaHistory, emptyHistory } from "./delta-history.js";
import { Arrivals, neverStored, underExit } from "./durability.js";
import { damaged } from "./damage.js";
import { StaleCheckpointError } from "./errors.js";
import { matches } from "./filter.js";
import { deletedThread, mayAdvance, staleCheckpoint } from "./head.js";
import type { Concurrency } from "./head.js";
import { addressOf, configurableOf, idOf, levelsOf, optionalId, runOf, threadIdOf } from "./ids.js";
import type { Address } from "./ids.js";
import { checkCheckpoint, checkWrites, isRecord } from "./input.js";
import { storing, whole } from "./whole.js";
import { heldUpBy, stateOf } from "./position.js";
import type { Position, PositionSelectors } from "./position.js";

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
  /**
   * Where large contents go, of artifacts and of checkpoints: `fileObjects(dir)`, `unstorageObjects(storage)`. Default: the
   * database.
   */
  readonly objects?: ObjectStore;
  /**
   * Seals what is stored, of checkpoints, ledger and artifacts: `aes256gcm(key)`. With it, what is not sealed is refused.
   * Ids, names of effects, states, numbers and times stay readable.
   */
  readonly encryption?: Encryption;
  /** Asked whether an artifact may be read, once it is sure that the thread holds it. Anything but `true` is no. */
  readonly authorize?: Authorize;
  /** Classes of the application whose instances come back as instances; others come back as plain data. */
  readonly classes?: readonly SerializableClass[];
  readonly clock?: Clock;
}

/**
 * The part of the checkpointer that LangGraph calls: reading and storing checkpoints and writes, who may move a thread
 * on, and what is durable.
 */
export abstract class Saver extends BaseCheckpointSaver implements Housed {
  readonly [STORE]: Store;
  protected readonly archive: Archive;
  protected readonly threads: ThreadTable;
  private readonly concurrency: Concurrency;
  private readonly arrivals = new Arrivals();

  protected constructor(database: SqliteDatabase, options: SlimSaverOptions) {
    super();
    const tenant = options.tenant ?? "";
    this.concurrency = options.concurrency ?? "enforce";
    const objects = options.objects && guarded(options.objects);
    this[STORE] = { database, tenant, clock: options.clock ?? systemClock, encryption: options.encryption, objects };
    checkKey(this[STORE]);
    this.archive = new Archive(this[STORE], new Classes(options.classes));
    this.threads = new ThreadTable(database, tenant);
  }

  protected get database(): SqliteDatabase {
    return this[STORE].database;
  }

  /** The checkpoint that `config` names, or the newest of its thread and namespace. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    await Promise.resolve();
    if (configurableOf(config).thread_id === undefined) return undefined;
    const address = addressOf(config, "read a checkpoint");
    return whole(this.archive, () => this.tupleAt(address));
  }

  private tupleAt(address: Address): CheckpointTuple | undefined {
    const namespace = this.archive.table.namespace(address.threadId, address.ns);
    if (namespace === undefined) return undefined;
    if (address.checkpointId === undefined) return this.newest(namespace);
    const row = this.archive.table.checkpoint(namespace.id, address.checkpointId);
    return row && this.archive.tuple(namespace, row, row.id === namespace.head);
  }

  private newest(namespace: Namespace): CheckpointTuple | undefined {
    const { table } = this.archive;
    if (namespace.head === null) return undefined;
    const row = table.checkpoint(namespace.id, namespace.head);
    if (row !== undefined) return this.archive.tuple(namespace, row, true);
    const now = table.namespace(namespace.thread, namespace.ns);
    if (now === undefined) return undefined;
    if (now.id !== namespace.id || now.head !== namespace.head) return this.newest(now);
    throw damaged(`Checkpoint ${namespace.head}, the newest of thread "${namespace.thread}",`);
  }

  /** What DeltaChannels are rebuilt from, with one walk up the ancestors that decodes only what is needed. */
  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    await Promise.resolve();
    const address = addressOf(options.config, "read a channel's history");
    const namespace = this.archive.table.namespace(address.threadId, address.ns);
    const id = address.checkpointId ?? namespace?.head ?? undefined;
    if (namespace === undefined || id === undefined) return emptyHistory(options.channels);
    return whole(this.archive, () => deltaHistory(this.archive, namespace.id, id, options.channels));
  }

  /** Checkpoints, newest first within a namespace; without a thread, those of all threads. */
  override async *list(
    config: RunnableConfig,
    options?: CheckpointListOptions | null,
  ): AsyncGenerator<CheckpointTuple> {
    const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: only } = configurableOf(config);
    const { limit, before: older, filter: wanted } = options ?? {};
    const filter = {
      thread: thread === undefined ? undefined : threadIdOf(thread, "list checkpoints"),
      ns: ns === undefined ? undefined : idOf(ns, "checkpoint_ns", { empty: true }),
    };
    const before = optionalId(configurableOf(older).checkpoint_id, "before.checkpoint_id");
    let left = limitOf(limit);
    for (const namespace of this.archive.table.namespaces(filter)) {
      for (const row of this.archive.rows(namespace.id, before, optionalId(only, "checkpoint_id"))) {
        if (left <= 0) return;
        if (wanted !== undefined && !matches(await whole(this.archive, () => this.archive.metadataOf(row)), wanted))
          continue;
        left -= 1;
        yield await whole(this.archive, () => this.archive.tuple(namespace, row));
      }
    }
  }

  /**
   * Stores a checkpoint and makes it the head of its namespace, in one transaction. With `objects`, its large pieces are
   * brought there after that; where the place cannot be written, a warning says so and they stay in the database.
   *
   * @throws StaleCheckpointError when another run has advanced the thread; UnstorableValueError naming the channel and
   * path of a value that cannot be stored; ThreadIdError. In each case nothing of the checkpoint was stored.
   */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions | null | undefined,
  ): Promise<RunnableConfig> {
    await Promise.resolve();
    const address = addressOf(config, "store a checkpoint");
    const versions = newVersions ?? undefined;
    checkCheckpoint(checkpoint, versions);
    const id = idOf(checkpoint.id, "checkpoint.id");
    const outside = storing(this.database, this.archive, () => {
      this.guardTombstone(address);
      const namespace = this.archive.table.ensureNamespace(address.threadId, address.ns);
      this.guardHead(namespace, address, id, metadata);
      this.archive.storeCheckpoint(namespace, address.checkpointId, checkpoint, metadata, versions, runOf(config));
      if (address.ns === "") this.summariseCheckpoint(namespace, checkpoint, metadata);
    });
    if (outside !== undefined) await outside;
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
    checkWrites(writes, taskPath);
    const outside = storing(this.database, this.archive, () => {
      this.guardTombstone(address);
      const namespace = this.archive.table.ensureNamespace(address.threadId, address.ns);
      this.archive.endPlainAnswer(namespace.id, checkpointId, taskId, writes);
      this.archive.storeWrites(namespace, checkpointId, taskId, taskPath, writes);
      if (address.ns !== "" || namespace.head !== checkpointId || !holdsUp(writes)) return;
      const state = heldUpBy(this.archive.pendingWrites(namespace.id, checkpointId));
      if (state !== undefined) this.summarise(address.threadId, state, undefined);
    });
    if (outside !== undefined) await outside;
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
    if (!isRecord(options)) throw new InvalidInputError("The options of whenDurable must be an object.");
    const timeoutMs = toMilliseconds(options.timeout ?? DURABLE_WITHIN, "timeout");
    const task = runningTask(config);
    const threadId = threadIdOf(configurableOf(config).thread_id, "wait for a checkpoint");
    if (task?.durability === "exit") throw underExit(threadId);
    for (const [ns, id] of Object.entries(levelsOf(config))) await this.untilStored(threadId, ns, id, timeoutMs);
    if (options.sync ?? true) this.database.sync();
  }

  private async untilStored(threadId: string, ns: string, id: string, timeoutMs: number): Promise<void> {
    const isThere = (): boolean => {
      const namespace = this.archive.table.namespace(threadId, ns);
      return namespace !== undefined && this.archive.table.has(namespace.id, id);
    };
    const arrived = await this.arrivals.until(arrivalKey(threadId, ns, id), isThere, timeoutMs);
    if (!arrived) throw neverStored(threadId, ns, id, timeoutMs);
    const head = this.archive.table.namespace(threadId, ns)?.head ?? undefined;
    if (this.concurrency === "enforce" && ns === "" && head !== id) {
      throw staleCheckpoint({ threadId, ns, head, parent: id, id });
    }
  }

  private summariseCheckpoint(namespace: Namespace, checkpoint: Checkpoint, metadata: CheckpointMetadata): void {
    // Writes may have come before the checkpoint that they hang on, as under durability "exit".
    const pendingWrites = this.archive.pendingWrites(namespace.id, checkpoint.id);
    this.summarise(namespace.thread, stateOf({ checkpoint, pendingWrites }), stepOf(metadata));
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
      source: (metadata as Partial<CheckpointMetadata> | null | undefined)?.source,
      again: this.archive.table.has(namespace.id, id),
    };
    if (mayAdvance(move)) return;
    const stale = staleCheckpoint(move);
    if (this.concurrency === "enforce") throw stale;
    process.emitWarning(stale.message, StaleCheckpointError.name);
  }
}

function arrivalKey(threadId: string, ns: string, id: string): string {
  return JSON.stringify([threadId, ns, id]);
}

/** Whether a task asks or has failed, so that its thread may stand still. */
function holdsUp(writes: readonly PendingWrite[]): boolean {
  return writes.some(([channel]) => channel === CONTROL.interrupt || channel === CONTROL.error);
}

/** LangGraph always says the step; others that call `put` may not. */
function stepOf(metadata: CheckpointMetadata): number | undefined {
  const step: unknown = (metadata as Partial<CheckpointMetadata> | null | undefined)?.step;
  return typeof step === "number" ? step : undefined;
}

function limitOf(limit: number | undefined): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (Number.isInteger(limit) && limit >= 0) return limit;
  throw new InvalidInputError(`limit must be a whole number of at least 0; got ${String(limit)}.`);
}
