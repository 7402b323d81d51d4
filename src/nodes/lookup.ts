import { parse, stringify } from "../checkpointer/codec.js";
import { classifyError, factsOf } from "../shared/classify.js";
import { systemClock } from "../shared/clock.js";
import type { Store } from "../store/home.js";
import type { EffectContext } from "./definition.js";
import type { AttemptOutcome, EffectRow } from "./effect-row.js";
import type { EffectTable, Settlement } from "./effect-table.js";
import { ResultNotStorableError, type RecordedError } from "./errors.js";
import { isOutcome, unknown, type Outcome } from "./outcome.js";
import { isAlive, self, stragglers } from "./owner.js";
import { runOnce } from "./attempt.js";
import type { Registered } from "./registry.js";

export interface LookupScope {
  readonly store: Store;
  readonly table: EffectTable;
  readonly effect: Registered;
  readonly signal?: AbortSignal | undefined;
}

/** A success with its result. One that cannot be stored is a success all the same; its re-runs get an error. */
export function success(result: unknown, { name }: EffectRow): Settlement {
  try {
    return { state: "SUCCEEDED", result: stringify(result, `The result of effect "${name}"`) };
  } catch (error) {
    return { state: "SUCCEEDED", error: recordOf(error) };
  }
}

/** For a lookup whose effect has no timeout. Real time: it waits for the user's code, not for a deadline of ours. */
const PATIENCE_MS = 60_000;

/** What the effect's `lookup` says about a row. One that throws, hangs or returns nonsense says nothing. */
export async function lookUp({ store, effect, signal }: LookupScope, row: EffectRow): Promise<Outcome<unknown>> {
  const { lookup, name } = effect.definition;
  if (lookup === undefined) return unknown();
  const { timeout } = effect.limits;
  const ask = async (stop: AbortSignal): Promise<Outcome<unknown>> => {
    const said: unknown = await lookup(JSON.parse(row.args), contextOf(row, stop));
    return isOutcome(said) ? said : unknown("lookup returned none of succeeded(), failed(), absent(), unknown()");
  };
  const ran = await runOnce(ask, {
    name: `${name} (lookup)`,
    clock: timeout === undefined ? systemClock : store.clock,
    timeout: timeout ?? PATIENCE_MS,
    signal,
  });
  return ran.ended === "returned" ? (ran.value as Outcome<unknown>) : unknown(`lookup failed: ${textOf(ran.error)}`);
}

/**
 * Moves a row on by what a lookup said; false when that does not settle it. `attempt` is how the newest attempt is
 * logged, `dueAt` when an absent effect may be carried out.
 */
export function apply(
  { store, table, effect }: LookupScope,
  row: EffectRow,
  outcome: Outcome<unknown>,
  { attempt, dueAt }: { attempt?: AttemptOutcome; dueAt?: number } = {},
): boolean {
  const logged = attempt === undefined ? {} : { attempt };
  const retryable = { state: "RETRYABLE", dueAt: dueAt ?? store.clock.now() } as const;
  const settlement = (): Settlement | undefined => {
    switch (outcome.outcome) {
      case "succeeded":
        return success(outcome.result, row);
      case "failed":
        return { state: "FAILED", error: recordOf(outcome.error) };
      case "absent":
        return mayRunAgain({ store, table, effect }, row, outcome.authoritative) ? retryable : undefined;
      case "unknown":
        return undefined;
    }
  };
  const move = settlement();
  if (move !== undefined) {
    table.settle(row, { ...move, ...logged, evidence: `lookup: ${outcome.outcome}` });
    return true;
  }
  if (attempt === undefined || !mayRepeat({ store, effect }, row, attempt)) return false;
  table.settle(row, {
    ...retryable,
    ...logged,
    evidence: "the other side carries out one of several calls with one key",
  });
  return true;
}

/** Whether the attempt that has just been lost may be made again, whatever became of it: the other side tells by the key. */
function mayRepeat(
  { store, effect }: Pick<LookupScope, "store" | "effect">,
  row: EffectRow,
  lost: AttemptOutcome,
): boolean {
  const { definition, limits } = effect;
  if (definition.idempotent !== true || isPastTtl(store, row, limits)) return false;
  // The loss of a process says nothing against another attempt; an attempt that failed counts.
  return lost === "abandoned" || row.tries < limits.maxAttempts;
}

function isPastTtl({ clock }: Store, { roundSince }: EffectRow, { keyTtl }: Registered["limits"]): boolean {
  return clock.now() - roundSince > keyTtl;
}

/** Why a lookup did not settle the matter, for the person who is asked. */
export function whyNot(scope: LookupScope, row: EffectRow, outcome: Outcome<unknown>): string {
  const { limits, definition } = scope.effect;
  if (definition.lookup === undefined) return noLookup(scope, row);
  if (outcome.outcome === "unknown") return outcome.evidence ?? "lookup could not tell";
  if (outcome.outcome !== "absent") return `lookup: ${outcome.outcome}`;
  if (!outcome.authoritative) return "lookup does not see it, which is not final";
  if (isStraggling(scope, row)) return "lookup does not see it, but the call that timed out is still running";
  const hours = Math.round((scope.store.clock.now() - row.roundSince) / 36e5);
  return `lookup does not see it, but the key is ${hours} hours old and the other side may have forgotten it (keyTtl ${limits.keyTtl / 36e5} h)`;
}

function noLookup({ store, effect }: LookupScope, row: EffectRow): string {
  if (effect.definition.idempotent !== true) return "the effect has no lookup";
  return isPastTtl(store, row, effect.limits)
    ? "the key is older than keyTtl, so the other side may have forgotten it"
    : "the attempts of retry are used up, and the effect has no lookup";
}

function mayRunAgain(scope: LookupScope, row: EffectRow, authoritative: unknown): boolean {
  return authoritative === true && !isPastTtl(scope.store, row, scope.effect.limits) && !isStraggling(scope, row);
}

/** Whether the attempt was given up while its `run` went on, here or in another process that lives: it may still act. */
function isStraggling({ store, table }: Pick<LookupScope, "store" | "table">, row: EffectRow): boolean {
  if (row.owner === self.instance) return stragglers.has(row.token);
  const newest = table.attempts(row.id).at(-1);
  return newest?.outcome === "timed-out" && newest.late === null && isAlive(store, row);
}

/** What an effect's functions are told about a row. */
export function contextOf({ key, id, attempt, round, threadId }: EffectRow, signal: AbortSignal): EffectContext {
  return { key, effectId: id, attempt, round, threadId, signal };
}

/** What is kept of an error: no stack, which differs on every run. */
export function recordOf(error: unknown): RecordedError {
  try {
    const { name, message } = factsOf(error);
    const own = error instanceof Error ? error.message : typeof error === "string" ? error : message;
    return { class: classifyError(error), name, message: own };
  } catch {
    return { class: "persistent", name: "Error", message: "what was thrown cannot be read" };
  }
}

export function textOf(error: unknown): string {
  const { name, message } = recordOf(error);
  return `${name}: ${message}`;
}

/**
 * A recorded result, as it was returned.
 *
 * @throws ResultNotStorableError when it could not be stored
 */
export function resultOf({ id, name, key, threadId, result, error }: EffectRow): unknown {
  if (error === undefined) return result === null ? undefined : parse(result);
  throw new ResultNotStorableError(
    `Effect "${name}" with key "${key}" happened, but what it returned could not be stored: ${error.message}. It is not ` +
      `repeated. Let run return plain data: that helps every later key. For this one, catch the error and take the result ` +
      `from the other side, by its key.`,
    { details: { threadId, effectId: id, key } },
  );
}
