import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointTuple, PendingWrite } from "@langchain/langgraph-checkpoint";
import { InvalidInputError } from "../shared/errors.js";
import { storeOf } from "../store/home.js";
import type { Store } from "../store/home.js";
import { MaintenanceTable } from "../store/sqlite/maintenance.js";
import { ThreadTable } from "../store/sqlite/threads.js";
import { Archive, configOf } from "./archive.js";
import { ImportMismatchError } from "./errors.js";
import { threadIdOf } from "./ids.js";
import { storing, whole } from "./whole.js";
import { stateOf } from "./position.js";
import type { SlimSaver } from "./slim-saver.js";

/** How far an import has come; `thread` is the one that was finished last. */
export interface Progress {
  readonly thread: string;
  readonly threads: number;
  readonly of: number;
  readonly checkpoints: number;
}

export interface ImportReport {
  readonly threads: number;
  /** Checkpoints that were brought over now, and those that an earlier import had brought. */
  readonly checkpoints: number;
  readonly alreadyThere: number;
}

export interface ImportOptions {
  /** Only these threads; all that `from` lists without it. */
  readonly threads?: readonly string[];
  readonly onProgress?: (progress: Progress) => void;
}

interface Address {
  readonly thread: string;
  readonly ns: string;
  readonly id: string;
}

/**
 * Brings threads from another checkpointer into a SlimSaver, with all their checkpoints, writes and namespaces.
 *
 * - Ids stay, so that threads go on where they were; time travel and forks stay possible.
 * - Every checkpoint is read back and compared with what `from` gives.
 * - It can be broken off and started again: what is there is left alone.
 *
 * Stop the runs of a thread while it is brought over.
 *
 * @param from a checkpointer that lists, such as SqliteSaver or PostgresSaver
 * @param to the SlimSaver
 * @param options `threads`, `onProgress`
 * @throws InvalidInputError when `to` is no SlimSaver; ImportMismatchError when what was stored does not read as `from`
 *   gives it; UnstorableValueError
 * @example await importThreads(SqliteSaver.fromConnString("old.db"), SlimSaver.fromConnString("agent.db"));
 */
export async function importThreads(
  from: BaseCheckpointSaver,
  to: SlimSaver,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const store = storeOf(to);
  if (store === undefined) throw new InvalidInputError("importThreads brings threads into a SlimSaver; `to` is none.");
  const target = new Target(store, to);
  const threads = await addressesOf(
    from,
    options.threads?.map((thread) => threadIdOf(thread, "import a thread")),
  );
  const report = { threads: 0, checkpoints: 0, alreadyThere: 0 };
  for (const [thread, addresses] of threads) {
    for (const address of addresses) {
      if (target.has(address)) report.alreadyThere += 1;
      else report.checkpoints += await bring(from, target, address);
    }
    await target.summarise(thread, addresses.at(-1));
    report.threads += 1;
    options.onProgress?.({ thread, threads: report.threads, of: threads.size, checkpoints: report.checkpoints });
  }
  return report;
}

/** Every checkpoint's address by thread, oldest first. */
async function addressesOf(
  from: BaseCheckpointSaver,
  threads: readonly string[] | undefined,
): Promise<Map<string, Address[]>> {
  const configs = threads?.map((thread_id): RunnableConfig => ({ configurable: { thread_id } })) ?? [{}];
  const found = new Map<string, Address[]>();
  for (const config of configs) {
    for await (const tuple of from.list(config)) {
      const address = addressOf(tuple);
      const others = found.get(address.thread) ?? [];
      others.push(address);
      found.set(address.thread, others);
    }
  }
  for (const addresses of found.values()) addresses.sort(byId);
  return found;
}

function addressOf({ config }: CheckpointTuple): Address {
  const { thread_id, checkpoint_ns = "", checkpoint_id } = (config.configurable ?? {}) as Record<string, string>;
  return { thread: threadIdOf(thread_id, "import a thread"), ns: checkpoint_ns, id: checkpoint_id ?? "" };
}

