import type { RunnableConfig } from "@langchain/core/runnables";
import { TASKS, compareWritesSortKeys, maxChannelVersion, writesSortKey } from "@langchain/langgraph-checkpoint";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { CONTROL, NULL_TASK_ID } from "../shared/langgraph.js";
import type { Store } from "../store/home.js";
import { CheckpointTable } from "../store/sqlite/checkpoints.js";
import type { CheckpointRow, Namespace, WriteRow } from "../store/sqlite/checkpoints.js";
import { ObjectTable } from "../store/sqlite/objects.js";
import { reading } from "./damage.js";
import { Luggage } from "./luggage.js";
import { bodyText, join, rootAt, shapeTree, split, storedOf } from "./shape.js";
import type { Stored } from "./shape.js";
import type { Tree } from "./tree.js";

/** How many characters of JSON may stand in a row; what is longer is an object of its own. */
const INLINE = { channel: 48, write: 256, metadata: 2048 } as const;
const LIST_PAGE = 64;
/** Versions stay whole numbers; the first one of a channel. */
const FIRST_VERSION = 1;

/** Checkpoints and writes to and from rows. Knows nothing of heads, leases or who may write. */
export class Archive {
  readonly table: CheckpointTable;
  private readonly luggage: Luggage;
  private collections: number | undefined;
  private newest: { namespace: number; id: string; stored: Stored } | undefined;

  constructor({ database, tenant }: Pick<Store, "database" | "tenant">) {
    this.table = new CheckpointTable(database, tenant);
    this.luggage = new Luggage(new ObjectTable(database, tenant));
  }

  storeCheckpoint(
    namespace: Namespace,
    parent: string | undefined,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions | undefined,
    run: string | undefined,
  ): void {
    const roots = this.rootsOf(namespace.id, parent, checkpoint, newVersions);
    const stored = split(checkpoint, roots);
    const row = {
      id: checkpoint.id,
      parent: parent ?? null,
      shape: this.luggage.intern(shapeTree(stored.shape)),
      body: bodyText(stored.body),
      metadata: JSON.stringify(this.luggage.store(metadata, "The metadata", INLINE.metadata)),
    };
    this.table.insert(namespace.id, row, run);
    this.newest = { namespace: namespace.id, id: checkpoint.id, stored };
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
  ): Map<string, Tree> {
    const roots = new Map<string, Tree>();
    for (const [channel, value] of Object.entries(checkpoint.channel_values)) {
      const versions = checkpoint.channel_versions;
      const version = Object.hasOwn(versions, channel) ? versions[channel] : undefined;
      const moved = newVersions === undefined || version === undefined || Object.hasOwn(newVersions, channel);
      const encode = (): Tree => this.luggage.store(value, `Channel "${channel}"`, INLINE.channel);
      const root = moved ? encode() : this.unmovedRoot(namespace, parent, { channel, version, encode });
      if (root !== undefined) roots.set(channel, root);
    }
    return roots;
  }

