import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { toMilliseconds } from "../shared/clock.js";
import { InvalidInputError } from "../shared/errors.js";
import { CONTROL } from "../shared/langgraph.js";
import type { Store } from "../store/home.js";
import type { CheckpointRow, Namespace } from "../store/sqlite/checkpoints.js";
import { MaintenanceTable } from "../store/sqlite/maintenance.js";
import type { TaskBody } from "../store/sqlite/maintenance.js";
import { ObjectTable } from "../store/sqlite/objects.js";
import { OutsideTable } from "../store/sqlite/outside.js";
import { ThreadTable } from "../store/sqlite/threads.js";
import { forgetVisits } from "../store/sqlite/visits.js";
import type { Archive } from "./archive.js";
import type { Artifacts } from "./artifacts.js";
import { threadIdOf } from "./ids.js";
import { Leases } from "./lease.js";
import { stateOf } from "./position.js";
import { orphans } from "./orphans.js";
import { isLive, kept } from "./retention.js";
import type { Candidate, Keep, Policy, PruneOptions, PruneReport } from "./retention.js";

const NOTHING: PruneReport = { namespaces: 0, checkpoints: 0, writes: 0, objects: 0, bytes: 0 };

/** Of a task's id, which is a UUID. */
const TASK_ID_LENGTH = 36;

/** Of a thread that has no checkpoint. */
const NO_SUMMARY = { state: null, step: undefined, at: 0 } as const;

/** Thrown to roll a rehearsal back. */
class Rehearsed extends Error {
  constructor(readonly report: PruneReport) {
    super("rehearsed");
  }
}

/** Removes and copies what is more than one checkpoint; the saver's daily work does not pass here. */
export class Upkeep {
  private readonly table: MaintenanceTable;
  private readonly objects: ObjectTable;
  private readonly threads: ThreadTable;
  private readonly leases: Leases;
  private readonly outside: OutsideTable;

  constructor(
    private readonly store: Store,
    private readonly archive: Archive,
    private readonly artifacts: Pick<Artifacts, "release" | "copy">,
  ) {
    this.table = new MaintenanceTable(store.database, store);
    this.threads = new ThreadTable(store.database, store.tenant);
    this.objects = new ObjectTable(store.database, store);
    this.leases = new Leases(store);
    this.outside = new OutsideTable(store.database, store.tenant);
  }

  prune(options: PruneOptions): PruneReport {
    const policy = policyOf(options, this.store.clock.now());
    const { threads: named } = options as { threads?: unknown };
    if (named !== undefined && !Array.isArray(named))
      throw new InvalidInputError("prune's threads must be a list of ids.");
    const threads = options.threads?.map((thread) => threadIdOf(thread, "prune a thread")) ?? this.threadIds();
    const work = (): PruneReport => {
      const removed = threads.map((thread) => this.pruneThread(thread, policy)).reduce(sum, NOTHING);
      this.archive.outside?.assertComplete();
      const report = sum(removed, this.collect());
      if (options.dryRun === true) throw new Rehearsed(report);
      return report;
    };
    return this.rehearsable(work);
  }

  deleteThread(thread: string): void {
    this.store.database.transaction(() => {
      for (const { id } of this.archive.table.namespaces({ thread, ns: undefined })) this.table.deleteNamespace(id);
      this.artifacts.release(thread);
      forgetVisits(this.store, thread);
      this.archive.table.bury(thread, this.store.clock.now());
      this.leases.end(thread);
      this.collect();
    });
    this.archive.forget();
  }

  copyThread(from: string, to: string): void {
    this.store.database.transaction(() => {
      this.leases.guard({ threadId: to, ns: "" });
      const originals = this.archive.table.namespaces({ thread: from, ns: undefined });
      const taken = this.archive.table.namespaces({ thread: to, ns: undefined }).length > 0;
      if (originals.length === 0)
        throw new InvalidInputError(`There is no thread "${from}" to copy. Nothing was done.`);
      if (taken)
        throw new InvalidInputError(`There is a thread "${to}" already. Copy to a new id, or delete it first.`);
      this.archive.table.unbury(to);
      for (const { id, ns } of originals) this.table.copyNamespace(id, this.archive.table.ensureNamespace(to, ns).id);
      this.threads.copySummary(from, to);
      this.artifacts.copy(from, to);
    });
  }

  deleteForRuns(runs: readonly string[]): void {
    this.store.database.transaction(() => {
      for (const namespace of this.archive.table.namespaces({ thread: undefined, ns: undefined })) {
        const gone = this.table.ofRuns(namespace.id, runs);
        for (const checkpoint of gone) this.archive.deleteCheckpoint(namespace.id, checkpoint);
        if (gone.length > 0) this.renew(namespace);
      }
      this.archive.outside?.assertComplete();
      this.collect();
    });
    this.archive.forget();
  }

  /** After its newest checkpoints were removed: head and summary follow what is left. */
  private renew(namespace: Namespace): void {
    const { id, thread, ns } = namespace;
    const head = this.table.renewHead(id);
    const row = head === undefined ? undefined : this.archive.table.checkpoint(id, head);
    if (row === undefined) this.table.deleteNamespace(id);
    if (ns !== "") return;
    const tuple = row && this.archive.tuple({ ...namespace, head: row.id }, row);
    const summary = tuple && { state: stateOf(tuple), step: tuple.metadata?.step, at: this.store.clock.now() };
    this.threads.summarise(thread, summary ?? NO_SUMMARY);
  }

