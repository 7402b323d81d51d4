import { createHash, randomUUID } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import { toMilliseconds } from "../shared/clock.js";
import type { Duration } from "../shared/clock.js";
import { InvalidInputError, WaypointError } from "../shared/errors.js";
import type { Store } from "../store/home.js";
import { LEASES } from "../store/sqlite/lease-statements.js";
import type { LeaseRow } from "../store/sqlite/lease-statements.js";
import { StaleFenceError } from "./errors.js";
import { configurableOf, isText, threadIdOf } from "./ids.js";
import type { Address } from "./ids.js";
import { isRecord } from "./input.js";

/**
 * Where a run carries its lease: `configurable[LEASE_KEY]`. LangGraph hands it on to every checkpoint, write and
 * subgraph of the run. An object, because LangChain copies texts and numbers of `configurable` into traces.
 */
export const LEASE_KEY = "waypoint_lease";

/** A lease that outlives its dead owner by more than this is a mistake. */
const LONGEST_MS = toMilliseconds("365d");

/** The right to write to one thread. `token` is a secret of its owner. */
export interface Lease {
  readonly threadId: string;
  /** Rises with each owner of the thread. */
  readonly fence: number;
  readonly token: string;
}

/** Who holds a thread, without the secret. */
export interface LeaseHolder {
  readonly fence: number;
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly leaseUntil: number;
  /** False when the time is over and nobody has taken over yet. */
  readonly live: boolean;
}

/**
 * The leases of one store: at most one owner per thread, told apart by fence and token.
 *
 * - What an owner brings is taken while its lease is the thread's newest, also after its time has run out: until
 *   somebody else acquires the thread, nobody can be disturbed.
 * - While a lease lives, nothing else may write to the thread.
 * - A fence is never given twice, whatever became of the lease or of the thread.
 */
export class Leases {
  constructor(private readonly store: Store) {}

  /**
   * Takes the thread, which need not have a checkpoint yet. Synced to disk before it returns.
   *
   * @param options `ttl`: how long it lives without being renewed; `owner`: a name for people, no secret
   * @returns undefined while another lease lives, whoever asks: an owner that has its lease renews it
   * @throws ThreadIdError, InvalidInputError
   */
  acquire(threadId: string, options: { ttl: Duration; owner: string }): Lease | undefined {
    const thread = threadIdOf(threadId, "acquire a lease");
    if (!isText(options.owner))
      throw new InvalidInputError("A lease needs an owner: a text of at most 1024 characters.");
    const { tenant, database } = this.store;
    const token = randomUUID();
    const now = this.store.clock.now();
    const row = {
      tenant,
      thread,
      tokenHash: hashOf(token),
      owner: options.owner,
      now,
      leaseUntil: now + ttlOf(options),
    };
    const taken = database.transaction(() => database.get<{ fence: number }>(LEASES.acquire, row), { durable: true });
    return taken && { threadId: thread, fence: taken.fence, token };
  }

  /** Lets the lease live for `ttl` from now, also one whose time is over; false when it is no longer the thread's. */
  renew(lease: Lease, options: { ttl: Duration }): boolean {
    const leaseUntil = this.store.clock.now() + ttlOf(options);
    return this.move(LEASES.renew, { ...this.keyOf(lease), leaseUntil });
  }

  /** Gives the thread back; false when the lease is no longer the thread's. */
  release(lease: Lease): boolean {
    return this.move(LEASES.release, this.keyOf(lease));
  }

  /** Who holds the thread; undefined when nobody does. */
  read(threadId: string): LeaseHolder | undefined {
    const row = this.find(threadIdOf(threadId, "read a lease"));
    if (!isHeld(row)) return undefined;
    const { fence, owner, leaseUntil } = row;
    return { fence, owner: owner ?? "", leaseUntil, live: this.isLive(row) };
  }

  /** Ends whatever lease the thread has. Its owner is refused from now on, and whoever comes next has a greater fence. */
  end(thread: string): void {
    this.store.database.run(LEASES.end, this.store.tenant, thread);
  }

