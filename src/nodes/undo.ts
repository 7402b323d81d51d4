import type { Store } from "../store/home.js";
import { UNDO, type EffectContext } from "./definition.js";
import { effectId } from "./effect-id.js";
import { EffectTable } from "./effect-table.js";
import { EffectNotFoundError } from "./errors.js";
import { resultOf } from "./lookup.js";
import { registered, type Registered } from "./registry.js";
import { effectOfUndo, undoOfEffect } from "./undo-row.js";

/**
 * The undo of an effect, as an effect: with its own row, key, attempts and lookup, so that it happens once, whatever runs
 * again. Undefined for an effect that has none.
 */
export function undoEffect({ definition, limits }: Registered, store: Store): Registered | undefined {
  const { name, undo, lookupUndo, classify, idempotent } = definition;
  if (undo === undefined) return undefined;
  const receipt = ({ key }: EffectContext): unknown => receiptOf(name, key, store);
  return {
    definition: {
      name: undoOfEffect({ name, key: "" }).name,
      key: () => UNDO,
      run: (args, context) => undo(args, receipt(context), context),
      ...(lookupUndo === undefined ? {} : { lookup: (args, context) => lookupUndo(args, receipt(context), context) }),
      ...(classify === undefined ? {} : { classify }),
      ...(idempotent === undefined ? {} : { idempotent }),
    },
    limits,
  };
}

/** The effect, or the undo of one, that the ledger knows by this name; undefined where its module was not loaded. */
export function effectNamed(name: string, store: Store): Registered | undefined {
  const own = registered(name);
  if (own !== undefined || !name.startsWith(UNDO)) return own;
  const undone = registered(effectOfUndo({ name, key: "" }).name);
  return undone && undoEffect(undone, store);
}

/** What the effect returned that is to be taken back. */
function receiptOf(name: string, undoKey: string, store: Store): unknown {
  const { key } = effectOfUndo({ name, key: undoKey });
  const id = effectId(store, name, key);
  const row = new EffectTable(store).find(id);
  if (row !== undefined) return resultOf(row);
  throw new EffectNotFoundError(
    `The effect "${name}" with key "${key}" is not in this ledger, so it cannot be taken back.`,
    {
      details: { id },
    },
  );
}
