import { hashOf } from "../shared/canonical.js";
import { InvalidInputError, WaypointError } from "../shared/errors.js";
import type { Store } from "../store/home.js";
import { EffectCall } from "./call.js";
import { effectId } from "./effect-id.js";
import type { EffectRow } from "./effect-row.js";
import { EffectTable } from "./effect-table.js";
import { CompensatedError } from "./errors.js";
import { Ledger } from "./ledger.js";
import { textOf } from "./lookup.js";
import { isAlive } from "./owner.js";
import { reconcile } from "./reconcile.js";
import { registered, type Registered } from "./registry.js";
import { undoEffect } from "./undo.js";
import { beginUndo, isUndo, undoOfEffect } from "./undo-row.js";

/** What became of one effect of the thread. */
export interface CompensationStep {
  readonly effectId: string;
  readonly name: string;
  readonly key: string;
  /**
   * `compensated`: it is taken back, now or before. `irreversible`: it has no `undo`, and stands. `failed`: its undo did
   * not go through, and nothing was undone. `unknown`: nobody knows whether it happened, or whether its undo did.
   * `running`: somebody is carrying it out, or taking it back. `undefined`: no effect of this name is defined in this
   * process. `waiting`: its turn did not come, because a later effect stands in the way.
   */
  readonly now: "compensated" | "irreversible" | "failed" | "unknown" | "running" | "undefined" | "waiting";
  /** The undo's id in the ledger, once it was tried. */
  readonly undoId?: string;
  /** Why it is not taken back. */
  readonly why?: string;
}

export interface CompensationReport {
  readonly threadId: string;
  /** In the order in which they are taken back: the last one first. */
  readonly steps: readonly CompensationStep[];
  /** How many are taken back. */
  readonly compensated: number;
  /** How many cannot be taken back by anybody here. */
  readonly irreversible: number;
  /** How many are still to be taken back: call `compensate` again, or settle them with `resolve`. */
  readonly open: number;
  /** Whether nothing is open. */
  readonly done: boolean;
}

export interface CompensateOptions {
  /** Why; kept with each effect. */
  readonly reason: string;
  /** Whether what was done before an effect that cannot be taken back now stays (`stop`, the default) or not. */
  readonly onFailure?: "stop" | "continue";
}

/**
 * Takes back what a thread has done: calls the `undo` of each effect that happened, the last one first.
 *
 * - Each undo is an effect of its own: its intent is on disk before it is called, its outcome after it, and it happens
 *   once, whatever crashes or is called again. After a crash in between, `lookupUndo` is asked; without one, a person.
 * - Outcomes that are unknown are looked up first. What stays unknown is not taken back, and neither is what was done
 *   before it, unless `onFailure` is `continue`.
 * - A failed undo is tried again by the next call: its effect is COMPENSATION_FAILED until then, and
 *   `waypoint actions` shows it. `resolve` settles it where a person took it back by hand.
 * - An effect that is taken back, or is being taken back, is not carried out again under its key (CompensatedError).
 * - An effect without an `undo` stays, and is named in the result. Effects belong to the thread that carried them out.
 *
 * Call it when the thread's run has ended; it never stops one. The modules that define the effects must have been loaded.
 *
 * @param ledger from `ledgerOf` or `memoryLedger`
 * @param threadId the thread whose effects are taken back
 * @returns what became of each effect; a failed undo is told there and not thrown
 * @throws InvalidInputError; LedgerUnavailableError when the ledger cannot be written: calling again goes on from there
 * @example
 * const { done, steps } = await compensate(ledgerOf(checkpointer), "trip-7", { reason: "the flight was cancelled" });
 */
export async function compensate(
  ledger: Ledger,
  threadId: string,
  options: Partial<CompensateOptions> = {},
): Promise<CompensationReport> {
  check(ledger, threadId, options);
  await reconcile(ledger, { threadId });
  const { store } = ledger;
  const steps: CompensationStep[] = [];
  let blocked: EffectRow | undefined;
  for (const row of lastFirst(new EffectTable(store), threadId)) {
    const step = blocked === undefined ? await takeBack(store, row, options.reason) : passedOver(row, blocked);
    steps.push(step);
    if (options.onFailure !== "continue" && isOpen(step)) blocked ??= row;
  }
  const count = (counted: (step: CompensationStep) => boolean): number => steps.filter(counted).length;
  const open = count(isOpen);
  return {
    threadId,
    steps,
    compensated: count(({ now }) => now === "compensated"),
    irreversible: count(({ now }) => now === "irreversible"),
    open,
    done: open === 0,
  };
}

