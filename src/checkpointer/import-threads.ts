import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { InvalidInputError } from "../shared/errors.js";
import { storeOf } from "../store/home.js";
import { configOf } from "./archive.js";
import { threadIdOf } from "./ids.js";
import { importSourceOf } from "./import-source.js";
import type { ImportSource, SourceAddress } from "./import-source.js";
import { ImportTarget } from "./import-target.js";
import { checkCheckpoint, isRecord } from "./input.js";
import type { SlimSaver } from "./slim-saver.js";

/** How far an import has come; called after every checkpoint. */
export interface Progress {
  /** The thread that is being brought. */
  readonly thread: string;
  /** Threads that are done with, of all. */
  readonly threads: number;
  readonly of: number;
  /** Checkpoints that are done with, of all: those that were there already count too. */
  readonly checkpoints: number;
  readonly ofCheckpoints: number;
}

/** A thread of which nothing was brought, and why. */
export interface LeftThread {
  readonly thread: string;
  /**
   * `missing`: `from` has no such thread. `moved-on`: runs have continued it in `to`, and bringing more would mix two
   * histories. `deleted`: it was deleted in `to`; it comes back when it is asked for by name. `unreadable`: `from` cannot
   * read its newest checkpoint, and an older one must not stand in its place.
   */
  readonly why: "missing" | "moved-on" | "deleted" | "unreadable";
}

/** A checkpoint that `from` cannot read; the others of its thread were brought. */
export interface UnreadableCheckpoint {
  readonly thread: string;
  readonly ns: string;
  readonly id: string;
  readonly reason: string;
}

export interface ImportReport {
  /** Threads that are in `to` now. */
  readonly threads: number;
  /** Checkpoints that were brought over now, and those that an earlier import had brought. */
  readonly checkpoints: number;
  readonly alreadyThere: number;
  readonly left: readonly LeftThread[];
  readonly unreadable: readonly UnreadableCheckpoint[];
}

export interface ImportOptions {
  /** Only these threads; all that `from` has without it. */
  readonly threads?: readonly string[];
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Brings threads from another checkpointer into a SlimSaver, with all their checkpoints, writes and namespaces.
 *
 * - Ids stay, so that threads go on where they were; time travel and forks stay possible.
 * - Every checkpoint is read back and compared with what `from` gives, before it is committed.
 * - It can be broken off, or killed, and started again: what is there is left alone.
 * - One checkpoint at a time is in memory; of the others, addresses. `from` is only read.
 * - A thread that has moved on in `to`, or was deleted there, is left alone and reported.
 *
 * Stop the runs of a thread while it is brought over.
 *
 * @param from a checkpointer that lists, such as SqliteSaver or PostgresSaver
 * @param to the SlimSaver
 * @param options `threads`, `onProgress`
 * @throws InvalidInputError when `to` is no SlimSaver; ImportMismatchError when what was stored does not read as `from`
 *   gives it; UnstorableValueError; ThreadIdError; StaleFenceError when somebody holds a lease on a thread of `to`
 * @example await importThreads(SqliteSaver.fromConnString("old.db"), SlimSaver.fromConnString("agent.db"));
 */
export async function importThreads(
  from: BaseCheckpointSaver,
  to: SlimSaver,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const store = storeOf(to);
  if (store === undefined) throw new InvalidInputError("importThreads brings threads into a SlimSaver; `to` is none.");
  const named = options.threads && new Set(options.threads.map((thread) => threadIdOf(thread, "import a thread")));
  const source = await importSourceOf(from, named);
  return new Import(from, source, new ImportTarget(store), named, options.onProgress).run();
}

class Import {
  private readonly report = {
    ...{ threads: 0, checkpoints: 0, alreadyThere: 0 },
    ...{ left: [] as LeftThread[], unreadable: [] as UnreadableCheckpoint[] },
  };

  constructor(
    private readonly from: BaseCheckpointSaver,
    private readonly source: ImportSource,
    private readonly target: ImportTarget,
    private readonly named: ReadonlySet<string> | undefined,
    private readonly onProgress: (progress: Progress) => void = () => undefined,
  ) {}

