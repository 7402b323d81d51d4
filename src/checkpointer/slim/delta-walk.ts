import type { CheckpointPendingWrite, CheckpointTuple, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import type { Opened } from "./opened.js";
import { isUndefined } from "./values.js";
import { inOrder } from "./write-order.js";

/** What a DeltaChannel is rebuilt from, as far as the walk has come. */
class HistoryEntry {
  private readonly newestFirst: CheckpointPendingWrite[] = [];
  private seed: { readonly value: unknown } | undefined;

  add(write: CheckpointPendingWrite): void {
    this.newestFirst.push(write);
  }

  seedWith(value: unknown): void {
    this.seed = { value };
  }

  history(): DeltaChannelHistory {
    const writes = [...this.newestFirst].reverse();
    return this.seed === undefined ? { writes } : { writes, seed: this.seed.value };
  }
}

/** A walk from a checkpoint up its ancestors: the writes of each channel, down from the nearest that holds its value. */
export class DeltaWalk {
  private readonly entries: ReadonlyMap<string, HistoryEntry>;
  private readonly open: Set<string>;

  constructor(channels: readonly string[]) {
    this.entries = new Map(channels.map((channel) => [channel, new HistoryEntry()]));
    this.open = new Set(channels);
  }

  get isOver(): boolean {
    return this.open.size === 0;
  }

  async visit(tuple: CheckpointTuple, opened: Opened): Promise<void> {
    const writes = inOrder(tuple.pendingWrites ?? []).filter(([, channel]) => this.open.has(channel));
    for (const [, channel, value] of writes) opened.add(value, channel);
    const seeds = Object.entries(tuple.checkpoint.channel_values).filter(([channel, value]) =>
      this.isSeed(channel, value, opened),
    );
    await opened.decode((restore) => {
      for (const [task, channel, value] of writes.reverse()) {
        this.entries.get(channel)?.add([task, channel, restore(value)]);
      }
      for (const [channel, value] of seeds) {
        this.entries.get(channel)?.seedWith(restore(value));
        this.open.delete(channel);
      }
    });
  }

  private isSeed(channel: string, value: unknown, opened: Opened): boolean {
    if (!this.open.has(channel) || value === undefined) return false;
    const stub = opened.add(value, channel);
    return stub === undefined || !isUndefined(stub);
  }

  histories(): Record<string, DeltaChannelHistory> {
    return Object.fromEntries([...this.entries].map(([channel, entry]) => [channel, entry.history()]));
  }
}