/** The root namespace last among equals, so that the last address of a thread is its newest root checkpoint. */
function byId(a: Address, b: Address): number {
  if ((a.ns === "") !== (b.ns === "")) return a.ns === "" ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

async function bring(from: BaseCheckpointSaver, target: Target, address: Address): Promise<number> {
  const config = configOf(address.thread, address.ns, address.id);
  const tuple = await from.getTuple(config);
  if (tuple === undefined) return 0;
  // Before it is handed on: what is stored may not differ from what was read.
  const expected = fingerprint(tuple);
  await target.store(address, tuple);
  const stored = await target.read(config);
  if (stored === undefined || fingerprint(stored) !== expected) {
    await target.remove(address);
    throw new ImportMismatchError(
      `Checkpoint ${address.id} of thread "${address.thread}" does not read back as the other checkpointer gives it, so it ` +
        `was taken out again. What was brought before stays, and a new import goes on from here. Please report this with the kinds of ` +
        `values in the thread's state.`,
      { details: { threadId: address.thread, checkpointNs: address.ns, checkpointId: address.id } },
    );
  }
  return 1;
}

/** Channels and nodes have no order: each checkpointer names them in its own. What they hold is compared as it stands. */
function fingerprint({ checkpoint, metadata, parentConfig, pendingWrites = [] }: CheckpointTuple): string {
  const { v, id, ts, channel_values: values, channel_versions: versions, versions_seen: seen } = checkpoint;
  const seenByNode = Object.entries(seen).map(([node, channels]) => [node, byName(channels)] as const);
  const state = [byName(values), byName(versions), byName(Object.fromEntries(seenByNode))];
  const writes = [...pendingWrites].map((write) => JSON.stringify(write)).sort();
  return JSON.stringify([v, id, ts, state, metadata, parentConfig?.configurable?.checkpoint_id, writes]);
}

function byName(record: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The SlimSaver's database, written to beside the rules for runs: history is brought in as it was. */
class Target {
  private readonly archive: Archive;
  private readonly threads: ThreadTable;
  private readonly upkeep: MaintenanceTable;

  constructor(
    private readonly home: Store,
    private readonly saver: SlimSaver,
  ) {
    this.archive = new Archive(home);
    this.upkeep = new MaintenanceTable(home.database, home);
    this.threads = new ThreadTable(home.database, home.tenant);
  }

  has({ thread, ns, id }: Address): boolean {
    const namespace = this.archive.table.namespace(thread, ns);
    return namespace !== undefined && this.archive.table.has(namespace.id, id);
  }

  async store(
    { thread, ns, id }: Address,
    { checkpoint, metadata, parentConfig, pendingWrites = [] }: CheckpointTuple,
  ): Promise<void> {
    const parent = parentConfig?.configurable?.checkpoint_id as string | undefined;
    await this.write(() => {
      this.archive.table.unbury(thread);
      const namespace = this.archive.table.ensureNamespace(thread, ns);
      const given = metadata ?? { source: "loop", step: -1, parents: {} };
      this.archive.storeCheckpoint(namespace, parent, { ...checkpoint, id }, given, undefined, undefined);
      for (const [task, writes] of byTask(pendingWrites)) this.archive.storeWrites(namespace, id, task, "", writes);
    });
  }

  read(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.saver.getTuple(config);
  }

  async remove({ thread, ns, id }: Address): Promise<void> {
    await this.write(() => {
      const namespace = this.archive.table.ensureNamespace(thread, ns);
      this.archive.deleteCheckpoint(namespace.id, id);
      const [newest] = this.archive.rows(namespace.id, undefined, undefined);
      this.upkeep.setHead(namespace.id, newest?.id);
    });
  }

  async summarise(thread: string, newest: Address | undefined): Promise<void> {
    await whole(this.archive, () => {
      this.summariseAt(thread, newest);
    });
  }

  private summariseAt(thread: string, newest: Address | undefined): void {
    const namespace = this.archive.table.namespace(thread, "");
    const row = namespace && newest && this.archive.table.checkpoint(namespace.id, newest.id);
    if (namespace === undefined || row === undefined) return;
    const tuple = this.archive.tuple(namespace, row);
    const at = Date.parse(tuple.checkpoint.ts);
    const state = stateOf(tuple);
    this.threads.summarise(thread, {
      state,
      step: tuple.metadata?.step,
      at: Number.isNaN(at) ? this.home.clock.now() : at,
    });
  }

  private async write(work: () => void): Promise<void> {
    await storing(this.home.database, this.archive, work);
  }
}

/** The writes of each task, in the order in which they were made. */
function byTask(pendingWrites: readonly [string, string, unknown][]): Map<string, PendingWrite[]> {
  const tasks = new Map<string, PendingWrite[]>();
  for (const [task, channel, value] of pendingWrites) {
    const writes = tasks.get(task) ?? [];
    writes.push([channel, value]);
    tasks.set(task, writes);
  }
  return tasks;
}