  async run(): Promise<ImportReport> {
    const threads = await this.source.threads();
    const found = new Set(threads.map(({ thread }) => thread));
    for (const thread of this.named ?? []) if (!found.has(thread)) this.report.left.push({ thread, why: "missing" });
    const all = { of: threads.length, ofCheckpoints: threads.reduce((sum, { checkpoints }) => sum + checkpoints, 0) };
    let done = 0;
    for (const [index, { thread, checkpoints }] of threads.entries()) {
      const before = done;
      await this.bringThread(thread, (brought) => {
        this.onProgress({ thread, threads: index, checkpoints: before + brought, ...all });
      });
      done += checkpoints;
      this.onProgress({ thread, threads: index + 1, checkpoints: done, ...all });
    }
    return this.report;
  }

  private async bringThread(thread: string, tell: (brought: number) => void): Promise<void> {
    const addresses = [...(await this.source.addresses(thread))].sort(parentsFirst);
    const missing = addresses.filter((address) => !this.target.has(thread, address));
    const movedOn = this.hasMovedOn(thread, addresses);
    const why = missing.length === 0 ? undefined : await this.whyLeft(thread, addresses, movedOn);
    if (why !== undefined) {
      this.report.left.push({ thread, why });
      return;
    }
    const there = addresses.length - missing.length;
    this.report.alreadyThere += there;
    for (const [index, address] of missing.entries()) {
      await this.bring(thread, address);
      tell(there + index + 1);
    }
    if (!movedOn) await this.target.summarise(thread);
    this.report.threads += 1;
  }

  private hasMovedOn(thread: string, addresses: readonly SourceAddress[]): boolean {
    const head = this.target.head(thread);
    return head !== undefined && !addresses.some(({ ns, id }) => ns === "" && id === head);
  }

  private async whyLeft(
    thread: string,
    addresses: readonly SourceAddress[],
    movedOn: boolean,
  ): Promise<LeftThread["why"] | undefined> {
    if (movedOn) return "moved-on";
    if (this.target.isDeleted(thread) && this.named?.has(thread) !== true) return "deleted";
    for (const address of newestOfEach(addresses)) {
      const read = await this.read(thread, address);
      if (typeof read !== "string") continue;
      this.report.unreadable.push({ thread, ...address, reason: read });
      return "unreadable";
    }
    return undefined;
  }

  private async bring(thread: string, address: SourceAddress): Promise<void> {
    const tuple = await this.read(thread, address);
    if (tuple === undefined) return;
    if (typeof tuple === "string") {
      this.report.unreadable.push({ thread, ...address, reason: tuple });
      return;
    }
    await this.target.store(thread, address, tuple, await this.source.paths(thread, address));
    this.report.checkpoints += 1;
  }

  /** A checkpoint; why it cannot be read; or undefined when it is gone since it was listed. */
  private async read(thread: string, { ns, id }: SourceAddress): Promise<CheckpointTuple | string | undefined> {
    const config = configOf(thread, ns, id);
    try {
      const tuple = await this.from.getTuple(config).catch(() => this.readAgain(thread, config));
      return tuple === undefined ? undefined : checked(tuple);
    } catch (error) {
      if (error instanceof Unreadable) return error.message;
      throw error;
    }
  }

  /** When the other database itself does not answer, asking it for addresses fails too, and that is the error. */
  private async readAgain(thread: string, config: ReturnType<typeof configOf>): Promise<CheckpointTuple | undefined> {
    await this.source.addresses(thread);
    return this.from.getTuple(config).catch((error: unknown) => {
      throw new Unreadable(error instanceof Error ? error.message : String(error));
    });
  }
}

class Unreadable extends Error {}

/** The official savers put a text in the place of a checkpoint that they could not write. */
function checked(tuple: CheckpointTuple): CheckpointTuple {
  const { checkpoint, metadata } = tuple as { checkpoint: unknown; metadata?: unknown };
  if (typeof checkpoint === "string")
    throw new Unreadable(`in its place stands the text ${JSON.stringify(checkpoint)}`);
  if (metadata !== undefined && !isRecord(metadata)) throw new Unreadable("its metadata is not an object");
  try {
    checkCheckpoint(checkpoint, undefined);
  } catch (error) {
    throw new Unreadable((error as Error).message.replace(" Nothing was stored.", ""));
  }
  return tuple;
}

/** Within a namespace the oldest first; the root, which makes a thread a thread, after all that hangs on it. */
function parentsFirst(a: SourceAddress, b: SourceAddress): number {
  if ((a.ns === "") !== (b.ns === "")) return a.ns === "" ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

/** The newest address of each namespace, of addresses in the order of `parentsFirst`. */
function newestOfEach(addresses: readonly SourceAddress[]): Iterable<SourceAddress> {
  return new Map(addresses.map((address) => [address.ns, address])).values();
}
