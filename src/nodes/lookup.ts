import { parse, stringify } from "../checkpointer/codec.js";
import { classifyError, factsOf } from "../shared/classify.js";
import type { Store } from "../store/home.js";
import type { EffectContext } from "./definition.js";
import type { AttemptOutcome, EffectRow } from "./effect-row.js";
import type { EffectTable, Settlement } from "./effect-table.js";
import { ResultNotStorableError, type RecordedError } from "./errors.js";
import { isOutcome, unknown, type Outcome } from "./outcome.js";
import { stragglers } from "./owner.js";
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

/** What the effect's `lookup` says about a row. One that throws, hangs or returns nonsense says nothing. */
export async function lookUp({ store, effect, signal }: LookupScope, row: EffectRow): Promise<Outcome<unknown>> {
  const { lookup, name } = effect.definition;
  if (lookup === undefined) return unknown();
  const ran = await runOnce((stop) => lookup(JSON.parse(row.args), contextOf(row, stop)), {
    name: `${name} (lookup)`,
    clock: store.clock,
    timeout: effect.limits.timeout,
    signal,
  });
  if (ran.ended !== "returned") return unknown(`lookup failed: ${textOf(ran.error)}`);
  if (isOutcome(ran.value)) return ran.value;
  return unknown("lookup returned none of succeeded(), failed(), absent(), unknown()");
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
  const settlement = (): Settlement | undefined => {
    switch (outcome.outcome) {
      case "succeeded":
        return success(outcome.result, row);
      case "failed":
        return { state: "FAILED", error: recordOf(outcome.error) };
      case "absent":
        return mayRunAgain(row, outcome.authoritative, store.clock.now() - row.roundSince, effect.limits.keyTtl)
          ? { state: "RETRYABLE", dueAt: dueAt ?? store.clock.now() }
          : undefined;
      case "unknown":
        return undefined;
    }
  };
  const move = settlement();
  if (move === undefined) return false;
  table.settle(row, { ...move, ...logged, evidence: `lookup: ${outcome.outcome}` });
  return true;
}

/** Why a lookup did not settle the matter, for the person who is asked. */
export function whyNot(
  outcome: Outcome<unknown>,
  row: EffectRow,
  { limits, definition }: Registered,
  now: number,
): string {
  if (definition.lookup === undefined) return "the effect has no lookup";
  if (outcome.outcome === "unknown") return outcome.evidence ?? "lookup could not tell";
  if (outcome.outcome !== "absent") return `lookup: ${outcome.outcome}`;
  if (!outcome.authoritative) return "lookup does not see it, which is not final";
  if (stragglers.has(row.token)) return "lookup does not see it, but the call that timed out is still running";
  const hours = Math.round((now - row.roundSince) / 36e5);
  return `lookup does not see it, but the key is ${hours} hours old and the other side may have forgotten it (keyTtl ${limits.keyTtl / 36e5} h)`;
}

function mayRunAgain(row: EffectRow, authoritative: boolean, age: number, keyTtl: number): boolean {
  return authoritative && age <= keyTtl && !stragglers.has(row.token);
}

/** What an effect's functions are told about a row. */
export function contextOf({ key, id, attempt, round, threadId }: EffectRow, signal: AbortSignal): EffectContext {
  return { key, effectId: id, attempt, round, threadId, signal };
}

/** What is kept of an error: no stack, which differs on every run. */
export function recordOf(error: unknown): RecordedError {
  const { name, message } = factsOf(error);
  const own = error instanceof Error ? error.message : typeof error === "string" ? error : message;
  return { class: classifyError(error), name, message: own };
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
      `repeated. Let run return plain data, or record a result with resolve() after mending it.`,
    { details: { threadId, effectId: id, key } },
  );
}
