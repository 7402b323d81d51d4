import type { StandardSchemaV1 } from "@standard-schema/spec";
import { toMilliseconds, type Duration } from "../shared/clock.js";
import { circuitLimits, type CircuitLimits, type CircuitPolicy } from "./circuit.js";
import type { AutoKey, OnReplay } from "./key.js";
import { EffectDefinitionError } from "./errors.js";
import { Ledger } from "./ledger.js";
import type { Outcome, Verdict } from "./outcome.js";

/** What `run`, `lookup` and `undo` are given beside the arguments. */
export interface EffectContext {
  /** The idempotency key to hand to the other side: the same for every attempt. */
  readonly key: string;
  /** The effect's id in the ledger. */
  readonly effectId: string;
  /** Number of this attempt, from 1, over all rounds. */
  readonly attempt: number;
  /**
   * Number of the business attempt, from 1: a definite refusal ends a round, and a new visit starts the next one with
   * the same key. Where the other side remembers refusals by key (Stripe does), send `${key}:${round}`.
   */
  readonly round: number;
  /** Aborts when the run is aborted and when the timeout is over. */
  readonly signal: AbortSignal;
  /** `""` outside a graph. */
  readonly threadId: string;
}

/** When an attempt that certainly did nothing, or may be made again with the same key, is made again. */
export interface RetryPolicy {
  /**
   * Attempts in one round, counted in the ledger across crashes and node retries; default 1. When they are used up, each
   * further run of the node makes one more.
   */
  readonly maxAttempts?: number;
  /** Before the second attempt; default 500 ms. */
  readonly initialInterval?: Duration;
  /** Default 2. */
  readonly backoffFactor?: number;
  /** The part of each interval, from 0 to 1, by which it may be shorter, so that calls that failed together spread; default 0.5. */
  readonly jitter?: number;
  /** The longest a call waits between two attempts; default 30 s. A `Retry-After` beyond it ends the call. */
  readonly maxInterval?: Duration;
}

export interface EffectDefinition<A, R> {
  /** Unique in the process: it finds `lookup` and `undo` again in other processes. */
  readonly name: string;
  /** The business identity of the effect, or `autoKey`. */
  readonly key: (args: A) => string | AutoKey;
  /** One outside call. What it returns is stored, and is what every re-run returns. */
  readonly run: (args: A, context: EffectContext) => Promise<R>;
  /** Finds out whether an earlier call happened, without changing anything. */
  readonly lookup?: (args: A, context: EffectContext) => Promise<Outcome<R>>;
  /** Takes the effect back, for `compensate`. An effect of its own, with a key of its own (`context.key`). */
  readonly undo?: (args: A, receipt: R, context: EffectContext) => Promise<unknown>;
  /** Finds out whether an earlier `undo` happened, without changing anything; without it, a person has to say. */
  readonly lookupUndo?: (args: A, receipt: R, context: EffectContext) => Promise<Outcome<unknown>>;
  readonly retry?: RetryPolicy;
  /** How long an attempt may take before it is given up; without it, as long as it takes. */
  readonly timeout?: Duration;
  /** How long the other side knows a key, from the first attempt of a round; default 24 h. */
  readonly keyTtl?: Duration;
  /**
   * The other side knows the key: of several calls with it, `run` and `undo` alike, it carries out one. An attempt whose
   * outcome is not known is then made again with the same key, within `retry` and `keyTtl`, instead of asking.
   */
  readonly idempotent?: boolean;
  /** Holds calls back while the other side keeps failing; without it, every call is made. */
  readonly circuit?: CircuitPolicy;
  /**
   * With `autoKey`, in a replay of an old checkpoint (time travel): `refuse` (the default), with AutoKeyError, or `new`: a
   * replay is a new visit, and the effect happens again in it, once. A business key finds its record in either case.
   */
  readonly onReplay?: OnReplay;
  /** Validates the arguments before anything else. */
  readonly schema?: StandardSchemaV1<unknown, A>;
  readonly ledger?: Ledger;
  /** What a call does while another one carries the effect out; default `refuse`, with EffectInProgressError. */
  readonly whenBusy?: "refuse" | "wait";
  /** Overrules how an error of `run` is judged; undefined leaves it to the default. */
  readonly classify?: (error: unknown) => Verdict | undefined;
}

