/** The ledger's statements in SQLite's dialect. Every move names the version and fence that it starts from. */

export const QUESTIONS = {
  all: `SELECT seq, kind, members, stray FROM waypoint_questions
    WHERE tenant = ? AND thread_id = ? AND task_id = ? ORDER BY seq`,
  add: `INSERT INTO waypoint_questions (tenant, thread_id, task_id, seq, kind, members, stray, asked_at)
    VALUES (?, ?, ?, ?, ?, ?, 0, ?) ON CONFLICT DO NOTHING`,
  markStray: "UPDATE waypoint_questions SET stray = 1 WHERE tenant = ? AND thread_id = ? AND task_id = ? AND seq = ?",
} as const;

export const EFFECTS = {
  byId: "SELECT * FROM waypoint_effects WHERE tenant = ? AND id = ?",
  insert: `INSERT INTO waypoint_effects (id, tenant, name, key, args, args_hash, state, version, fence, thread_id, visit,
      tool_call_id, approval_id, round, attempt, tries, round_since, owner, token, since, created_at)
    VALUES (@id, @tenant, @name, @key, @args, @argsHash, 'STARTED', 1, 1, @threadId, @visit,
      @toolCallId, @approvalId, 1, 1, 1, @now, @owner, @token, @now, @now)
    ON CONFLICT DO NOTHING`,
  restart: `UPDATE waypoint_effects SET state = 'STARTED', version = version + 1, fence = fence + 1, thread_id = @threadId,
      visit = @visit, tool_call_id = @toolCallId, approval_id = coalesce(@approvalId, approval_id), round = @round,
      attempt = attempt + 1, tries = @tries, round_since = @roundSince, owner = @owner, token = @token, due_at = NULL,
      result = NULL, error = NULL, since = @now
    WHERE id = @id AND version = @version AND fence = @fence`,
  settle: `UPDATE waypoint_effects SET state = @state, version = version + 1, due_at = @dueAt, result = @result, error = @error,
      evidence = coalesce(@evidence, evidence), since = @now
    WHERE id = @id AND version = @version AND fence = @fence`,
  /** Follows what its undo does; nothing else leaves these states. */
  compensate: `UPDATE waypoint_effects SET state = @state, version = version + 1, since = @now,
      evidence = coalesce(@evidence, evidence)
    WHERE tenant = @tenant AND id = @id AND state IN ('SUCCEEDED', 'COMPENSATING', 'COMPENSATION_FAILED')`,
  open: `SELECT * FROM waypoint_effects WHERE tenant = ? AND state IN ('STARTED', 'UNKNOWN') ORDER BY created_at, id`,
  openOfThread: `SELECT * FROM waypoint_effects WHERE tenant = ? AND thread_id = ? AND state IN ('STARTED', 'UNKNOWN')
    ORDER BY created_at, id`,
  all: "SELECT * FROM waypoint_effects WHERE tenant = ? ORDER BY created_at, rowid",
  allOfThread: "SELECT * FROM waypoint_effects WHERE tenant = ? AND thread_id = ? ORDER BY created_at, rowid",
} as const;

/** Moves that found the effect elsewhere than they thought: races lost, fences gone stale. */
export const CONFLICTS = {
  count: `INSERT INTO waypoint_meta (key, value) VALUES ('ledger-conflicts', 1)
    ON CONFLICT DO UPDATE SET value = value + 1`,
  read: "SELECT value FROM waypoint_meta WHERE key = 'ledger-conflicts'",
} as const;

export const ATTEMPTS = {
  add: `INSERT INTO waypoint_attempts (effect_id, number, round, fence, thread_id, visit, owner, started_at)
    SELECT id, attempt, round, fence, thread_id, visit, owner, since FROM waypoint_effects WHERE id = ?`,
  end: `UPDATE waypoint_attempts SET ended_at = @now, outcome = @outcome, error = @error, evidence = @evidence
    WHERE effect_id = @id AND number = @number AND outcome IS NULL`,
  setEvidence: "UPDATE waypoint_attempts SET evidence = @evidence WHERE effect_id = @id AND number = @number",
  late: "UPDATE waypoint_attempts SET late = @late WHERE effect_id = @id AND number = @number",
  of: "SELECT * FROM waypoint_attempts WHERE effect_id = ? ORDER BY number",
} as const;

export const LATCHES = {
  /** A matter of the same effect does not hold that effect up: it is what settles the matter. */
  first: `SELECT * FROM waypoint_latches WHERE tenant = ? AND thread_id = ? AND effect_id <> ? AND released_at IS NULL
    ORDER BY since LIMIT 1`,
  find: "SELECT * FROM waypoint_latches WHERE tenant = ? AND matter = ? ORDER BY released_at IS NOT NULL, since DESC LIMIT 1",
  set: `INSERT INTO waypoint_latches (tenant, thread_id, matter, effect_id, code, message, since)
    VALUES (@tenant, @threadId, @matter, @effectId, @code, @message, @now)
    ON CONFLICT DO UPDATE SET code = excluded.code, message = excluded.message, since = excluded.since,
      released_at = NULL, released_by = NULL, evidence = NULL
    WHERE released_at IS NOT NULL`,
  release: `UPDATE waypoint_latches SET released_at = @now, released_by = @by, evidence = @evidence
    WHERE tenant = @tenant AND matter = @matter AND released_at IS NULL`,
} as const;

export const OWNERS = {
  find: "SELECT * FROM waypoint_owners WHERE instance = ?",
  renew: `INSERT INTO waypoint_owners (instance, host, pid, pid_namespace, start_token, lease_until)
    VALUES (@instance, @host, @pid, @pidNamespace, @startToken, @leaseUntil)
    ON CONFLICT DO UPDATE SET lease_until = excluded.lease_until`,
} as const;
