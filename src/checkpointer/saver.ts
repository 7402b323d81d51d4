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
import { CONTROL, bringsInput, isReplaying, runningTask } from "../shared/langgraph.js";
import { STORE } from "../store/home.js";
import type { Housed, Store } from "../store/home.js";
import type { Encryption } from "../store/encryption.js";
import { guarded } from "../store/objects/guarded.js";
import type { ObjectStore } from "../store/objects/object-store.js";
import type { CheckpointRow, Namespace } from "../store/sqlite/checkpoints.js";
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
import { Leases } from "./lease.js";
import { Overtaken } from "./overtaken.js";
import { heldUpBy, stateOf } from "./position.js";
import type { Position, PositionSelectors } from "./position.js";
import { Revisits } from "./revisit.js";
import { WaypointSerde } from "./serde.js";
import { storing, whole } from "./whole.js";

/** Checkpoints that a list reads at once. */
const LISTED_AT_ONCE = 20;

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
   * With `objects`: what is stored in more bytes than this goes there, and what is stored in fewer stays in the database.
   * Default: 65,536 (64 KiB). 0 leaves nothing inside but rows and references. It decides where new contents go: what is
   * there already stays where it is, and is read wherever it is.
   */
  readonly objectsAbove?: number;
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
  private readonly revisits = new Revisits();
  private readonly overtaken = new Overtaken();
  private readonly leases: Leases;

  protected constructor(database: SqliteDatabase, options: SlimSaverOptions) {
    const classes = new Classes(options.classes);
    super(new WaypointSerde(classes));
    const tenant = options.tenant ?? "";
    this.concurrency = options.concurrency ?? "enforce";
    const { clock = systemClock, encryption, objectsAbove } = options;
    const objects = options.objects && guarded(options.objects);
    this[STORE] = { database, tenant, clock, encryption, objects, objectsAbove };
    checkKey(this[STORE]);
    this.archive = new Archive(this[STORE], classes);
    this.threads = new ThreadTable(database, tenant);
    this.leases = new Leases(this[STORE]);
  }

  protected get database(): SqliteDatabase {
    return this[STORE].database;
  }

  /** The checkpoint that `config` names, or the newest of its thread and namespace. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    await Promise.resolve();
    if (configurableOf(config).thread_id === undefined) return undefined;
    const address = addressOf(config, "read a checkpoint");
    const found: Found = { head: undefined };
    return whole(this.archive, () => this.tupleAt(config, address, found));
  }

  private tupleAt(config: RunnableConfig, address: Address, found: Found): CheckpointTuple | undefined {
    const namespace = this.archive.table.namespace(address.threadId, address.ns);
    if (namespace === undefined) return undefined;
    if (address.checkpointId === undefined) return this.newest(namespace, found);
    if (address.checkpointId !== namespace.head) this.revisits.note(config, address);
    const row = this.archive.table.checkpoint(namespace.id, address.checkpointId);
    return row && this.archive.tuple(namespace, row, row.id === namespace.head);
  }

  private newest(namespace: Namespace, found: Found): CheckpointTuple | undefined {
    const { table } = this.archive;
    if (namespace.head === null) return undefined;
    const before = found.head === undefined ? undefined : table.checkpoint(namespace.id, found.head);
    const row = before ?? table.checkpoint(namespace.id, namespace.head);
    if (row !== undefined) {
      found.head = row.id;
      return this.archive.tuple(namespace, row, row.id === namespace.head);
    }
    const now = table.namespace(namespace.thread, namespace.ns);
    if (now === undefined) return undefined;
    if (now.id !== namespace.id || now.head !== namespace.head) return this.newest(now, found);
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
      for await (const rows of this.chunks(namespace, before, optionalId(only, "checkpoint_id"), wanted)) {
        const tuples = await whole(this.archive, () => this.tuplesOf(namespace, rows.slice(0, left)));
        yield* tuples;
        left -= tuples.length;
        if (left <= 0) return;
      }
    }
  }

  /** Rows that are wanted, newest first, a few at a time. */
  private async *chunks(
    namespace: Namespace,
    before: string | undefined,
    only: string | undefined,
    wanted: Record<string, unknown> | undefined,
  ): AsyncGenerator<CheckpointRow[]> {
    let chunk: CheckpointRow[] = [];
    for (const row of this.archive.rows(namespace.id, before, only)) {
      if (wanted !== undefined && !(await whole(this.archive, () => this.isWanted(namespace, row, wanted)))) continue;
      chunk.push(row);
      if (chunk.length < LISTED_AT_ONCE) continue;
      yield chunk;
      chunk = [];
    }
    if (chunk.length > 0) yield chunk;
  }

  private isWanted(namespace: Namespace, row: CheckpointRow, wanted: Record<string, unknown>): boolean {
    return this.stillThere(namespace, [row]).some((each) => matches(this.archive.metadataOf(each), wanted));
  }

  private tuplesOf(namespace: Namespace, rows: readonly CheckpointRow[]): CheckpointTuple[] {
    return this.archive.tuples(namespace, this.stillThere(namespace, rows));
  }

  /** While pieces were brought from outside, others may have removed a checkpoint, and the pieces with it. */
  private stillThere(namespace: Namespace, rows: readonly CheckpointRow[]): readonly CheckpointRow[] {
    const { outside, table } = this.archive;
    return outside === undefined ? rows : rows.filter(({ id }) => table.has(namespace.id, id));
  }

  /**
   * Stores a checkpoint and makes it the head of its namespace, in one transaction. With `objects`, its large pieces are
   * brought there after that; where the place cannot be written, a warning says so and they stay in the database.
   *
   * @throws StaleCheckpointError when another run has advanced the thread; StaleFenceError when it belongs to somebody
   * else; UnstorableValueError naming the channel and path of a value that cannot be stored; ThreadIdError. In each
   * case nothing of the checkpoint was stored.
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
      this.leases.guard(address, config);
      const namespace = this.writable(address);
      this.guardHead(namespace, address, id, { config, metadata, versions });
      this.archive.storeCheckpoint(namespace, address.checkpointId, checkpoint, metadata, versions, runOf(config));
      if (address.ns === "") this.summariseCheckpoint(namespace, checkpoint, metadata);
    });
    if (outside !== undefined) await outside;
    this.arrivals.announce(arrivalKey(address.threadId, address.ns, id));
    return configOf(address.threadId, address.ns, id);
  }

  /** Stores what a task wrote, linked to a checkpoint that may arrive later. @throws StaleFenceError as `put` does */
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
      this.leases.guard(address, config);
      this.overtaken.guard(address.threadId, { [address.ns]: checkpointId });
      const namespace = this.writable(address);
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
   * run has advanced the thread meanwhile, StaleFenceError when it belongs to somebody else by now: this task may no
   * longer act for it.
   */
  async whenDurable(config: RunnableConfig, options: { timeout?: Duration; sync?: boolean } = {}): Promise<void> {
    if (!isRecord(options)) throw new InvalidInputError("The options of whenDurable must be an object.");
    const timeoutMs = toMilliseconds(options.timeout ?? DURABLE_WITHIN, "timeout");
    const task = runningTask(config);
    const threadId = threadIdOf(configurableOf(config).thread_id, "wait for a checkpoint");
    if (task?.durability === "exit") throw underExit(threadId);
    this.leases.guard({ threadId, ns: "" }, config);
    for (const [ns, id] of Object.entries(levelsOf(config))) await this.untilStored(threadId, ns, id, timeoutMs);
    if (options.sync ?? true) this.database.sync();
  }

  private async untilStored(threadId: string, ns: string, id: string, timeoutMs: number): Promise<void> {
    const isThere = (): boolean => {
      if (this.overtaken.has(threadId, ns, id)) return true;
      const namespace = this.archive.table.namespace(threadId, ns);
      return namespace !== undefined && this.archive.table.has(namespace.id, id);
    };
    const arrived = await this.arrivals.until(arrivalKey(threadId, ns, id), isThere, timeoutMs);
    this.overtaken.guard(threadId, { [ns]: id });
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

  /** The namespace to write to. A deleted thread begins anew with a checkpoint that continues none. */
  private writable(address: Address): Namespace {
    const { table } = this.archive;
    const { threadId, ns } = address;
    const namespace = table.namespace(threadId, ns);
    const isBuried = namespace === undefined ? table.isBuried(threadId) : namespace.buried === 1;
    if (isBuried) this.begin(address);
    return namespace === undefined || isBuried ? table.ensureNamespace(threadId, ns) : namespace;
  }

  /** What a run of before the deletion still brings is over. */
  private begin({ threadId, ns, checkpointId }: Address): void {
    if (checkpointId !== undefined || ns !== "") throw deletedThread(threadId, ns, checkpointId);
    this.archive.table.unbury(threadId);
  }

  private guardHead(namespace: Namespace, address: Address, id: string, { config, metadata, versions }: Brought): void {
    if (this.concurrency === "off") return;
    const { source, parents } = (metadata as Partial<CheckpointMetadata> | null | undefined) ?? {};
    this.overtaken.guard(address.threadId, parents);
    const move = {
      threadId: address.threadId,
      ns: address.ns,
      head: namespace.head ?? undefined,
      parent: address.checkpointId,
      id,
      source,
      again: this.archive.table.has(namespace.id, id),
      bringsInput: bringsInput(config, source, versions),
      revisits: isReplaying(config) || this.revisits.has(config, address),
    };
    if (mayAdvance(move)) {
      this.overtaken.forget(move.threadId, move.ns, id);
      return;
    }
    const stale = staleCheckpoint(move);
    if (this.concurrency === "enforce") throw this.overtake(move, stale);
    process.emitWarning(stale.message, StaleCheckpointError.name);
  }

  /** Those who wait for the checkpoint wait in vain. */
  private overtake({ threadId, ns, id }: Omit<Address, "checkpointId"> & { id: string }, error: StaleCheckpointError) {
    this.overtaken.note(threadId, ns, id, error);
    this.arrivals.announce(arrivalKey(threadId, ns, id));
    return error;
  }
}

/** What a read has found, to which it keeps while pieces are brought, so that a run does not take others' outcome for its own. */
interface Found {
  /** The newest checkpoint when it began. */
  head: string | undefined;
}

interface Brought {
  readonly config: RunnableConfig;
  readonly metadata: CheckpointMetadata;
  readonly versions: ChannelVersions | undefined;
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
