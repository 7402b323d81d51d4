import type { RunnableConfig } from "@langchain/core/runnables";
import { canonicalize, hashOf } from "../shared/canonical.js";
import { InvalidInputError } from "../shared/errors.js";
import { runningTask, type RunningTask } from "../shared/langgraph.js";
import type { SqliteDatabase } from "../store/sqlite/database.js";
import { checkBefore, permissionBehind } from "./approved-args.js";
import { barrier } from "./barrier.js";
import { EffectCall } from "./call.js";
import type { AnyDefinition, EffectDefinition } from "./definition.js";
import { effectId } from "./effect-id.js";
import { isAutoKey, keyFrom } from "./key.js";
import { stopOrReturn } from "./latch.js";
import { findLedger, type Ledger } from "./ledger.js";
import type { Desk } from "./question.js";
import { entryOf, register, type Registered } from "./registry.js";
import { refuseInsideRun } from "./run-scope.js";
import { deskOf } from "./slots.js";
import { visitOf, type Visit } from "./visit.js";

/** An effect, to be called in a node, in a tool, or outside a graph. */
export interface Effect<A, R> {
  (args: A, config?: RunnableConfig): Promise<R>;
  readonly definition: EffectDefinition<A, R>;
}

/** How other parts of the package call an effect. Not public. */
export interface CallOptions {
  /** Runs in the transaction that writes the intent, just before it; refuses by throwing. */
  readonly beforeIntent?: ((database: SqliteDatabase) => void) | undefined;
  readonly approvalId?: string | undefined;
  /** Goes before the place at which this call asks. */
  readonly placeHint?: string | undefined;
  /** Takes the place of the definition's key. */
  readonly key?: string | undefined;
  /** Takes the place of the running tool call's id. */
  readonly toolCallId?: string | undefined;
}

/**
 * Makes an operation on the outside world that happens once, whatever re-runs.
 *
 * - The intent is on disk before `run` is called, and the outcome after it.
 * - A re-run with the same key returns the recorded result, or throws the recorded refusal; it does not call `run`.
 * - After a crash in between, `lookup` is asked. If it cannot tell, a person is: in a graph by an interrupt of type
 *   `waypoint.unknown_effect`, elsewhere by UnknownOutcomeError and `resolve`. It is never blindly repeated.
 * - The same key with other arguments is an error, and never returns the old result.
 * - Several calls may run at once; their questions become one.
 *
 * The ledger is `ledger`, else the graph's SlimSaver, else the process default (`setLedger`).
 *
 * Errors of `run`: a definite refusal is recorded and thrown; one that certainly did nothing (no connection, 429) is
 * tried again within `retry`; everything else may have happened. In a tool, the errors that must stop the run ask a
 * person instead of advising the model, and hold up the thread's other effects until that is settled.
 *
 * @param definition see EffectDefinition
 * @returns a function of the arguments and, where async-local storage does not work, the node's config
 * @throws EffectDefinitionError at once for a wrong definition. A call throws NoLedgerError, InvalidInputError,
 *   IdempotencyConflictError, EffectInProgressError, EffectNotDueError, EffectFailedError, UnknownOutcomeError,
 *   CompensatedError, EffectLatchedError, StaleFenceError, NotDurableError, AutoKeyError, ResultNotStorableError,
 *   and what `run` threw.
 * @example
 * const refund = effect({
 *   name: "refund",
 *   key: ({ orderId }: { orderId: string; amount: number }) => `refund:${orderId}`,
 *   run: (args, { key }) => stripe.refunds.create(args, { idempotencyKey: key }),
 *   lookup: async ({ orderId }) => {
 *     const found = await stripe.refunds.list({ order: orderId });
 *     return found.data[0] ? succeeded(found.data[0]) : absent();
 *   },
 * });
 * const receipt = await refund({ orderId: "o-1", amount: 12 });
 */
export function effect<A, R>(definition: EffectDefinition<A, R>): Effect<A, R> {
  register(definition as unknown as AnyDefinition);
  const call = (args: A, config?: RunnableConfig): Promise<R> => callEffect(made, args, config);
  const made: Effect<A, R> = Object.assign(call, { definition });
  Object.defineProperty(made, "name", { value: definition.name });
  return made;
}

