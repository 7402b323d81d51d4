import type { RunnableConfig } from "@langchain/core/runnables";
import {
  TASKS,
  WRITES_IDX_MAP,
  compareWritesSortKeys,
  maxChannelVersion,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { CONTROL, NULL_TASK_ID } from "../shared/langgraph.js";
import type { Store } from "../store/home.js";
import { CheckpointTable } from "../store/sqlite/checkpoints.js";
import type { CheckpointRow, Namespace, TaskRow } from "../store/sqlite/checkpoints.js";
import { IdentityTable } from "../store/sqlite/identities.js";
import { ObjectTable } from "../store/sqlite/objects.js";
import { fitted, join, rootAt, shapeOf, shapeTree, split } from "./body.js";
import type { Stored } from "./body.js";
import { checkpointBytes, readCheckpoint } from "./checkpoint-row.js";
import type { CheckpointParts } from "./checkpoint-row.js";
import { Classes } from "./classes.js";
import { reading } from "./damage.js";
import { Luggage } from "./luggage.js";
import { joinMetadata, splitMetadata } from "./metadata-row.js";
import { Outside } from "./outside.js";
import { newestFirst } from "./newest-first.js";
import { ThreadPacks } from "./thread-packs.js";
import type { Tree } from "./tree.js";
import { joinWrites, merged, readWrites, writeBytes, writesShape } from "./write-row.js";
import type { StoredWrite } from "./write-row.js";

/** How many packed bytes may stand in a row; what is longer is an object of its own. */
const INLINE = { channel: 32, write: 192, metadata: 16 } as const;
/** An unmoved channel of which this much stands in each row is worth an object when it comes a third time. */
const REPEATED_INLINE = 12;
/** Versions stay whole numbers; the first one of a channel. */
const FIRST_VERSION = 1;

/** What was stored last, to go on from without reading it. */
interface Newest {
  readonly namespace: number;
  readonly id: string;
  readonly stored: Stored;
  /** Channels whose root was taken over from the checkpoint before. */
  readonly unmoved: ReadonlySet<string>;
}

/** A write as LangGraph sorts and reads it. */
interface TaskWrite extends StoredWrite {
  readonly task: string;
}

/** Checkpoints and writes to and from rows. Knows nothing of heads, leases or who may write. */
export class Archive {
  readonly table: CheckpointTable;
  /** Of a store with a place for large contents. */
  readonly outside: Outside | undefined;
  private readonly luggage: Luggage;
  private readonly objects: ObjectTable;
  private readonly packs: ThreadPacks;
  private collections: number | undefined;
  private newest: Newest | undefined;

  /** @param outside that of another archive of the same store, for two that work in one transaction */
  constructor(store: Store, classes = new Classes(), outside?: Outside) {
    const { database } = store;
    this.table = new CheckpointTable(database, store);
    this.objects = new ObjectTable(database, store);
    this.packs = new ThreadPacks(this.objects, this.table, store.encryption === undefined);
    this.luggage = new Luggage(this.objects, new IdentityTable(database, store), classes, this.packs);
    this.outside = outside ?? (store.objects && new Outside(store, store.objects));
    this.outside?.serve(this.objects, () => {
      this.forget();
    });
  }

  storeCheckpoint(
    namespace: Namespace,
    parent: string | undefined,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions | undefined,
    run: string | undefined,
  ): void {
    this.packs.within(namespace, () => {
      this.insertCheckpoint(namespace, parent, checkpoint, metadata, newVersions, run);
    });
  }

  private insertCheckpoint(
    namespace: Namespace,
    parent: string | undefined,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions | undefined,
    run: string | undefined,
  ): void {
    const { roots, unmoved } = this.rootsOf(namespace.id, parent, checkpoint, newVersions);
    const stored = split(checkpoint, roots);
    const { template, numbers } = splitMetadata(this.luggage.encode(metadata, "The metadata"));
    const body = checkpointBytes(checkpoint.id, {
      parent,
      shape: this.luggage.intern(shapeTree(stored.shape)),
      metadata: this.luggage.outsized(template, INLINE.metadata),
      numbers,
      body: stored.body,
    });
    this.table.insert(namespace.id, { id: checkpoint.id, body }, run);
    this.newest = { namespace: namespace.id, id: checkpoint.id, stored, unmoved };
  }

  /**
   * The roots of the channels to keep. A channel that `newVersions` names is stored as it is now; one whose version did
   * not move keeps the root that was stored at that version, and is dropped when none was (as in PostgresSaver).
   */
  private rootsOf(
    namespace: number,
    parent: string | undefined,
    checkpoint: Checkpoint,
    newVersions: ChannelVersions | undefined,
  ): { roots: Map<string, Tree>; unmoved: Set<string> } {
    const roots = new Map<string, Tree>();
    const unmoved = new Set<string>();
    const versions = checkpoint.channel_versions;
    for (const [channel, value] of Object.entries(checkpoint.channel_values)) {
      const version = Object.hasOwn(versions, channel) ? versions[channel] : undefined;
      const moved = newVersions === undefined || version === undefined || Object.hasOwn(newVersions, channel);
      const encode = (): Tree => this.encodeChannel(namespace, channel, value);
      const root = moved ? encode() : this.unmovedRoot(namespace, parent, { channel, version, encode }, unmoved);
      if (root !== undefined) roots.set(channel, root);
    }
    return { roots, unmoved };
  }

  private encodeChannel(namespace: number, channel: string, value: unknown): Tree {
    return this.luggage.store(value, `Channel "${channel}"`, INLINE.channel, channelKey(namespace, channel));
  }

  /**
   * Usually the parent has it. A copied checkpoint has another parent than the one it was copied from; other forks may
   * have given the same version to other values, so there the value at hand is stored.
   */
  private unmovedRoot(
    namespace: number,
    parent: string | undefined,
    { channel, version, encode }: { channel: string; version: number | string; encode: () => Tree },
    unmoved: Set<string>,
  ): Tree | undefined {
    const fromParent = parent === undefined ? undefined : this.storedAt(namespace, parent);
    const root = fromParent === undefined ? undefined : rootAt(fromParent, channel, version);
    if (root !== undefined) {
      unmoved.add(channel);
      const again = this.newest !== undefined && this.newest.id === parent && this.newest.unmoved.has(channel);
      return again ? this.luggage.outsized(root, REPEATED_INLINE) : root;
    }
    for (const row of this.rows(namespace, undefined, undefined)) {
      if (rootAt(this.storedIn(row), channel, version) !== undefined) return encode();
    }
    return undefined;
  }

  private storedAt(namespace: number, id: string): Stored | undefined {
    if (this.newest?.namespace === namespace && this.newest.id === id) return this.newest.stored;
    const row = this.table.checkpoint(namespace, id);
    return row === undefined ? undefined : this.storedIn(row);
  }

  /** @throws CorruptObjectError */
  partsOf(row: CheckpointRow): CheckpointParts {
    return reading(`Checkpoint ${row.id}`, () => readCheckpoint(row.id, row.body));
  }

  /** @throws CorruptObjectError */
  storedIn(row: CheckpointRow): Stored {
    return this.storedOf(row.id, this.partsOf(row));
  }

  private storedOf(id: string, { shape, body }: CheckpointParts): Stored {
    return reading(`Checkpoint ${id}`, () => fitted(shapeOf(this.luggage.load(shape)), body));
  }

  /** @throws CorruptObjectError */
  metadataOf(row: CheckpointRow, parts = this.partsOf(row)): CheckpointMetadata {
    return reading(`Checkpoint ${row.id}`, () => {
      const template = this.luggage.resolved(parts.metadata);
      return this.luggage.restore(joinMetadata({ template, numbers: parts.numbers })) as CheckpointMetadata;
    });
  }

  *rows(namespace: number, before: string | undefined, only: string | undefined): Generator<CheckpointRow> {
    if (only === undefined) {
      yield* newestFirst(this.table, namespace, before);
      return;
    }
    const row = this.table.checkpoint(namespace, only);
    if (row !== undefined && (before === undefined || row.id < before)) yield row;
  }

  /** The same for rows that follow each other, with one look at what was written at all of them. */
  tuples(namespace: Namespace, rows: readonly CheckpointRow[]): CheckpointTuple[] {
    const ids = rows.map(({ id }) => id);
    const written = this.table.taskRowsOf(namespace.id, ids);
    return rows.map((row) =>
      reading(`Checkpoint ${row.id} of thread "${namespace.thread}"`, () =>
        this.tupleOf(namespace, row, false, written.get(row.id) ?? []),
      ),
    );
  }

  /**
   * @param goingOn whether a run is likely to go on from here: its channels are then compared and not encoded again
   * @throws CorruptObjectError
   */
  tuple(namespace: Namespace, row: CheckpointRow, goingOn = false): CheckpointTuple {
    const written = this.table.taskRows(namespace.id, row.id);
    return reading(`Checkpoint ${row.id} of thread "${namespace.thread}"`, () =>
      this.tupleOf(namespace, row, goingOn, written),
    );
  }

  private tupleOf(
    namespace: Namespace,
    row: CheckpointRow,
    goingOn: boolean,
    written: readonly TaskRow[],
  ): CheckpointTuple {
    const parts = this.partsOf(row);
    const { parent } = parts;
    const restore = (root: Tree, channel: string): unknown =>
      goingOn ? this.luggage.restoreChannel(root, channelKey(namespace.id, channel)) : this.luggage.restore(root);
    const checkpoint = join(row.id, this.storedOf(row.id, parts), restore);
    if (checkpoint.v < 4 && parent !== undefined) this.liftPendingSends(namespace.id, parent, checkpoint);
    const tuple: CheckpointTuple = {
      config: configOf(namespace.thread, namespace.ns, row.id),
      checkpoint,
      metadata: this.metadataOf(row, parts),
      pendingWrites: this.restoredWrites(written),
    };
    if (parent !== undefined) tuple.parentConfig = configOf(namespace.thread, namespace.ns, parent);
    return tuple;
  }

  /** Before format 4, sends stood in the writes of the parent; they belong into the channel. */
  private liftPendingSends(namespace: number, parent: string, checkpoint: Checkpoint): void {
    const sends = this.writesOf(namespace, parent).filter(({ channel }) => channel === TASKS);
    checkpoint.channel_values[TASKS] = sends.map(({ value }) => this.restore(value));
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : FIRST_VERSION;
  }

  /** What tasks wrote at a checkpoint, in LangGraph's order. @throws CorruptObjectError */
  pendingWrites(namespace: number, checkpoint: string): CheckpointPendingWrite[] {
    return this.restoredWrites(this.table.taskRows(namespace, checkpoint));
  }

  private restoredWrites(rows: readonly TaskRow[]): CheckpointPendingWrite[] {
    return this.sortedWrites(rows).map(({ task, channel, value }) => [task, channel, this.restore(value)]);
  }

  /** @throws CorruptObjectError */
  writesOf(namespace: number, checkpoint: string): TaskWrite[] {
    return this.sortedWrites(this.table.taskRows(namespace, checkpoint));
  }

  /** What is in rows of writes, in LangGraph's order. @throws CorruptObjectError */
  sortedWrites(rows: readonly TaskRow[]): TaskWrite[] {
    const key = ({ path, task, idx }: TaskWrite): ReturnType<typeof writesSortKey> => writesSortKey(path, task, idx);
    return rows
      .flatMap(({ task, body }) => this.storedWrites(body).map((write) => ({ ...write, task })))
      .sort((a, b) => compareWritesSortKeys(key(a), key(b)));
  }

  /** @throws CorruptObjectError */
  storedWrites(body: unknown): StoredWrite[] {
    return reading("A stored write", () => {
      const { shape, values } = readWrites(body);
      return joinWrites(this.luggage.load(shape), values);
    });
  }

  /** @throws CorruptObjectError */
  restore(root: Tree): unknown {
    return reading("A stored value", () => this.luggage.restore(root));
  }

  /**
   * A task that has taken an answer, or asks, ends the answer that was given to nobody in particular (a plain
   * `Command({ resume })`): LangGraph forgets it in memory and would find it again in the store, so that the next
   * question would be answered with it.
   */
  endPlainAnswer(namespace: number, checkpoint: string, task: string, writes: readonly PendingWrite[]): void {
    if (task === NULL_TASK_ID) return;
    const asked = writes.some(([channel]) => channel === CONTROL.resume || channel === CONTROL.interrupt);
    if (!asked) return;
    const row = this.table.taskRow(namespace, checkpoint, NULL_TASK_ID);
    if (row === undefined) return;
    const left = this.storedWrites(row.body).filter(({ channel }) => channel !== CONTROL.resume);
    if (left.length === 0) this.table.deleteTaskRow(namespace, checkpoint, NULL_TASK_ID);
    else this.setWrites(namespace, checkpoint, NULL_TASK_ID, left);
  }

  /** @throws UnstorableValueError naming the channel and path. */
  storeWrites(
    namespace: Namespace,
    checkpoint: string,
    task: string,
    path: string,
    writes: readonly PendingWrite[],
  ): void {
    this.packs.within(namespace, () => {
      const given = writes.map(([channel, value], index) => ({
        idx: (Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined) ?? index,
        channel,
        path,
        value: this.luggage.store(value, `The write to channel "${channel}"`, INLINE.write),
      }));
      const row = this.table.taskRow(namespace.id, checkpoint, task);
      const all = merged(row === undefined ? [] : this.storedWrites(row.body), given);
      if (all.length > 0) this.setWrites(namespace.id, checkpoint, task, all);
    });
  }

  private setWrites(namespace: number, checkpoint: string, task: string, writes: readonly StoredWrite[]): void {
    const shape = this.luggage.intern(writesShape(writes));
    const body = writeBytes({ shape, values: writes.map(({ value }) => value) });
    this.table.setTaskRow(namespace, checkpoint, task, body);
  }

  /** Removes a checkpoint with its writes; returns how many those were. */
  deleteCheckpoint(namespace: number, id: string): { writes: number } {
    const writes = this.writesOf(namespace, id).length;
    this.table.deleteCheckpoint(namespace, id);
    return { writes };
  }

  /** Call first in a transaction that writes: ids that another process has collected must not be used again. */
  noticeCollections(): void {
    const collections = this.table.collections();
    if (this.collections !== undefined && this.collections !== collections) this.forget();
    this.collections = collections;
  }

  /** Forgets what was cached: after a rollback, ids may name other rows. */
  forget(): void {
    this.luggage.forget();
    this.objects.forget();
    this.newest = undefined;
  }
}

export function configOf(threadId: string, ns: string, checkpointId: string): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: checkpointId } };
}

function channelKey(namespace: number, channel: string): string {
  return `${namespace} ${channel}`;
}
