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
import { neverStored, underExit } from "../checkpointer/durability.js";
import { configurableOf, levelsOf } from "../checkpointer/ids.js";
import { systemClock, toMilliseconds, type Duration } from "../shared/clock.js";
import { InvalidInputError } from "../shared/errors.js";
import { runningTask } from "../shared/langgraph.js";
import { knowsDurability } from "./barrier.js";
import { InFlight } from "./in-flight.js";

const NEEDED = ["getTuple", "list", "put", "putWrites", "deleteThread", "getNextVersion"] as const;
/** What some savers have beside LangGraph's interface. */
const PASSED_ON = ["setup", "prune", "deleteForRuns", "copyThread", "close", "end", "stop"] as const;

export interface DurableOptions {
  /** How long an effect waits for the checkpoints that name its visit; default 10 s. */
  readonly timeout?: Duration;
}

/**
 * Lets effects, approvals, memos and waits wait for what another checkpointer stores, without asking it again and again.
 *
 * LangGraph runs a node before the checkpoint that names its visit is stored. After a crash the visit would come back under
 * another identity. Every operation of this package waits for that checkpoint; with a SlimSaver by itself, with other savers
 * by reading until it is there. With `durable` it waits for the very call that stores it:
 *
 * - for the checkpoints of every level that keeps some (subgraphs, functional tasks), and for the writes that are under way,
 *   so that a functional task which has returned does not run again;
 * - for at most `timeout`; a checkpoint that could not be stored is told at once, with the cause;
 * - reads, writes and results are the inner saver's.
 *
 * A ledger is not part of it: `setLedger`, or the `ledger` option, says where effects are kept.
 *
 * @param saver any LangGraph.js checkpointer; a SlimSaver is returned as it is
 * @param options `timeout`
 * @throws InvalidInputError. Operations that wait throw NotDurableError
 * @example
 * const checkpointer = durable(SqliteSaver.fromConnString("agent.db"));
 * setLedger(ledgerOf(SlimSaver.fromConnString("effects.db")));
 */
export function durable(saver: BaseCheckpointSaver, options: DurableOptions = {}): BaseCheckpointSaver {
  const given: unknown = saver;
  const isSaver =
    typeof given === "object" && given !== null && NEEDED.every((name) => typeof saver[name] === "function");
  if (!isSaver) throw new InvalidInputError("durable needs a checkpointer, such as a SqliteSaver.");
  if (knowsDurability(saver)) return saver;
  return new DurableSaver(saver, toMilliseconds(options.timeout ?? "10s", "timeout"));
}

class DurableSaver extends BaseCheckpointSaver {
  private readonly inFlight = new InFlight();

  constructor(
    private readonly inner: BaseCheckpointSaver,
    private readonly timeoutMs: number,
  ) {
    super(inner.serde);
    const own = inner as unknown as Record<string, unknown>;
    for (const name of PASSED_ON) {
      const method = own[name];
      if (typeof method === "function") Object.defineProperty(this, name, { value: method.bind(inner) as unknown });
    }
  }

  /**
   * Resolves when the checkpoints that the running task hangs on are stored, and the writes that were under way.
   *
   * @throws NotDurableError
   */
  async whenDurable(config: RunnableConfig, options: { timeout?: Duration } = {}): Promise<void> {
    const timeoutMs = options.timeout === undefined ? this.timeoutMs : toMilliseconds(options.timeout, "timeout");
    const threadId = String(configurableOf(config).thread_id);
    if (runningTask(config)?.durability === "exit") throw underExit(threadId);
    const until = systemClock.now() + timeoutMs;
    const writes = this.inFlight.writesOf(threadId);
    for (const [ns, id] of Object.entries(levelsOf(config))) {
      const place = { threadId, ns, id };
      const left = (): number => Math.max(0, until - systemClock.now());
      if (await this.inFlight.stored(place, left(), () => this.isReadable(place))) continue;
      throw neverStored(threadId, ns, id, timeoutMs, this.inFlight.failureOf(place));
    }
    if (await this.inFlight.ended(writes, Math.max(0, until - systemClock.now()))) return;
    const [ns, id] = Object.entries(levelsOf(config)).at(-1) ?? ["", ""];
    throw neverStored(threadId, ns, id, timeoutMs);
  }

  private async isReadable({ threadId, ns, id }: { threadId: string; ns: string; id: string }): Promise<boolean> {
    const configurable = { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id };
    return (await this.inner.getTuple({ configurable })) !== undefined;
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread_id: threadId, checkpoint_ns: ns = "" } = configurableOf(config);
    const place = { threadId: String(threadId), ns: String(ns), id: checkpoint.id };
    return this.inFlight.putting(place, () => this.inner.put(config, checkpoint, metadata, newVersions));
  }

  override putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath?: string): Promise<void> {
    return this.inFlight.writing(String(configurableOf(config).thread_id), () =>
      this.inner.putWrites(config, writes, taskId, taskPath),
    );
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.inner.getTuple(config);
  }

  override list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    return this.inner.list(config, options);
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.inner.deleteThread(threadId);
    this.inFlight.forget(threadId);
  }

  override getNextVersion(current: number | undefined): number {
    return this.inner.getNextVersion(current);
  }

  override getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    return this.inner.getDeltaChannelHistory(options);
  }
}