/** Calls an effect with what the package adds to it. */
export async function callEffect<A, R>(
  { definition }: Pick<Effect<A, R>, "definition">,
  args: A,
  config?: RunnableConfig,
  options: CallOptions = {},
): Promise<R> {
  const effect = entryOf(definition as unknown as AnyDefinition);
  const task = scopedTo(runningTask(config), options.toolCallId);
  refuseInsideRun(`Effect "${definition.name}"`, task);
  const ledger = findLedger(definition.ledger, task);
  if (task === undefined) return (await perform(effect, args, ledger, undefined, options)) as R;
  const visit = visitOf(task);
  const desk = deskOf(ledger, task);
  // Before anything is awaited, so that calls are counted in the order in which they were made.
  const ordinal = desk.ordinal(JSON.stringify([visit.id, definition.name]));
  const here = { task, visit, desk, ordinal };
  return desk.track(async () => (await perform(effect, args, ledger, here, options)) as R);
}

interface Here {
  readonly task: RunningTask;
  readonly visit: Visit;
  readonly desk: Desk;
  /** Calls of this effect that were made before this one in the same visit and attempt. */
  readonly ordinal: number;
}

async function perform(
  effect: Registered,
  given: unknown,
  ledger: Ledger,
  here: Here | undefined,
  options: CallOptions,
): Promise<unknown> {
  const args = await validated(effect.definition, given);
  const canonical = canonicalize(args, "args");
  const key = (): string => options.key ?? keyOf(effect.definition, args, here);
  const desk = here?.task.checkpointer === undefined ? undefined : here.desk;
  const place = placeOf(effect.definition, key, ledger, here, options);
  const permission = permissionBehind(given);
  const check =
    permission &&
    (() => checkBefore(permission, given, effectId(ledger.store, effect.definition.name, key()), here?.visit.id ?? ""));
  const carryOut = async (): Promise<unknown> => {
    const scope = {
      effect,
      store: ledger.store,
      key: key(),
      args: canonical,
      argsHash: hashOf(canonical),
      task: here?.task,
      visit: here?.visit,
      desk,
      place,
      approvalId: options.approvalId ?? permission?.approvalId,
      beforeIntent: options.beforeIntent ?? check,
    };
    if (here !== undefined)
      await barrier(here.task, here.task.config, ledger, isKeyed(effect.definition, args, options));
    return new EffectCall(scope).result();
  };
  if (here === undefined || desk === undefined || !here.visit.inTool) return carryOut();
  return stopOrReturn({ ...here, ledger, desk, place }, carryOut);
}

function keyOf({ name, key, onReplay }: AnyDefinition, args: unknown, here: Here | undefined): string {
  return keyFrom(key(args), name, here?.task, here?.visit, here?.ordinal ?? 0, onReplay);
}

/** Whether the effect is found again by a key of the business, whatever becomes of the visit. */
function isKeyed({ key }: AnyDefinition, args: unknown, options: CallOptions): boolean {
  return options.key !== undefined || !isAutoKey(key(args));
}

/** By the effect itself, not by the order of calls, which concurrent code may change from pass to pass. */
function placeOf(
  { name }: AnyDefinition,
  key: () => string,
  { store }: Ledger,
  here: Here | undefined,
  { placeHint = "" }: CallOptions,
): string {
  if (here === undefined) return "";
  const scope = `${placeHint}${here.visit.toolCallId ?? ""}`;
  try {
    const place = `${scope}:${effectId(store, name, key())}`;
    return `${place}:${here.desk.ordinal(place)}`;
  } catch {
    // The call itself throws this again, where it is dealt with.
    return `${scope}:${name}:${here.ordinal}`;
  }
}

async function validated({ name, schema }: AnyDefinition, args: unknown): Promise<unknown> {
  if (schema === undefined) return args;
  const { issues, ...valid } = await schema["~standard"].validate(args);
  if (issues === undefined) return (valid as { value: unknown }).value;
  const first = issues.map(({ message, path = [] }) => {
    const at = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    return at === "" ? message : `${at}: ${message}`;
  });
  throw new InvalidInputError(
    `The arguments of effect "${name}" are not valid: ${first.join("; ")}. Nothing was done. Mend the arguments, or the ` +
      `schema if it is too narrow, and call it again.`,
    { details: { effect: name, issues: first } },
  );
}

function scopedTo(task: RunningTask | undefined, toolCallId: string | undefined): RunningTask | undefined {
  return task === undefined || toolCallId === undefined ? task : { ...task, toolCallId };
}
