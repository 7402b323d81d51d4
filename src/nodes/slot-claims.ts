import type { Desk } from "./slots.js";

/** A row that a call of an earlier pass may have made. */
export interface Slotted {
  readonly slot: string;
  /** What kind of thing it is for, such as the action of an approval. */
  readonly action: string;
  /** A digest of what exactly was asked for. */
  readonly argsHash: string;
}

/** Slots that were taken by calls of one attempt, by family; a desk is one attempt. */
const claims = new WeakMap<Desk, Map<string, Set<string>>>();

/** Slots by the order of calls; approvalNode, tools, renewals and retries have fixed ones. */
const COUNTED = /^\d+$/;

/**
 * The slot of something that a node asks for by calling: on a re-run the row with these very arguments; else the first row
 * of this action that no call of this attempt has taken, since its arguments may have been computed anew; else a new one.
 *
 * @param family rows of one table; the slots of two families have nothing to do with each other
 */
export function claimSlot(
  desk: Desk,
  family: string,
  rows: readonly Slotted[],
  { action, argsHash }: Omit<Slotted, "slot">,
): string {
  const taken = takenAt(desk, family);
  const free = rows.filter((row) => COUNTED.test(row.slot) && row.action === action && !taken.has(row.slot));
  const row = free.find((candidate) => candidate.argsHash === argsHash) ?? free[0];
  const slot = row?.slot ?? unused(rows, taken);
  taken.add(slot);
  return slot;
}

function takenAt(desk: Desk, family: string): Set<string> {
  const families = claims.get(desk) ?? new Map<string, Set<string>>();
  claims.set(desk, families);
  const taken = families.get(family) ?? new Set<string>();
  families.set(family, taken);
  return taken;
}

function unused(rows: readonly Slotted[], taken: ReadonlySet<string>): string {
  const used = new Set([...taken, ...rows.map((row) => row.slot)]);
  let number = 0;
  while (used.has(String(number))) number += 1;
  return String(number);
}