  /**
   * Call in the transaction that writes.
   *
   * @throws StaleFenceError when the lease that `config` carries is not the thread's, or when it carries none and the
   * thread has a live one; InvalidInputError for something that cannot be a lease
   */
  guard({ threadId, ns }: Pick<Address, "threadId" | "ns">, config: RunnableConfig = {}): void {
    const lease = leaseIn(config, threadId);
    const row = this.find(threadId);
    const allowed = lease === undefined ? !this.isLive(row) : holds(row, lease);
    if (!allowed) throw refused({ threadId, ns, lease, row });
  }

  private find(thread: string): LeaseRow | undefined {
    return this.store.database.get<LeaseRow>(LEASES.find, this.store.tenant, thread);
  }

  private isLive(row: LeaseRow | undefined): boolean {
    return isHeld(row) && row.leaseUntil > this.store.clock.now();
  }

  private keyOf({ threadId, fence, token }: Lease): object {
    return { tenant: this.store.tenant, thread: threadId, fence, tokenHash: hashOf(token) };
  }

  private move(statement: string, parameters: object): boolean {
    const { database } = this.store;
    return database.transaction(() => database.run(statement, parameters)).changes > 0;
  }
}

/** True for the refusal of a run whose thread belongs to somebody else. */
export function isRefusedByLease(error: unknown): boolean {
  return WaypointError.is(error) && error.details.refusedBy === LEASE_KEY;
}

/** A lease on another thread says nothing here: a node may run a graph on a thread of its own. */
function leaseIn(config: RunnableConfig, threadId: string): Lease | undefined {
  const given = configurableOf(config)[LEASE_KEY];
  if (given === undefined || given === null) return undefined;
  if (!isLease(given)) {
    throw new InvalidInputError(
      `configurable.${LEASE_KEY} of a run on thread "${threadId}" must be { threadId, fence, token } as it was acquired. ` +
        `Pass the lease on unchanged, or leave it out. Nothing was stored.`,
      { details: { threadId } },
    );
  }
  return given.threadId === threadId ? given : undefined;
}

function isLease(value: unknown): value is Lease {
  return (
    isRecord(value) && isText(value.threadId) && Number.isSafeInteger(value.fence) && typeof value.token === "string"
  );
}

function holds(row: LeaseRow | undefined, { fence, token }: Lease): boolean {
  return isHeld(row) && row.fence === fence && hashOf(token).equals(row.tokenHash);
}

function isHeld(row: LeaseRow | undefined): row is LeaseRow & { readonly tokenHash: Buffer } {
  return row !== undefined && row.tokenHash !== null;
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function ttlOf({ ttl }: { ttl: Duration }): number {
  const ms = toMilliseconds(ttl, "ttl");
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw new InvalidInputError(`ttl, the time that a lease lives, must be longer than 0 and at most "365d".`);
}

interface Refused {
  readonly threadId: string;
  readonly ns: string;
  readonly lease: Lease | undefined;
  readonly row: LeaseRow | undefined;
}

/** Says who has the thread, and never with which token. */
function refused({ threadId, ns, lease, row }: Refused): StaleFenceError {
  const holder = isHeld(row)
    ? { owner: row.owner ?? "", fence: row.fence, leaseUntil: new Date(row.leaseUntil).toISOString() }
    : undefined;
  const whose = holder === undefined ? "is nobody's" : `belongs to "${holder.owner}" (fence ${holder.fence})`;
  const came =
    lease === undefined ? "this run has no lease on it" : `the lease of this run (fence ${lease.fence}) is not the one`;
  return new StaleFenceError(
    `Thread "${threadId}" ${whose}, and ${came}. What the run brought was refused, so the thread stays as it is. ` +
      `End this run; the thread is free for the next owner when its lease was given back or has run out` +
      `${holder === undefined ? "" : ` (${holder.leaseUntil} if it is not renewed)`}.`,
    { details: { threadId, checkpointNs: ns, refusedBy: LEASE_KEY, fence: lease?.fence, holder } },
  );
}