/** The numbers of a definition, in milliseconds. */
export interface Limits {
  readonly maxAttempts: number;
  readonly initialInterval: number;
  readonly backoffFactor: number;
  readonly maxInterval: number;
  readonly jitter: number;
  readonly timeout: number | undefined;
  readonly keyTtl: number;
  readonly circuit: CircuitLimits | undefined;
}

/** Any effect, where its types do not matter: the ledger hands its arguments and results back as they were given. */
export type AnyDefinition = EffectDefinition<unknown, unknown>;

/** Checks a definition and reads its durations. */
export function limitsOf({ name, retry = {}, timeout, keyTtl = "24h", circuit }: AnyDefinition): Limits {
  const { maxAttempts = 1, initialInterval = 500, backoffFactor = 2, maxInterval = "30s", jitter = 0.5 } = retry;
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) {
    throw new EffectDefinitionError(`Effect "${name}": retry.maxAttempts must be a whole number from 1.`);
  }
  if (!(backoffFactor >= 1))
    throw new EffectDefinitionError(`Effect "${name}": retry.backoffFactor must be 1 or more.`);
  if (!(jitter >= 0 && jitter <= 1)) {
    throw new EffectDefinitionError(`Effect "${name}": retry.jitter must be a number from 0 to 1.`);
  }
  if (circuit?.failures !== undefined && !(Number.isInteger(circuit.failures) && circuit.failures >= 1)) {
    throw new EffectDefinitionError(`Effect "${name}": circuit.failures must be a whole number from 1.`);
  }
  return {
    circuit: circuit && circuitLimits(circuit),
    maxAttempts,
    jitter,
    backoffFactor,
    initialInterval: toMilliseconds(initialInterval, "retry.initialInterval"),
    maxInterval: toMilliseconds(maxInterval, "retry.maxInterval"),
    timeout: timeout === undefined ? undefined : toMilliseconds(timeout, "timeout"),
    keyTtl: toMilliseconds(keyTtl, "keyTtl"),
  };
}

/** Begins the names of undos in the ledger. */
export const UNDO = "undo:";

const ON_REPLAY: readonly unknown[] = ["refuse", "new"] satisfies OnReplay[];

const OPTIONAL_FUNCTIONS = ["lookup", "undo", "lookupUndo", "classify"] as const;

/** Checks what the types cannot, and what plain JavaScript gets wrong. */
export function checkDefinition(definition: AnyDefinition): void {
  const { name, key, run, ledger, idempotent, onReplay, ...optional } = definition as Record<
    keyof AnyDefinition,
    unknown
  >;
  if (typeof name !== "string" || name === "" || name.length > 200) {
    throw new EffectDefinitionError(
      "An effect needs a name of 1 to 200 characters: it identifies the effect in the ledger.",
    );
  }
  if (name.startsWith(UNDO)) {
    throw new EffectDefinitionError(
      `Effect "${name}": names that begin with "${UNDO}" belong to the undo of effects. Give it another name.`,
    );
  }
  const functions = OPTIONAL_FUNCTIONS.flatMap((field) =>
    optional[field] === undefined ? [] : ([[field, optional[field]]] as const),
  );
  for (const [field, value] of [["key", key] as const, ["run", run] as const, ...functions]) {
    if (typeof value !== "function") throw new EffectDefinitionError(`Effect "${name}": ${field} must be a function.`);
  }
  if (optional.lookupUndo !== undefined && optional.undo === undefined) {
    throw new EffectDefinitionError(`Effect "${name}": lookupUndo needs an undo that it looks up.`);
  }
  if (idempotent !== undefined && typeof idempotent !== "boolean") {
    throw new EffectDefinitionError(`Effect "${name}": idempotent must be true or false.`);
  }
  if (onReplay !== undefined && !ON_REPLAY.includes(onReplay)) {
    throw new EffectDefinitionError(`Effect "${name}": onReplay must be "refuse" or "new".`);
  }
  if (ledger !== undefined && !Ledger.is(ledger)) {
    throw new EffectDefinitionError(
      `Effect "${name}": ledger must come from ledgerOf(checkpointer) or memoryLedger().`,
    );
  }
  limitsOf(definition);
}
