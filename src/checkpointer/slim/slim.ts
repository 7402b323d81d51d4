import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  DeltaChannelHistory,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { InvalidInputError } from "../../shared/errors.js";
import { CONTROL } from "../../shared/langgraph.js";
import type { ObjectStore } from "../../store/objects/object-store.js";
import { Classes } from "../classes.js";
import { configurableOf } from "../ids.js";
import { checkOptions, isRecord } from "../input.js";
import type { SlimSaverOptions } from "../saver.js";
import { setOwn } from "../tree.js";
import { DeltaWalk } from "./delta-walk.js";
import { Opened } from "./opened.js";
import type { Restore } from "./opened.js";
import { PieceStore } from "./piece-store.js";
import { Stubs } from "./stub.js";
import { Turns } from "./turns.js";
import { SlimValues } from "./values.js";
import { inOrder, ownIndexOf } from "./write-order.js";

export type SlimOptions = { readonly objects: ObjectStore } & Pick<
  SlimSaverOptions,
  "tenant" | "encryption" | "classes"
>;

const NEEDED = ["getTuple", "list", "put", "putWrites", "deleteThread", "getNextVersion"] as const;
/** What some savers have beside LangGraph's interface, and what hands out no values. */
const PASSED_ON = ["setup", "prune", "deleteForRuns", "close", "end", "stop"] as const;

/**
 * Makes any checkpointer slim: it keeps small stubs, and what is large of each value goes to an object store, each piece
 * once, however many checkpoints and threads hold it.
 *
 * - What LangGraph and the inner saver need for themselves stays as it is: ids, versions, metadata, and filters over them.
 * - Values come back as from a SlimSaver: BigInt, Date, NaN, typed arrays and messages as they were, data that look like
 *   a serializer's marks as data. A value that cannot be stored is refused, and nothing of it is stored.
 * - Pieces are stored before the inner saver is called. A process that dies between the two leaves the thread as it was.
 * - A piece is checked against its key when it is read. Missing or changed, it is a CorruptObjectError that names thread,
 *   checkpoint and key.
 * - What the inner saver held before comes back unchanged: put it around the database that you have. With `encryption`,
 *   what is not sealed is refused instead.
 * - Who may move a thread on, what `list` finds and what two writers do to each other is the inner saver's matter.
 *
 * `deleteThread` deletes what the inner saver holds. Objects stay: the wrapper cannot know who else refers to them.
 *
 * @param inner any LangGraph.js checkpointer: MemorySaver, SqliteSaver, PostgresSaver, your own
 * @param options `objects`: where the pieces go. `tenant`: part of every key, so that tenants share no object.
 *   `encryption`: seals pieces and stubs; metadata, ids and the names of channels stay in the clear. `classes`: classes of
 *   the application that come back as instances.
 * @throws InvalidInputError. Its methods throw what the inner saver throws; UnstorableValueError, ObjectsUnavailableError,
 *   CorruptObjectError, DecryptionError, SchemaVersionError
 * @example
 * const checkpointer = slim(SqliteSaver.fromConnString("agent.db"), { objects: fileObjects("agent-objects") });
 * const app = graph.compile({ checkpointer });
 */
export function slim(inner: BaseCheckpointSaver, options: SlimOptions): BaseCheckpointSaver {
  const isSaver = typeof inner === "object" && NEEDED.every((method) => typeof inner[method] === "function");
  if (!isSaver) throw new InvalidInputError("slim needs a checkpointer to wrap, such as a SqliteSaver.");
  if (!isRecord(options) || (options as Partial<SlimOptions>).objects === undefined) {
    throw new InvalidInputError("slim needs the option objects, an ObjectStore such as fileObjects(dir).");
  }
  checkOptions(options);
  return new SlimWrapper(inner, options);
}

class SlimWrapper extends BaseCheckpointSaver {
  private readonly values: SlimValues;
  private readonly stubs: Stubs;
  private readonly turns = new Turns();

  constructor(
    private readonly inner: BaseCheckpointSaver,
    { objects, tenant = "", encryption, classes }: SlimOptions,
  ) {
    super(inner.serde);
    this.stubs = new Stubs(tenant, encryption);
    this.values = new SlimValues(new PieceStore(objects, tenant, encryption), this.stubs, new Classes(classes));
    this.passOn(PASSED_ON);
    // What is sealed opens in no other thread.
    if (encryption === undefined) this.passOn(["copyThread"]);
  }

  private passOn(methods: readonly string[]): void {
    const inner = this.inner as unknown as Record<string, unknown>;
    for (const name of methods) {
      const method = inner[name];
      if (typeof method === "function") Object.defineProperty(this, name, { value: method.bind(inner) as unknown });
    }
  }

