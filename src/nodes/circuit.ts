import { toMilliseconds, type Duration } from "../shared/clock.js";
import type { ErrorClass } from "../shared/classify.js";
import type { Store } from "../store/home.js";
import { CIRCUITS, type CircuitRow } from "../store/sqlite/circuit-statements.js";
import { CircuitOpenError } from "./errors.js";
import type { Judgement } from "./outcome.js";

/** When calls of an effect are held back because its other side keeps failing. */
export interface CircuitPolicy {
  /** Failures one after the other, over all keys, threads and processes, that open the circuit; default 5. */
  readonly failures?: number;
  /** How long it stays open before one call may find out whether the other side is back; default 30 s. */
  readonly openFor?: Duration;
}

/** The numbers of a policy. */
export interface CircuitLimits {
  readonly failures: number;
  readonly openFor: number;
}

/** Whose call it is that meets the circuit. */
interface Caller {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly threadId: string;
}

/** @throws InvalidInputError for a duration that cannot be read */
export function circuitLimits({ failures = 5, openFor = "30s" }: CircuitPolicy): CircuitLimits {
  return { failures, openFor: toMilliseconds(openFor, "circuit.openFor") };
}

/** Definite answers: whatever they say, the other side is there. */
const ANSWERS: ReadonlySet<ErrorClass> = new Set([
  "business-refusal",
  "invalid-arguments",
  "permission",
  "unknown-tool",
]);

/** The circuit of one effect name, shared by all processes on the database. */
export class Circuit {
  constructor(
    private readonly store: Store,
    private readonly limits: CircuitLimits,
  ) {}

  /**
   * Called in the transaction that writes an intent: lets the call through, as a probe where it is the first after the
   * circuit was open.
   *
   * @throws CircuitOpenError
   */
  admit(caller: Caller): void {
    const row = this.find(caller.name);
    if (row === undefined || row.openUntil === null) return;
    const now = this.store.clock.now();
    const until = Math.max(row.openUntil, row.probeUntil ?? 0);
    if (until > now) throw open(caller, row.failures, until);
    // A probe whose process dies gives way to the next one.
    const probe = { tenant: this.store.tenant, name: caller.name, probeUntil: now + Math.max(this.limits.openFor, 1) };
    this.store.database.run(CIRCUITS.probe, probe);
  }

  /** An attempt returned: the circuit closes, and counts from nought. */
  succeeded(name: string): void {
    if (this.find(name) !== undefined) this.store.database.run(CIRCUITS.close, this.store.tenant, name);
  }

  /** An attempt failed: with a definite answer the circuit closes, else it counts. */
  failed(name: string, { verdict, class: errorClass, retryAfter = 0 }: Judgement): void {
    if (verdict === "refused" && ANSWERS.has(errorClass)) {
      this.succeeded(name);
      return;
    }
    const { store, limits } = this;
    const openUntil = store.clock.now() + Math.max(limits.openFor, retryAfter);
    store.database.run(CIRCUITS.fail, { tenant: store.tenant, name, limit: limits.failures, openUntil });
  }

  private find(name: string): CircuitRow | undefined {
    return this.store.database.get<CircuitRow>(CIRCUITS.find, this.store.tenant, name);
  }
}

function open({ id, name, key, threadId }: Caller, failures: number, until: number): CircuitOpenError {
  const retryAt = new Date(until).toISOString();
  return new CircuitOpenError(
    `Effect "${name}" has failed ${failures} times, one after the other, so it is not called before ${retryAt}; then one call ` +
      `finds out whether the other side is back. Nothing was done with key "${key}". Run again then.`,
    { details: { effectId: id, key, threadId, name, failures, retryAt } },
  );
}
