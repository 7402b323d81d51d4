import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { RunningTask } from "../shared/langgraph.js";
import { POLICY, type Approval, type ApprovalPolicy } from "./approval.js";
import type { ApprovalDraft, ApprovalTable, Coverage } from "./approval-table.js";
import { staleness } from "./permission.js";

/** What is asked for, and under which circumstances. */
export interface Wanted {
  readonly draft: ApprovalDraft;
  readonly args: unknown;
  readonly policy: ApprovalPolicy;
  readonly task: RunningTask;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Why nobody has to be asked for this action; undefined when somebody has to. */
export async function coverageOf(wanted: Wanted, table: ApprovalTable): Promise<Coverage | undefined> {
  const { draft, args, policy, task } = wanted;
  if (policy.when !== undefined && !policy.when(args)) return { coveredBy: POLICY };
  if (draft.standsFor !== "run" || task.checkpointer === undefined) return undefined;
  const fitting = table.forRuns(draft.threadId).filter(({ approval }) => fits(approval, wanted, table));
  if (fitting.length === 0) return undefined;
  const run = await supersteps(task.checkpointer, draft.threadId, draft.superstep);
  const found = fitting.find(({ superstep }) => run.has(superstep))?.approval;
  return found && covering(found);
}

/** The same action, for the same plan, by somebody who may decide on this one too, and still good. */
function fits(approval: Approval, { draft, now }: Wanted, table: ApprovalTable): boolean {
  return (
    approval.action === draft.action &&
    approval.mode === draft.mode &&
    approval.planVersion === draft.planVersion &&
    JSON.stringify(approval.approvers) === JSON.stringify(draft.approvers) &&
    staleness(approval, { planVersion: draft.planVersion, now }) === undefined &&
    table.follower(approval.id, approval.threadId) === undefined
  );
}

/** It is good no longer than the approval behind it. */
function covering({ id, decidedBy, validUntil }: Approval): Coverage {
  return {
    coveredBy: id,
    decidedBy,
    validUntil: validUntil === undefined ? undefined : Date.parse(validUntil),
  };
}

/**
 * The checkpoints of the graph itself that led here, back to the input that the run was started with. What was approved on
 * another branch of the thread, or before that input, is not among them.
 */
async function supersteps(checkpointer: BaseCheckpointSaver, threadId: string, from: string): Promise<Set<string>> {
  const found = new Set<string>();
  let next: string | undefined = from;
  while (next !== undefined && next !== "") {
    const configurable = { thread_id: threadId, checkpoint_ns: "", checkpoint_id: next };
    const tuple = await checkpointer.getTuple({ configurable });
    if (tuple === undefined) break;
    found.add(next);
    if (tuple.metadata?.source === "input") break;
    next = tuple.parentConfig?.configurable?.checkpoint_id as string | undefined;
  }
  return found;
}
