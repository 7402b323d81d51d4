import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { processWide } from "../shared/process-wide.js";
import type { Store } from "../store/home.js";
import { OWNERS } from "../store/sqlite/ledger-statements.js";

/** How long another machine takes the word of an owner that has gone silent. */
export const LEASE_MS = 30_000;

/** The process that carries an effect out. */
interface Owner {
  readonly instance: string;
  readonly host: string;
  readonly pid: number;
  /** Processes of different namespaces cannot see each other. */
  readonly pidNamespace: string | null;
  /** Tells a process from a later one with the same pid; null where the system does not say. */
  readonly startToken: string | null;
}

interface OwnerRow {
  readonly instance: string;
  readonly host: string;
  readonly pid: number;
  readonly pid_namespace: string | null;
  readonly start_token: string | null;
  readonly lease_until: number;
}

/** This process, the same for every copy of the package in it; a worker thread is an owner of its own. */
export const self = processWide("owner", (): Owner => ({
  instance: randomUUID(),
  host: hostname(),
  pid: process.pid,
  pidNamespace: read(() => readlinkSync("/proc/self/ns/pid")),
  startToken: startTokenOf(process.pid),
}));

/** Attempts that run in this process, by their token. */
const inFlight = processWide("in-flight", () => new Map<string, Promise<void>>());

/** Tokens of attempts that were given up here, but whose `run` has not ended: they may still do something. */
export const stragglers = processWide("stragglers", () => new Set<string>());

/** Marks an attempt as running here until the returned function is called. */
export function takeOff(token: string): () => void {
  let land = (): void => undefined;
  inFlight.set(token, new Promise((resolve) => (land = resolve)));
  return () => {
    inFlight.delete(token);
    land();
  };
}

/** Resolves when the attempt that runs in this process has ended; undefined when it does not run here. */
export function landing(token: string): Promise<void> | undefined {
  return inFlight.get(token);
}

/**
 * Whether the attempt that an effect's row names may still be running.
 *
 * - In this process, exactly.
 * - On the same host and in the same pid namespace: while its process lives, so a kill is noticed at once.
 * - Everywhere else: until its lease runs out.
 */
export function isAlive(store: Store, row: { readonly owner: string; readonly token: string }): boolean {
  if (row.owner === self.instance) return inFlight.has(row.token);
  const owner = store.database.get<OwnerRow>(OWNERS.find, row.owner);
  if (owner === undefined) return false;
  const leased = owner.lease_until > store.clock.now();
  const visible = owner.host === self.host && owner.pid_namespace === self.pidNamespace;
  if (!visible || owner.pid === self.pid) return leased && !isReplaced(owner, visible);
  if (!processExists(owner.pid)) return false;
  return owner.start_token === null ? leased : startTokenOf(owner.pid) === owner.start_token;
}

/** A process of the same pid that is not ours was there before us, unless it is a thread of this one. */
function isReplaced(owner: OwnerRow, visible: boolean): boolean {
  return visible && owner.start_token !== null && owner.start_token !== self.startToken;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Linux: boot id and field 22 of /proc/pid/stat, counted after the command's name, which may hold anything. */
function startTokenOf(pid: number): string | null {
  return read(() => {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie (Z, X) has died; its parent has not noticed yet.
    const [state, started] = [fields[0], fields[19]];
    return state === "Z" || state === "X" || started === undefined ? null : `${boot}:${started}`;
  });
}

function read(source: () => string | null): string | null {
  try {
    return source();
  } catch {
    return null;
  }
}