  private threadIds(): string[] {
    return [
      ...new Set(this.archive.table.namespaces({ thread: undefined, ns: undefined }).map(({ thread }) => thread)),
    ];
  }

  private rehearsable(work: () => PruneReport): PruneReport {
    try {
      return this.store.database.transaction(work);
    } catch (error) {
      if (error instanceof Rehearsed) return error.report;
      throw error;
    } finally {
      this.archive.forget();
    }
  }

  private pruneThread(thread: string, policy: Policy): PruneReport {
    const namespaces = this.archive.table.namespaces({ thread, ns: undefined });
    const plans = namespaces.map((namespace) => this.planOf(namespace, policy));
    const keptRoots = plans.find(({ namespace }) => namespace.ns === "")?.stay ?? new Set<string>();
    return plans.map((plan) => this.carryOut(plan, keptRoots)).reduce(sum, NOTHING);
  }

  private planOf(namespace: Namespace, policy: Policy): Plan {
    const candidates = this.candidates(namespace);
    return { namespace, candidates, stay: kept(candidates, namespace.head, policy), cutoff: policy.cutoff };
  }

  private carryOut({ namespace, candidates, stay, cutoff }: Plan, keptRoots: ReadonlySet<string>): PruneReport {
    const head = candidates.find(({ id }) => id === namespace.head);
    if (!isLive(namespace.ns, head, keptRoots) && candidates.every(({ at }) => at < cutoff)) {
      const writes = candidates.reduce((count, { id }) => count + this.archive.writesOf(namespace.id, id).length, 0);
      this.table.deleteNamespace(namespace.id);
      return { ...NOTHING, namespaces: 1, checkpoints: candidates.length, writes };
    }
    const gone = candidates.filter(({ id }) => !stay.has(id));
    const writes = gone.reduce((count, { id }) => count + this.archive.deleteCheckpoint(namespace.id, id).writes, 0);
    return { ...NOTHING, checkpoints: gone.length, writes };
  }

  private candidates(namespace: Namespace): Candidate[] {
    const tasks = this.table.taskBodies(namespace.id);
    const withWrites = new Set(tasks.map(({ checkpoint }) => checkpoint));
    const anchors = this.anchors(namespace.thread, tasks);
    return [...this.archive.rows(namespace.id, undefined, undefined)].map((row) => ({
      ...this.facts(row),
      hasWrites: withWrites.has(row.id),
      isAnchor: anchors.has(row.id),
    }));
  }

  /** Checkpoints at which somebody was asked, or whose task carried an effect out. */
  private anchors(thread: string, tasks: readonly TaskBody[]): Set<string> {
    const acting = new Set(this.table.visitsWithEffects(thread).map(taskOfVisit));
    const isAnchor = ({ task, body }: TaskBody): boolean =>
      acting.has(task) || this.archive.storedWrites(body).some(({ channel }) => channel === CONTROL.interrupt);
    return new Set(tasks.filter(isAnchor).map(({ checkpoint }) => checkpoint));
  }

  private facts(row: CheckpointRow): Omit<Candidate, "hasWrites" | "isAnchor"> {
    const { shape, body } = this.archive.storedIn(row);
    const metadata = this.archive.metadataOf(row) as Partial<CheckpointMetadata>;
    const counters = (metadata as { counters_since_delta_snapshot?: object }).counters_since_delta_snapshot ?? {};
    return {
      id: row.id,
      parent: this.archive.partsOf(row).parent ?? null,
      at: Date.parse(body.ts),
      valued: new Set(shape.valued),
      rebuilt: Object.keys(counters),
      rootParent: metadata.parents?.[""],
    };
  }

  /** Removes the objects that nothing refers to, in the transaction that made them so. */
  private collect(): PruneReport {
    this.objects.forget();
    const found = orphans(this.table, this.objects);
    const going = new Set(found.map(({ id }) => id));
    this.objects.leavePacks(going);
    this.outside.release(going, this.store.clock.now());
    for (const { id } of found) this.table.deleteObject(id);
    if (found.length > 0) this.table.countCollection();
    const bytes = found.reduce((all, orphan) => all + orphan.bytes, 0);
    return { ...NOTHING, objects: found.length, bytes: Math.round(bytes) };
  }
}

/** A visit is a task, or a tool call of one. */
function taskOfVisit(visit: string): string {
  return visit.slice(0, TASK_ID_LENGTH);
}

interface Plan {
  readonly namespace: Namespace;
  readonly candidates: readonly Candidate[];
  readonly stay: ReadonlySet<string>;
  readonly cutoff: number;
}

function policyOf({ keep, olderThan }: PruneOptions, now: number): Policy {
  const cutoff = olderThan === undefined ? Number.POSITIVE_INFINITY : now - toMilliseconds(olderThan, "olderThan");
  return { keep: checkedKeep(keep), cutoff };
}

function checkedKeep(keep: unknown): Keep {
  if (keep === "latest" || keep === "anchors") return keep;
  const { last } = (typeof keep === "object" && keep !== null ? keep : {}) as { last?: unknown };
  if (typeof last === "number" && Number.isInteger(last) && last >= 1) return { last };
  throw new InvalidInputError(
    `prune needs to know what stays: keep: "latest", "anchors", or { last: n } with a whole number n of at least 1.`,
  );
}

function sum(a: PruneReport, b: PruneReport): PruneReport {
  return {
    namespaces: a.namespaces + b.namespaces,
    checkpoints: a.checkpoints + b.checkpoints,
    writes: a.writes + b.writes,
    objects: a.objects + b.objects,
    bytes: a.bytes + b.bytes,
  };
}
