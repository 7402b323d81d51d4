/** Statements on approvals. Each move is conditional on what it moves from, so that of two callers one changes nothing. */
export const APPROVALS = {
  insert: `INSERT INTO waypoint_approvals (id, tenant, thread_id, checkpoint_ns, superstep, visit, slot, origin, tool_call_id, action, args,
      args_hash, summary, action_hash, plan_version, approvers, allowed, mode, decide_by, valid_for, stands_for, problem, state, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?)
    ON CONFLICT (tenant, thread_id, visit, slot) DO NOTHING`,
  bySlot: "SELECT * FROM waypoint_approvals WHERE tenant = ? AND thread_id = ? AND visit = ? AND slot = ?",
  byId: "SELECT * FROM waypoint_approvals WHERE tenant = ? AND id = ?",
  /** The one that took another's place; its slot names that one. */
  follower: "SELECT * FROM waypoint_approvals WHERE tenant = ? AND thread_id = ? AND slot = ? ORDER BY rowid LIMIT 1",
  ofVisit:
    "SELECT * FROM waypoint_approvals WHERE tenant = ? AND thread_id = ? AND visit = ? ORDER BY created_at, rowid",
  ofCall:
    "SELECT * FROM waypoint_approvals WHERE tenant = ? AND thread_id = ? AND tool_call_id = ? ORDER BY created_at DESC, rowid DESC",
  pending: "SELECT * FROM waypoint_approvals WHERE tenant = ? AND state = 'pending' ORDER BY created_at, rowid",
  pendingOfThread:
    "SELECT * FROM waypoint_approvals WHERE tenant = ? AND state = 'pending' AND thread_id = ? ORDER BY created_at, rowid",
  besides: `SELECT count(*) AS n FROM waypoint_approvals AS other, waypoint_approvals AS own
    WHERE own.id = ? AND other.tenant = own.tenant AND other.thread_id = own.thread_id AND other.superstep = own.superstep
      AND other.checkpoint_ns <> own.checkpoint_ns AND other.state = 'pending'`,
  settle: `UPDATE waypoint_approvals SET state = ?, decided_args = ?, decided_hash = ?, reason = ?, decided_by = ?, decided_at = ?,
      valid_until = ? + valid_for, problem = NULL, version = version + 1
    WHERE tenant = ? AND id = ? AND state = 'pending' AND (decide_by IS NULL OR decide_by >= ?)`,
  cover: `UPDATE waypoint_approvals SET state = 'approved', decided_args = ?, decided_hash = ?, decided_by = ?, decided_at = ?,
      valid_until = ?, covered_by = ?, version = version + 1
    WHERE tenant = ? AND id = ? AND state = 'pending'`,
  forRuns: `SELECT * FROM waypoint_approvals WHERE tenant = ? AND state = 'approved' AND thread_id = ? AND stands_for = 'run'
      AND covered_by IS NULL
    ORDER BY decided_at DESC, rowid DESC`,
  expire: `UPDATE waypoint_approvals SET state = 'expired', decided_at = ?, version = version + 1
    WHERE tenant = ? AND id = ? AND state = 'pending' AND decide_by < ?`,
  judge: `UPDATE waypoint_approvals SET answers_judged = ?, problem = coalesce(?, problem), version = version + 1
    WHERE tenant = ? AND id = ? AND answers_judged < ?`,
  reopen: `UPDATE waypoint_approvals SET state = 'pending', decided_args = NULL, decided_hash = NULL, decided_by = NULL, decided_at = NULL,
      valid_until = NULL, problem = ?, version = version + 1
    WHERE tenant = ? AND id = ? AND state = 'edited' AND used_by IS NULL`,
  use: "UPDATE waypoint_approvals SET used_by = ?, used_in = ?, version = version + 1 WHERE tenant = ? AND id = ? AND used_by IS NULL",
  claimNotice: "UPDATE waypoint_approvals SET notified_at = ? WHERE tenant = ? AND id = ? AND notified_at IS NULL",
  releaseNotice: "UPDATE waypoint_approvals SET notified_at = NULL WHERE tenant = ? AND id = ? AND notified_at = ?",
} as const;
