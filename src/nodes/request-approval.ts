import type { RunnableConfig } from "@langchain/core/runnables";
import { InvalidInputError } from "../shared/errors.js";
import { runningTask, type RunningTask } from "../shared/langgraph.js";
import { decisionOf, type ApprovalPolicy, type Decision } from "./approval.js";
import { tie } from "./approved-args.js";
import { askUntilUsable } from "./ask-anew.js";
import { findLedger, type Ledger } from "./ledger.js";
import { refuseInsideRun } from "./run-scope.js";

/** No effect has this id: nothing has been carried out under the approval yet. */
const NO_EFFECT = "";

/** What to ask, and how. */
export interface ApprovalOptions<A> extends ApprovalPolicy<A> {
  /** What will be done, such as `"refund"`. */
  readonly action: string;
  /** With what; plain JSON. Shown to the person and frozen. */
  readonly args: A;
  /** A model's or your own words about it; shown after the arguments. */
  readonly summary?: string;
  readonly planVersion?: number | string;
  readonly ledger?: Ledger;
}

/**
 * Asks a person before something is done, and returns what they decided.
 *
 * - The question is a row, synced to disk before anybody is asked. On every re-run the row stands: what comes back in
 *   `args` is what was shown (or its edit), whatever the state says by then. Perform `decision.args`, nothing else.
 * - The interrupt carries langchain's `HITLRequest` and the approval's id. Several approvals asked in a `Promise.all`
 *   become one request.
 * - *Open* (default): a plain `Command({ resume })` decides. *Bound* (with `approvers`, or by choice): the row decides,
 *   through `decide()`, or a resume that names the approval and passes `identify`. Any other answer asks again.
 * - An effect that is called with `decision.args`, this very object, is checked at the moment it is carried out: the
 *   arguments are still those that were decided, and `validFor` has not run out. A decision that has grown too old, or
 *   whose `planVersion` has moved, before anything was carried out under it, is asked for anew.
 * - An answer of the wrong shape, or given before the question was shown, decides nothing: it asks again and says why.
 *
 * @param options `action` and `args`; `decideWithin` and `validFor` as durations; `schema` validates edits
 * @param config the node's config; optional where async-local storage works
 * @returns approve, edit, reject, respond (where allowed) or expired
 * @throws GraphInterrupt while nobody has decided (let it pass); NoLedgerError, NotDurableError, InvalidInputError
 * @example
 * const decision = await requestApproval({ action: "refund", args: { orderId, amount } }, config);
 * if (decision.type === "approve" || decision.type === "edit") await refund(decision.args, config);
 */
export async function requestApproval<A>(options: ApprovalOptions<A>, config?: RunnableConfig): Promise<Decision<A>> {
  const task = taskFor("requestApproval", config);
  const { action, args, summary, planVersion, ledger, ...policy } = options;
  const request = {
    ledger: findLedger(ledger, task),
    task,
    config: task.config,
    origin: "node",
    action,
    args,
    summary,
    planVersion,
    policy,
  } as const;
  const approval = await askUntilUsable(request, ({ usedBy }) => usedBy ?? NO_EFFECT);
  const decision = decisionOf<A>(approval) as Decision<A>;
  if ("args" in decision) tie(decision.args, { approvalId: approval.id, store: request.ledger.store });
  return decision;
}

/** @internal */
export function taskFor(what: string, config: RunnableConfig | undefined): RunningTask {
  const task = runningTask(config);
  refuseInsideRun(what, task);
  if (task !== undefined) return task;
  throw new InvalidInputError(
    `${what} was called outside a running graph node, so there is nobody to wait for an answer. Call it in a node, and pass the node's config.`,
  );
}
