import type { Store } from "../store/home.js";
import { SealedRow } from "../store/sealed-columns.js";
import { EFFECTS } from "../store/sqlite/ledger-statements.js";
import { UNDO } from "./definition.js";
import { effectId } from "./effect-id.js";
import type { EffectId, EffectRow, EffectState } from "./effect-row.js";

/** What tells an undo, and the effect that it takes back. */
type Named = Pick<EffectRow, "name" | "key">;

/** Whether a row is the undo of another effect. */
export function isUndo({ name }: Pick<EffectRow, "name">): boolean {
  return name.startsWith(UNDO);
}

/** Name and key of the undo of an effect. Both are the same in every process, so that it happens once. */
export function undoOfEffect({ name, key }: Named): Named {
  return { name: `${UNDO}${name}`, key: `${UNDO}${key}` };
}

/** Name and key of the effect that an undo takes back. */
export function effectOfUndo({ name, key }: Named): Named {
  return { name: name.slice(UNDO.length), key: key.slice(UNDO.length) };
}

/** Where an effect stands, by what its undo has come to. */
const AFTER = {
  SUCCEEDED: "COMPENSATED",
  FAILED: "COMPENSATION_FAILED",
  UNKNOWN: "COMPENSATION_FAILED",
  RETRYABLE: "COMPENSATION_FAILED",
} as const satisfies Partial<Record<EffectState, EffectState>>;

/** Moves an effect along when its undo has ended. Called in the transaction that records the end. */
export function followUndo(store: Store, undo: EffectRow, state: EffectState): void {
  if (isUndo(undo) && Object.hasOwn(AFTER, state))
    move(store, idOfUndone(store, undo), AFTER[state as keyof typeof AFTER]);
}

/**
 * Marks an effect as being taken back; false when it is not there to be taken back. Called in the transaction that writes
 * the intent of its undo.
 */
export function beginUndo(store: Store, id: EffectId, evidence: string | undefined): boolean {
  return move(store, id, "COMPENSATING", evidence) > 0;
}

function idOfUndone(store: Store, undo: Named): EffectId {
  const { name, key } = effectOfUndo(undo);
  return effectId(store, name, key);
}

function move(store: Store, id: EffectId, state: EffectState, evidence: string | null = null): number {
  const { database, tenant, clock } = store;
  const sealed = new SealedRow(store, "effect", [id]).seal("evidence", evidence);
  return database.run(EFFECTS.compensate, { tenant, id, state, evidence: sealed, now: clock.now() }).changes;
}
