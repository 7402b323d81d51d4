import { InvalidInputError } from "../shared/errors.js";
import type { EffectRow } from "./effect-row.js";
import { EffectTable } from "./effect-table.js";
import { Ledger } from "./ledger.js";
import { apply, lookUp, whyNot, type LookupScope } from "./lookup.js";
import { isAlive } from "./owner.js";
import { effectNamed } from "./undo.js";

/** What became of one effect whose outcome was open. */
export interface Reconciled {
  readonly effectId: string;
  readonly name: string;
  readonly key: string;
  readonly threadId: string;
  /** `retryable`: it did not happen, and the next run of its visit carries it out. `running`: left alone. */
  readonly now: "succeeded" | "failed" | "retryable" | "unknown" | "running";
  /** Why it is still unknown. */
  readonly why?: string;
}

export interface ReconcileReport {
  readonly effects: readonly Reconciled[];
  /** How many were settled. */
  readonly settled: number;
  /** How many a person has to look at. */
  readonly unknown: number;
}

/**
 * Asks the `lookup` of every effect whose outcome is open: those that nobody is carrying out any more, and those that
 * are unknown; of an undo, its `lookupUndo`. Run it at start, or from a timer.
 *
 * - It never calls `run`.
 * - Effects are found by name, so the modules that define them must have been loaded; others stay as they are.
 * - A thread that waits with a question goes on when it is resumed.
 *
 * @param ledger from `ledgerOf` or `memoryLedger`
 * @param options `threadId`: only this thread's effects
 * @example const { unknown } = await reconcile(ledgerOf(checkpointer));
 */
export async function reconcile(ledger: Ledger, { threadId }: { threadId?: string } = {}): Promise<ReconcileReport> {
  if (!Ledger.is(ledger)) throw new InvalidInputError("reconcile needs a ledger: ledgerOf(checkpointer).");
  const table = new EffectTable(ledger.store);
  const effects: Reconciled[] = [];
  for (const row of table.open(threadId)) effects.push(await reconcileOne(ledger, table, row));
  const count = (...states: Reconciled["now"][]): number => effects.filter(({ now }) => states.includes(now)).length;
  return { effects, settled: count("succeeded", "failed", "retryable"), unknown: count("unknown") };
}

async function reconcileOne({ store }: Ledger, table: EffectTable, row: EffectRow): Promise<Reconciled> {
  const { id: effectId, name, key, threadId } = row;
  const known = { effectId, name, key, threadId };
  if (row.state === "STARTED" && isAlive(store, row)) return { ...known, now: "running" };
  const effect = effectNamed(name, store);
  const lost = row.state === "STARTED" ? ({ attempt: "abandoned" } as const) : {};
  if (effect === undefined) {
    const why = `no effect of this name is defined in this process`;
    if (row.state === "STARTED")
      table.settle(row, { state: "UNKNOWN", evidence: "the process that made the call is gone", ...lost });
    return { ...known, now: "unknown", why };
  }
  const scope: LookupScope = { store, table, effect };
  const outcome = await lookUp(scope, row);
  if (apply(scope, row, outcome, lost)) return { ...known, now: stateNow(table, row) };
  const why = whyNot(scope, row, outcome);
  if (row.state === "STARTED")
    table.settle(row, { state: "UNKNOWN", evidence: `the process that made the call is gone; ${why}`, ...lost });
  return { ...known, now: "unknown", why };
}

/** What the row says, whoever moved it. */
function stateNow(table: EffectTable, { id }: EffectRow): Reconciled["now"] {
  switch (table.find(id)?.state) {
    case "SUCCEEDED":
      return "succeeded";
    case "FAILED":
      return "failed";
    case "RETRYABLE":
      return "retryable";
    case "UNKNOWN":
      return "unknown";
    default:
      return "running";
  }
}
