import type { Approval, ApprovalMode, ApprovalOrigin, ApprovalState, DecisionType } from "./approval.js";

/** An approval as its row has it. Times are milliseconds since the epoch. */
export interface ApprovalRow {
  id: string;
  thread_id: string;
  checkpoint_ns: string;
  visit: string;
  slot: string;
  origin: ApprovalOrigin;
  tool_call_id: string | null;
  action: string;
  args: string;
  args_hash: string;
  summary: string | null;
  action_hash: string;
  plan_version: string | null;
  approvers: string | null;
  allowed: string;
  mode: ApprovalMode;
  decide_by: number | null;
  valid_for: number | null;
  state: ApprovalState;
  decided_args: string | null;
  decided_hash: string | null;
  reason: string | null;
  decided_by: string | null;
  decided_at: number | null;
  valid_until: number | null;
  answers_judged: number;
  problem: string | null;
  used_by: string | null;
  used_in: string | null;
  version: number;
  created_at: number;
  notified_at: number | null;
}

export function approvalFrom(row: ApprovalRow): Approval {
  return {
    id: row.id,
    threadId: row.thread_id,
    checkpointNs: row.checkpoint_ns,
    visit: row.visit,
    slot: row.slot,
    origin: row.origin,
    action: row.action,
    args: JSON.parse(row.args),
    argsHash: row.args_hash,
    actionHash: row.action_hash,
    allowedDecisions: JSON.parse(row.allowed) as DecisionType[],
    mode: row.mode,
    state: row.state,
    version: row.version,
    createdAt: iso(row.created_at),
    ...present("toolCallId", row.tool_call_id),
    ...present("summary", row.summary),
    ...present("planVersion", row.plan_version),
    ...present("approvers", row.approvers === null ? null : (JSON.parse(row.approvers) as string[])),
    ...present("decideBy", isoOrNull(row.decide_by)),
    ...present("validFor", row.valid_for),
    ...present("decidedArgs", row.decided_args === null ? null : (JSON.parse(row.decided_args) as unknown)),
    ...present("decidedHash", row.decided_hash),
    ...present("reason", row.reason),
    ...present("decidedBy", row.decided_by),
    ...present("decidedAt", isoOrNull(row.decided_at)),
    ...present("validUntil", isoOrNull(row.valid_until)),
    ...present("usedBy", row.used_by),
    ...present("usedIn", row.used_in),
    ...present("problem", row.problem),
    ...present("notifiedAt", isoOrNull(row.notified_at)),
  };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds);
}

/** The property, or nothing where the column is NULL. */
function present<K extends keyof Approval>(key: K, value: Approval[K] | null): Pick<Approval, K> | undefined {
  return value === null ? undefined : ({ [key]: value } as Pick<Approval, K>);
}
