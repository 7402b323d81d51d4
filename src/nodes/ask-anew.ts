import type { Store } from "../store/home.js";
import type { Approval } from "./approval.js";
import { ApprovalTable } from "./approval-table.js";
import { ask, type AskRequest } from "./ask.js";
import { effectId } from "./effect-id.js";
import { EffectTable } from "./effect-table.js";
import { freezeArgs } from "./frozen-action.js";
import { staleness } from "./permission.js";
import { visitOf } from "./visit.js";

/** The effect that an approval is for; its key depends on the approval where there is no business key. */
export type EffectOf = (approval: Approval) => string;

/**
 * Asks, and asks anew within the same visit for as long as what was allowed cannot be used any more: it is older than
 * `validFor`, or the plan's version has moved on since.
 *
 * The new question is an approval of its own, with the arguments that were allowed last; it says why it is asked. From
 * then on the old one allows nothing. Nobody is asked again for what has been sent, or may have been.
 */
export async function askUntilUsable(request: AskRequest, effectOf: EffectOf): Promise<Approval> {
  return usable(await ask(request), request, effectOf);
}

/** The same for an approval that was decided elsewhere: what takes its place is asked for here. */
export async function usable(approval: Approval, request: AskRequest, effectOf: EffectOf): Promise<Approval> {
  let newest = approval;
  for (;;) {
    const renewed = await renew(newest, request, effectOf);
    if (renewed.id === newest.id) return newest;
    newest = renewed;
  }
}

/** The approval itself while it can be used; else the one that takes its place. */
async function renew(approval: Approval, request: AskRequest, effectOf: EffectOf): Promise<Approval> {
  const { ledger, task, planVersion } = request;
  const { store } = ledger;
  const table = new ApprovalTable(store);
  const visit = visitOf(task).id;
  const mayAsk = (): boolean => isGranted(approval) && needsPermission(store, effectOf(approval), visit);
  const follower = table.follower(approval.id, approval.threadId);
  const why = staleness(approval, { planVersion, now: store.clock.now() });
  if (follower === undefined && (why === undefined || !mayAsk())) return approval;
  return ask({
    ...request,
    args: approval.decidedArgs,
    summary: approval.summary,
    slot: ApprovalTable.slotAfter(approval.id),
    renewal: { of: approval, why: `${why ?? "The approval cannot be used any more"}. It is asked for again.`, mayAsk },
  });
}

export function isGranted({ state }: Approval): boolean {
  return state === "approved" || state === "edited";
}

/** Whether a call of the effect would send something, as the ledger stands now. */
function needsPermission(store: Store, id: string, visit: string): boolean {
  const table = new EffectTable(store);
  const row = table.find(id);
  if (row === undefined || row.state === "RETRYABLE") return true;
  return row.state === "FAILED" && !table.wasTriedBy(visit, row);
}

/**
 * The key of an effect that has no business key: the id of the approval. One that was asked for anew keeps the key that
 * it had, as long as the arguments are the same: an attempt under it may be known to the other side.
 */
export function keyUnder(approval: Approval, store: Store): string {
  const before = ApprovalTable.before(approval.slot);
  const earlier = before === undefined ? undefined : new ApprovalTable(store).find(before);
  if (earlier === undefined || !isGranted(earlier) || !isGranted(approval)) return approval.id;
  const same = freezeArgs(earlier.decidedArgs).hash === freezeArgs(approval.decidedArgs).hash;
  return same ? keyUnder(earlier, store) : approval.id;
}

/** @internal The id of an approval's effect where the approval gives the key. */
export function effectUnder(name: string, store: Store): EffectOf {
  return (approval) => effectId(store, name, keyUnder(approval, store));
}
