import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import type {
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";

interface Namespace {
  readonly tuples: Map<string, CheckpointTuple>;
  /** By checkpoint id, which may arrive later, and there by task and index. */
  readonly writes: Map<string, Map<string, CheckpointPendingWrite>>;
  head: string;
}

/**
 * The floor: keeps references to what it was given, in memory, and copies, serialises and compares nothing. What a run
 * takes with it is the graph's own cost. Right as long as nobody mutates a state in place, as in these benchmarks.
 */
export class ReferenceSaver extends BaseCheckpointSaver {
  private readonly threads = new Map<string, Map<string, Namespace>>();

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const namespace = this.namespace(config);
    return tupleAt(namespace, idOf(config) ?? namespace.head);
  }

  /** Newest first. */
  override async *list(config: RunnableConfig): AsyncGenerator<CheckpointTuple> {
    const namespace = this.namespace(config);
    for (const id of [...namespace.tuples.keys()].sort().reverse()) yield tupleAt(namespace, id)!;
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const namespace = this.namespace(config);
    const parent = idOf(config);
    const stored = configAt(config, checkpoint.id);
    namespace.tuples.set(checkpoint.id, {
      config: stored,
      checkpoint,
      metadata,
      ...(parent !== undefined && { parentConfig: configAt(config, parent) }),
    });
    if (checkpoint.id > namespace.head) namespace.head = checkpoint.id;
    return stored;
  }

  /** The first write of a task at an index is kept, the last one to a special channel. */
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const namespace = this.namespace(config);
    const id = idOf(config)!;
    const kept = namespace.writes.get(id) ?? new Map<string, CheckpointPendingWrite>();
    namespace.writes.set(id, kept);
    for (const [index, [channel, value]] of writes.entries()) {
      const special = WRITES_IDX_MAP[channel];
      const key = `${taskId} ${special ?? index}`;
      if (special !== undefined || !kept.has(key)) kept.set(key, [taskId, channel, value]);
    }
  }

  override async deleteThread(threadId: string): Promise<void> {
    this.threads.delete(threadId);
  }

  private namespace(config: RunnableConfig): Namespace {
    const { thread_id: thread, checkpoint_ns: ns = "" } = config.configurable as {
      thread_id: string;
      checkpoint_ns?: string;
    };
    const namespaces = this.threads.get(thread) ?? new Map<string, Namespace>();
    this.threads.set(thread, namespaces);
    const namespace = namespaces.get(ns) ?? { tuples: new Map(), writes: new Map(), head: "" };
    namespaces.set(ns, namespace);
    return namespace;
  }
}

function tupleAt({ tuples, writes }: Namespace, id: string): CheckpointTuple | undefined {
  const tuple = tuples.get(id);
  return tuple && { ...tuple, pendingWrites: [...(writes.get(id)?.values() ?? [])] };
}

function idOf(config: RunnableConfig): string | undefined {
  return (config.configurable as { checkpoint_id?: string } | undefined)?.checkpoint_id;
}

function configAt({ configurable }: RunnableConfig, id: string): RunnableConfig {
  const { thread_id, checkpoint_ns = "" } = configurable as { thread_id: string; checkpoint_ns?: string };
  return { configurable: { thread_id, checkpoint_ns, checkpoint_id: id } };
}
