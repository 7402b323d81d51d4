import type { Approval } from "./approval.js";
import type { Desk } from "./slots.js";

/** Slots that were taken by calls of one attempt; a desk is one attempt. */
const claims = new WeakMap<Desk, Set<string>>();

/** Slots by the order of calls; approvalNode, tools and renewals have fixed ones. */
const COUNTED = /^\d+$/;

/**
 * The slot of an approval that a node asks for: on a re-run the row with these very arguments; else the first row of
 * this action that no call of this attempt has taken, since its arguments may have been computed anew; else a new one.
 */
export function claimSlot(desk: Desk, rows: readonly Approval[], action: string, argsHash: string): string {
  const taken = claims.get(desk) ?? new Set<string>();
  claims.set(desk, taken);
  const free = rows.filter((row) => COUNTED.test(row.slot) && row.action === action && !taken.has(row.slot));
  const row = free.find((candidate) => candidate.argsHash === argsHash) ?? free[0];
  const slot = row?.slot ?? unused(rows, taken);
  taken.add(slot);
  return slot;
}

function unused(rows: readonly Approval[], taken: ReadonlySet<string>): string {
  const used = new Set([...taken, ...rows.map((row) => row.slot)]);
  let number = 0;
  while (used.has(String(number))) number += 1;
  return String(number);
}
