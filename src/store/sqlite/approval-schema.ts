/**
 * Approvals: one row binds a person's decision to an exact action. The row is written before anybody is asked and is
 * unique per (tenant, thread, visit, slot), so that a re-run finds what was shown and never asks for something else.
 */
export const APPROVAL_SCHEMA = `
CREATE TABLE IF NOT EXISTS waypoint_approvals (
  id             TEXT PRIMARY KEY,
  tenant         TEXT NOT NULL,
  thread_id      TEXT NOT NULL,
  checkpoint_ns  TEXT NOT NULL,
  superstep      TEXT NOT NULL, -- id of the root checkpoint: questions that are open together share it
  visit          TEXT NOT NULL,
  slot           TEXT NOT NULL,
  origin         TEXT NOT NULL CHECK (origin IN ('node', 'tool', 'middleware')),
  tool_call_id   TEXT,
  action         TEXT NOT NULL,
  args           TEXT NOT NULL, -- canonical JSON, frozen
  args_hash      TEXT NOT NULL,
  summary        TEXT,
  action_hash    TEXT NOT NULL, -- over action, arguments, summary, in this order
  plan_version   TEXT,
  approvers      TEXT,          -- JSON array; NULL: whoever may resume the thread
  allowed        TEXT NOT NULL, -- JSON array of decision types
  mode           TEXT NOT NULL CHECK (mode IN ('open', 'bound')),
  decide_by      INTEGER,
  valid_for      INTEGER,
  state          TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'edited', 'rejected', 'responded', 'expired')),
  decided_args   TEXT,
  decided_hash   TEXT,
  reason         TEXT,
  decided_by     TEXT,
  decided_at     INTEGER,
  valid_until    INTEGER,
  answers_judged INTEGER NOT NULL DEFAULT 0, -- an answer that was refused once is never judged again
  problem        TEXT,
  used_by        TEXT,          -- the one effect that this approval allowed
  used_in        TEXT,          -- the visit that made it
  stands_for     TEXT CHECK (stands_for = 'run'), -- an approval allows every action of this name in the run
  covered_by     TEXT,          -- why nobody was asked: 'policy', or the approval that stands for the run
  version        INTEGER NOT NULL DEFAULT 1,
  created_at     INTEGER NOT NULL,
  notified_at    INTEGER,
  UNIQUE (tenant, thread_id, visit, slot)
);
CREATE INDEX IF NOT EXISTS waypoint_approvals_by_state ON waypoint_approvals (tenant, state, thread_id, created_at);
CREATE INDEX IF NOT EXISTS waypoint_approvals_by_call ON waypoint_approvals (tenant, thread_id, tool_call_id) WHERE tool_call_id IS NOT NULL;
`;