function check(ledger: unknown, threadId: unknown, { reason, onFailure }: Partial<CompensateOptions>): void {
  if (!Ledger.is(ledger)) throw new InvalidInputError("compensate needs a ledger: ledgerOf(checkpointer).");
  if (typeof threadId !== "string" || threadId === "") {
    throw new InvalidInputError(
      "compensate needs the id of the thread whose effects are taken back. Nothing was done.",
    );
  }
  if (reason !== undefined && (typeof reason !== "string" || reason === "")) {
    throw new InvalidInputError("The reason of compensate must be a text. Nothing was done.");
  }
  if (onFailure !== undefined && !["stop", "continue"].includes(onFailure)) {
    throw new InvalidInputError('onFailure of compensate must be "stop" or "continue". Nothing was done.');
  }
}

/** What happened, or may have: the effects of a thread by the start of their newest attempt, newest first. */
function lastFirst(table: EffectTable, threadId: string): EffectRow[] {
  return table
    .all(threadId)
    .filter((row) => !isUndo(row) && row.state !== "FAILED" && row.state !== "RETRYABLE")
    .map((row) => ({ row, startedAt: table.attempts(row.id).at(-1)?.startedAt ?? row.createdAt }))
    .sort((one, other) => one.startedAt - other.startedAt)
    .map(({ row }) => row)
    .reverse();
}

function isOpen({ now }: CompensationStep): boolean {
  return now !== "compensated" && now !== "irreversible";
}

/** Its turn does not come; what is taken back or cannot be taken back at all is told as it is. */
function passedOver(row: EffectRow, { name, key }: EffectRow): CompensationStep {
  const effect = registered(row.name);
  if (row.state === "COMPENSATED") return stepOf(row, "compensated");
  if (effect !== undefined && effect.definition.undo === undefined) return irreversible(row);
  return stepOf(row, "waiting", {
    why: `effect "${name}" with key "${key}" was carried out after it and stands in the way`,
  });
}

async function takeBack(store: Store, row: EffectRow, reason: string | undefined): Promise<CompensationStep> {
  if (row.state === "COMPENSATED") return stepOf(row, "compensated");
  if (row.state === "STARTED" && isAlive(store, row)) return stepOf(row, "running", { why: "it is being carried out" });
  if (row.state === "STARTED" || row.state === "UNKNOWN") {
    return stepOf(row, "unknown", { why: row.evidence ?? "nobody knows whether it happened" });
  }
  const effect = registered(row.name);
  if (effect === undefined)
    return stepOf(row, "undefined", { why: "no effect of this name is defined in this process" });
  const undo = undoEffect(effect, store);
  if (undo === undefined) return irreversible(row);
  return carryOut(store, row, undo, reason);
}

function irreversible(row: EffectRow): CompensationStep {
  return stepOf(row, "irreversible", { why: "the effect has no undo" });
}

/** Errors of the ledger and not of an undo. */
const OF_THE_STORE = new Set(["LEDGER_UNAVAILABLE", "STORE_UNAVAILABLE", "STORE_CLOSED", "DECRYPTION_FAILED"]);

/** One undo, from its intent to its record. */
async function carryOut(
  store: Store,
  row: EffectRow,
  undo: Registered,
  reason: string | undefined,
): Promise<CompensationStep> {
  const { name, key } = undoOfEffect(row);
  const undoId = effectId(store, name, key);
  const call = new EffectCall({
    effect: undo,
    store,
    key,
    args: row.args,
    argsHash: hashOf(row.args),
    task: undefined,
    visit: undefined,
    threadId: row.threadId,
    desk: undefined,
    place: "",
    approvalId: undefined,
    beforeIntent: () => begin(store, row, reason),
  });
  try {
    await call.result();
  } catch (error) {
    if (WaypointError.is(error) && OF_THE_STORE.has(error.code)) throw error;
    return stepOf(row, whatBecame(error), { undoId, why: textOf(error) });
  }
  return stepOf(row, "compensated", { undoId });
}

function begin(store: Store, { id, name, key, threadId }: EffectRow, reason: string | undefined): void {
  if (beginUndo(store, id, reason === undefined ? undefined : `taken back: ${reason}`)) return;
  throw new CompensatedError(`Effect "${name}" with key "${key}" was taken back by somebody else just now.`, {
    details: { effectId: id, key, threadId },
  });
}

function whatBecame(error: unknown): CompensationStep["now"] {
  switch (WaypointError.is(error) ? error.code : undefined) {
    case "UNKNOWN_OUTCOME":
      return "unknown";
    case "EFFECT_IN_PROGRESS":
    case "STALE_FENCE":
      return "running";
    case "COMPENSATED":
      return "compensated";
    default:
      return "failed";
  }
}

function stepOf(
  { id, name, key }: EffectRow,
  now: CompensationStep["now"],
  more: Pick<CompensationStep, "undoId" | "why"> = {},
): CompensationStep {
  return { effectId: id, name, key, now, ...more };
}
