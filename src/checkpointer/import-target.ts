import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { Store } from "../store/home.js";
import { MaintenanceTable } from "../store/sqlite/maintenance.js";
import { ThreadTable } from "../store/sqlite/threads.js";
import { Archive } from "./archive.js";
import { ImportMismatchError } from "./errors.js";
import type { SourceAddress } from "./import-source.js";
import { fingerprint, writesByTask } from "./import-tuple.js";
import { Leases } from "./lease.js";
import { stateOf } from "./position.js";
import { storing, whole } from "./whole.js";

/** The SlimSaver's database, written to beside the rules for runs: history is brought in as it was. */
export class ImportTarget {
  private readonly archive: Archive;
  /** Knows nothing of what the other one has written, so that it reads what is stored. */
  private readonly reader: Archive;
  private readonly threads: ThreadTable;
  private readonly upkeep: MaintenanceTable;

  constructor(private readonly home: Store) {
    this.archive = new Archive(home);
    this.reader = new Archive(home, undefined, this.archive.outside);
    this.upkeep = new MaintenanceTable(home.database, home);
    this.threads = new ThreadTable(home.database, home.tenant);
  }

  has(thread: string, { ns, id }: SourceAddress): boolean {
    const namespace = this.archive.table.namespace(thread, ns);
    return namespace !== undefined && this.archive.table.has(namespace.id, id);
  }

  /** The newest checkpoint of the thread's root. */
  head(thread: string): string | undefined {
    return this.archive.table.namespace(thread, "")?.head ?? undefined;
  }

  isDeleted(thread: string): boolean {
    return this.archive.table.isBuried(thread);
  }

  /**
   * Stores a checkpoint with its writes, reads it back and compares, all in one transaction: whatever is there was
   * compared, also after a crash.
   *
   * @throws ImportMismatchError, StaleFenceError when the thread belongs to somebody; nothing of the checkpoint was stored
   */
  async store(
    thread: string,
    address: SourceAddress,
    tuple: CheckpointTuple,
    paths: readonly string[] | undefined,
  ): Promise<void> {
    // Before it is handed on: what is stored may not differ from what was read.
    const expected = fingerprint(tuple);
    await this.write(() => {
      new Leases(this.home).guard({ threadId: thread, ns: address.ns });
      this.archive.table.unbury(thread);
      const namespace = this.insert(thread, address, tuple, paths);
      const row = this.reader.table.checkpoint(namespace.id, address.id);
      if (row === undefined || fingerprint(this.reader.tuple(namespace, row)) !== expected)
        throw mismatch(thread, address);
    });
  }

  private insert(
    thread: string,
    { ns, id }: SourceAddress,
    { checkpoint, metadata, parentConfig, pendingWrites = [] }: CheckpointTuple,
    paths: readonly string[] | undefined,
  ): ReturnType<Archive["table"]["ensureNamespace"]> {
    const parent = parentConfig?.configurable?.checkpoint_id as string | undefined;
    const given = metadata ?? { source: "loop", step: -1, parents: {} };
    const namespace = this.archive.table.ensureNamespace(thread, ns);
    this.archive.storeCheckpoint(namespace, parent, { ...checkpoint, id }, given, undefined, undefined);
    for (const { task, path, writes } of writesByTask(pendingWrites, paths)) {
      this.archive.storeWrites(namespace, id, task, path, writes);
    }
    // An older checkpoint that comes later, as after a prune, does not set the thread back.
    this.upkeep.renewHead(namespace.id);
    return namespace;
  }

  /** Puts the thread onto the list, as its newest checkpoint says. */
  async summarise(thread: string): Promise<void> {
    await whole(this.archive, () => {
      this.summariseNewest(thread);
    });
  }

  private summariseNewest(thread: string): void {
    const namespace = this.archive.table.namespace(thread, "");
    if (namespace === undefined || namespace.head === null) return;
    const row = this.archive.table.checkpoint(namespace.id, namespace.head);
    if (row === undefined) return;
    const tuple = this.archive.tuple(namespace, row);
    const at = Date.parse(tuple.checkpoint.ts);
    this.threads.summarise(thread, {
      state: stateOf(tuple),
      step: tuple.metadata?.step,
      at: Number.isNaN(at) ? this.home.clock.now() : at,
    });
  }

  private async write(work: () => void): Promise<void> {
    try {
      await storing(this.home.database, this.archive, () => {
        this.reader.noticeCollections();
        work();
      });
    } catch (error) {
      this.reader.forget();
      throw error;
    }
  }
}

function mismatch(thread: string, { ns, id }: SourceAddress): ImportMismatchError {
  return new ImportMismatchError(
    `Checkpoint ${id} of thread "${thread}" does not read back as the other checkpointer gives it, so it was not ` +
      `stored. What was brought before stays, and a new import goes on from here. Please report this with the kinds of ` +
      `values in the thread's state.`,
    { details: { threadId: thread, checkpointNs: ns, checkpointId: id } },
  );
}