  /**
   * Usually the parent has it. A copied checkpoint has another parent than the one it was copied from; other forks may
   * have given the same version to other values, so there the value at hand is stored.
   */
  private unmovedRoot(
    namespace: number,
    parent: string | undefined,
    { channel, version, encode }: { channel: string; version: number | string; encode: () => Tree },
  ): Tree | undefined {
    const fromParent = parent === undefined ? undefined : this.storedAt(namespace, parent);
    const root = fromParent === undefined ? undefined : rootAt(fromParent, channel, version);
    if (root !== undefined) return root;
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

  storedIn(row: CheckpointRow): Stored {
    return reading(`Checkpoint ${row.id}`, () => storedOf(this.luggage.load(row.shape), row.body));
  }

  *rows(namespace: number, before: string | undefined, only: string | undefined): Generator<CheckpointRow> {
    if (only !== undefined) {
      const row = this.table.checkpoint(namespace, only);
      if (row !== undefined && (before === undefined || row.id < before)) yield row;
      return;
    }
    let from = before;
    for (;;) {
      const page = this.table.older(namespace, from, LIST_PAGE);
      yield* page;
      if (page.length < LIST_PAGE) return;
      from = page.at(-1)?.id;
    }
  }

  /** @throws CorruptObjectError */
  tuple(namespace: Namespace, row: CheckpointRow): CheckpointTuple {
    return reading(`Checkpoint ${row.id} of thread "${namespace.thread}"`, () => this.tupleOf(namespace, row));
  }

  private tupleOf(namespace: Namespace, row: CheckpointRow): CheckpointTuple {
    const checkpoint = join(row.id, this.storedIn(row), (root) => this.luggage.restore(root));
    if (checkpoint.v < 4 && row.parent !== null) this.liftPendingSends(namespace.id, row.parent, checkpoint);
    const tuple: CheckpointTuple = {
      config: configOf(namespace.thread, namespace.ns, row.id),
      checkpoint,
      metadata: this.restoreText(row.metadata) as CheckpointMetadata,
      pendingWrites: this.pendingWrites(namespace.id, row.id),
    };
    if (row.parent !== null) tuple.parentConfig = configOf(namespace.thread, namespace.ns, row.parent);
    return tuple;
  }

  /** Before format 4, sends stood in the writes of the parent; they belong into the channel. */
  private liftPendingSends(namespace: number, parent: string, checkpoint: Checkpoint): void {
    const sends = this.writesOf(namespace, parent).filter(({ channel }) => channel === TASKS);
    checkpoint.channel_values[TASKS] = sends.map(({ value }) => this.restoreText(value));
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : FIRST_VERSION;
  }

  /** What tasks wrote at a checkpoint, in LangGraph's order. @throws CorruptObjectError */
  pendingWrites(namespace: number, checkpoint: string): CheckpointPendingWrite[] {
    return this.writesOf(namespace, checkpoint).map(({ task, channel, value }) => [
      task,
      channel,
      this.restoreText(value),
    ]);
  }

  writesOf(namespace: number, checkpoint: string): WriteRow[] {
    const key = ({ path, task, idx }: WriteRow): ReturnType<typeof writesSortKey> => writesSortKey(path, task, idx);
    return this.table.writes(namespace, checkpoint).sort((a, b) => compareWritesSortKeys(key(a), key(b)));
  }

  restore(root: Tree): unknown {
    return this.luggage.restore(root);
  }

  /** @throws CorruptObjectError */
  restoreText(text: string): unknown {
    return reading("A stored value", () => this.luggage.restore(JSON.parse(text) as Tree));
  }

  /**
   * A task that has taken an answer, or asks, ends the answer that was given to nobody in particular (a plain
   * `Command({ resume })`): LangGraph forgets it in memory and would find it again in the store, so that the next
   * question would be answered with it.
   */
  endPlainAnswer(namespace: number, checkpoint: string, task: string, writes: readonly PendingWrite[]): void {
    if (task === NULL_TASK_ID) return;
    const asked = writes.some(([channel]) => channel === CONTROL.resume || channel === CONTROL.interrupt);
    if (asked) this.table.deleteWrite(namespace, checkpoint, NULL_TASK_ID, CONTROL.resume);
  }

  /** @throws UnstorableValueError naming the channel and path. */
  storeWrites(
    namespace: number,
    checkpoint: string,
    task: string,
    path: string,
    writes: readonly PendingWrite[],
  ): void {
    for (const [index, [channel, value]] of writes.entries()) {
      const tree = this.luggage.store(value, `The write to channel "${channel}"`, INLINE.write);
      this.table.insertWrite(namespace, checkpoint, {
        task,
        idx: (Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined) ?? index,
        channel,
        path,
        value: JSON.stringify(tree),
      });
    }
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
    this.table.forget();
    this.newest = undefined;
  }
}

export function configOf(threadId: string, ns: string, checkpointId: string): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: checkpointId } };
}