  override getNextVersion(current: number | undefined): number {
    return this.inner.getNextVersion(current);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await this.inner.getTuple(config);
    return tuple && this.restored(tuple, configurableOf(config).checkpoint_id === undefined);
  }

  override async *list(
    config: RunnableConfig,
    options?: CheckpointListOptions | null,
  ): AsyncGenerator<CheckpointTuple> {
    for await (const tuple of this.inner.list(config, options ?? undefined)) yield await this.restored(tuple, false);
  }

  /** @param goingOn whether a run is likely to go on from here */
  private async restored(tuple: CheckpointTuple, goingOn: boolean): Promise<CheckpointTuple> {
    const { checkpoint } = tuple;
    const opened = this.openedFor(tuple);
    const writes = tuple.pendingWrites && inOrder(tuple.pendingWrites);
    const values = Object.entries(checkpoint.channel_values);
    for (const [channel, value] of values) {
      for (const part of partsOf(checkpoint, channel, value)) opened.add(part, channel);
    }
    for (const [, channel, value] of writes ?? []) opened.add(value, channel);
    return opened.decode((restore) => {
      const { threadId, ns } = opened.checkpoint;
      const channels: Record<string, unknown> = {};
      for (const [channel, value] of values) {
        const key = goingOn ? channelKey(threadId, ns, channel) : undefined;
        const lifted = isLifted(checkpoint, channel, value);
        setOwn(channels, channel, lifted ? value.map((part) => restore(part)) : restore(value, key));
      }
      return {
        ...tuple,
        checkpoint: { ...checkpoint, channel_values: channels },
        ...(writes && { pendingWrites: restoredWrites(writes, restore) }),
      };
    });
  }

  private openedFor(tuple: CheckpointTuple): Opened {
    const checkpoint = { ...placeOf(tuple.config), checkpointId: tuple.checkpoint.id };
    return new Opened(this.values, (place) => this.stubs.acceptPlain(place), checkpoint);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, ns } = placeOf(config);
    const { result, stored } = this.values.encode((encoder) => {
      const stubs: Record<string, unknown> = {};
      for (const [channel, value] of Object.entries(checkpoint.channel_values)) {
        const key = channelKey(threadId, ns, channel);
        setOwn(stubs, channel, encoder.channel(value, { threadId, channel }, key));
      }
      return { ...checkpoint, channel_values: stubs };
    });
    return this.turns.take(threadId, stored, () => this.inner.put(config, result, metadata, newVersions));
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const { threadId } = placeOf(config);
    const { result, stored } = this.values.encode((encoder) =>
      writes.map(([channel, value], index): PendingWrite => {
        const place = [taskPath, ownIndexOf(channel) ?? index] as const;
        return [channel, encoder.write(value, { threadId, channel }, place)];
      }),
    );
    await this.turns.take(threadId, stored, () => this.inner.putWrites(config, result, taskId, taskPath));
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.turns.take(threadId, Promise.resolve(), () => this.inner.deleteThread(threadId));
  }

  /** Walks up the ancestors as LangGraph's own savers do, and fetches nothing of them but what is asked for. */
  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const walk = new DeltaWalk(options.channels);
    const start = walk.isOver ? undefined : await this.inner.getTuple(options.config);
    let next = start?.parentConfig;
    while (!walk.isOver && next !== undefined) {
      const tuple = await this.inner.getTuple(next);
      if (tuple === undefined) break;
      await walk.visit(tuple, this.openedFor(tuple));
      next = tuple.parentConfig;
    }
    return walk.histories();
  }
}

/** Whatever stands there: the inner saver says what it takes. */
function placeOf(config: RunnableConfig): { threadId: string; ns: string } {
  const { thread_id: thread, checkpoint_ns: ns = "" } = configurableOf(config);
  return { threadId: textOf(thread), ns: textOf(ns) };
}

function textOf(id: unknown): string {
  return typeof id === "string" ? id : JSON.stringify(id ?? null);
}

function restoredWrites(writes: readonly CheckpointPendingWrite[], restore: Restore): CheckpointPendingWrite[] {
  return writes.map(([task, channel, value]) => [task, channel, restore(value)]);
}

/** Before format 4, an inner saver makes the value of this channel itself: a list of what was written to it. */
function isLifted(checkpoint: Checkpoint, channel: string, value: unknown): value is unknown[] {
  return checkpoint.v < 4 && channel === CONTROL.tasks && Array.isArray(value);
}

function partsOf(checkpoint: Checkpoint, channel: string, value: unknown): readonly unknown[] {
  return isLifted(checkpoint, channel, value) ? value : [value];
}

function channelKey(threadId: string, ns: string, channel: string): string {
  return JSON.stringify([threadId, ns, channel]);
}
