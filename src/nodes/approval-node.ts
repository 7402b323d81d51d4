import type { Command, LangGraphRunnableConfig } from "@langchain/langgraph";
import type { RunningTask } from "../shared/langgraph.js";
import { decisionOf, type Approval, type ApprovalPolicy, type Rejection } from "./approval.js";
import { ApprovalTable } from "./approval-table.js";
import { askUntilUsable, effectUnder, keyUnder } from "./ask-anew.js";
import type { EffectContext, EffectDefinition } from "./definition.js";
import { effectWithGivenRun } from "./given-run.js";
import { findLedger, type Ledger } from "./ledger.js";
import { assertPermitted } from "./permission.js";
import { taskFor } from "./request-approval.js";
import { visitOf } from "./visit.js";

/** What a node wants to do. */
export interface Proposal<A> {
  readonly action: string;
  readonly args: A;
  readonly summary?: string;
}

/** What `perform` works with beside the arguments. */
export interface PerformContext<S> extends EffectContext {
  readonly state: S;
  readonly approval: Approval;
}

type Update<S> = Partial<S> | Command;

export interface ApprovalNodeOptions<S, A, R>
  extends
    ApprovalPolicy<A>,
    Pick<
      EffectDefinition<A, R>,
      "lookup" | "undo" | "lookupUndo" | "retry" | "timeout" | "keyTtl" | "idempotent" | "circuit" | "classify"
    > {
  /** Names the effect in the ledger; unique in the process. */
  readonly name: string;
  /** What to ask for, or undefined to skip. Once it has been asked for, it stands for the rest of the visit. */
  readonly propose: (
    state: S,
    config: LangGraphRunnableConfig,
  ) => Proposal<A> | undefined | Promise<Proposal<A> | undefined>;
  /** The outside call, with what was approved. It happens once. */
  readonly perform: (args: A, context: PerformContext<S>) => Promise<R>;
  /** The receipt into the state. It runs on every pass after the effect. */
  readonly update: (receipt: R, state: S) => Update<S>;
  /** A rejection into the state; by default nothing changes. An approval that expired is a rejection too. */
  readonly onReject?: (rejection: Rejection, state: S) => Update<S>;
  /** The version of the plan that the action belongs to; compared again when it is performed. */
  readonly planVersion?: (state: S) => number | string | undefined;
  readonly ledger?: Ledger;
}

/**
 * A node that proposes an action, asks a person, and performs what they approved, once.
 *
 * - Each visit (loop, `Send`, subgraph) has its own approval, and the approval's id is the idempotency key. One that is asked for
 *   anew keeps the key, unless its arguments are edited.
 * - What is performed is what was shown, or its edit: the arguments come from the approval's row, not from the state. At
 *   the moment of the effect the row is checked again: arguments, plan version, approver, validity.
 * - A decision that cannot be used any more (older than `validFor`, the plan has moved on) is asked for anew in the same
 *   visit, with the reason, unless the action was carried out or may have been.
 * - After a crash in the middle of `perform` the outcome is looked up with `lookup`, or a person is asked; it is never
 *   blindly repeated.
 *
 * @param options name, `propose`, `perform`, `update`, `onReject` and how to ask (see `requestApproval`)
 * @returns a node function for `addNode`
 * @throws when run: as `requestApproval` and `effect`; ApprovalMismatchError, ApprovalExpiredError, ApprovalRejectedError
 *   when the last check fails, and nothing was sent: the next run asks anew where that helps
 * @example
 * graph.addNode("refund", approvalNode({
 *   name: "refund",
 *   propose: (state: State) => state.due > 0 ? { action: "refund", args: { orderId: state.orderId, amount: state.due } } : undefined,
 *   perform: (args, { key }) => stripe.refunds.create(args, { idempotencyKey: key }),
 *   update: (receipt) => ({ receipt: receipt.id }),
 *   onReject: ({ reason }) => ({ refused: reason }),
 * }));
 */
export function approvalNode<S, A, R>(
  options: ApprovalNodeOptions<S, A, R>,
): (state: S, config: LangGraphRunnableConfig) => Promise<Update<S>> {
  const { name, propose, perform, update, onReject, planVersion, ledger: explicit, ...rest } = options;
  const { lookup, undo, lookupUndo, retry, timeout, keyTtl, idempotent, circuit, classify, ...policy } = rest;
  const limits = { lookup, undo, lookupUndo, retry, timeout, keyTtl, idempotent, circuit, classify, ledger: explicit };
  const performOnce = effectWithGivenRun<A, R>({ name, ...defined(limits) });

  return async (state, config) => {
    const task = taskFor(`The approvalNode "${name}"`, config);
    const ledger = findLedger(explicit, task);
    const slot = `node:${name}`;
    const proposal = standing(ledger, task, slot) ?? (await propose(state, config));
    if (proposal === undefined) return {};
    const version = planVersion?.(state);
    const request = { ledger, task, config, origin: "node", slot, policy, planVersion: version, ...proposal } as const;
    const effectOf = effectUnder(name, ledger.store);
    const approval = await askUntilUsable(request, effectOf);
    const decision = decisionOf<A>(approval);
    if (decision?.type !== "approve" && decision?.type !== "edit")
      return onReject?.(rejectionOf(approval), state) ?? {};
    const { action, id } = approval;
    const run = (args: A, context: EffectContext): Promise<R> => perform(args, { ...context, state, approval });
    const beforeIntent = (): void =>
      assertPermitted(new ApprovalTable(ledger.store), {
        approvalId: id,
        action,
        args: decision.args,
        planVersion: version,
        effectId: effectOf(approval),
        visit: visitOf(task).id,
        now: ledger.store.clock.now(),
      });
    const key = keyUnder(approval, ledger.store);
    const options = { approvalId: id, beforeIntent, placeHint: `${id}:` };
    const receipt = await performOnce({ key: () => key, run }, decision.args, config, options);
    return update(receipt, state);
  };
}

/** What this visit asked for on an earlier pass: `propose` is not asked twice, and cannot change its mind. */
function standing({ store }: Ledger, task: RunningTask, slot: string): Proposal<unknown> | undefined {
  const rows = new ApprovalTable(store).ofVisit(task.threadId, visitOf(task).id);
  const row = rows.find((candidate) => candidate.slot === slot);
  if (row === undefined) return undefined;
  return { action: row.action, args: row.args, ...(row.summary === undefined ? {} : { summary: row.summary }) };
}

function rejectionOf(approval: Approval): Rejection {
  const decision = decisionOf(approval);
  if (decision?.type === "reject") return decision;
  const reason = decision?.type === "respond" ? decision.message : `Nobody approved "${approval.action}" in time.`;
  const by = approval.decidedBy === undefined ? {} : { by: approval.decidedBy };
  return { type: "reject", reason, approvalId: approval.id, ...by };
}

/** Without the properties that are undefined. */
function defined<T extends object>(record: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as never;
}
