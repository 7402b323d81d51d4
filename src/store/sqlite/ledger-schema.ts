/**
 * The ledger: effects, every attempt at them, the questions they asked, the threads they hold up, and the processes
 * that carry them out. Times are milliseconds since the epoch.
 */
export const LEDGER_SCHEMA = `
CREATE TABLE IF NOT EXISTS waypoint_effects (
  id            TEXT PRIMARY KEY, -- digest of (tenant, name, key)
  tenant        TEXT NOT NULL,
  name          TEXT NOT NULL,
  key           TEXT NOT NULL,
  args          TEXT NOT NULL,    -- canonical JSON
  args_hash     TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('STARTED', 'RETRYABLE', 'SUCCEEDED', 'FAILED', 'UNKNOWN',
                                               'COMPENSATING', 'COMPENSATION_FAILED', 'COMPENSATED')),
  version       INTEGER NOT NULL, -- rises with every move
  fence         INTEGER NOT NULL, -- rises with every owner
  thread_id     TEXT NOT NULL,    -- of the newest attempt; '' outside a graph
  visit         TEXT NOT NULL,
  tool_call_id  TEXT,
  approval_id   TEXT,
  round         INTEGER NOT NULL, -- a definite refusal ends a round
  attempt       INTEGER NOT NULL, -- number of the newest attempt
  tries         INTEGER NOT NULL, -- attempts in this round
  round_since   INTEGER NOT NULL, -- the key's time to live counts from here
  owner         TEXT NOT NULL,
  token         TEXT NOT NULL,    -- of the newest attempt, unique
  due_at        INTEGER,
  result        TEXT,
  error         TEXT,             -- JSON {class, name, message}
  evidence      TEXT,
  since         INTEGER NOT NULL, -- in this state
  created_at    INTEGER NOT NULL,
  UNIQUE (tenant, name, key)
);
CREATE INDEX IF NOT EXISTS waypoint_effects_by_thread ON waypoint_effects (tenant, thread_id);
CREATE INDEX IF NOT EXISTS waypoint_effects_open ON waypoint_effects (tenant, state) WHERE state IN ('STARTED', 'UNKNOWN');

CREATE TABLE IF NOT EXISTS waypoint_attempts (
  effect_id   TEXT NOT NULL,
  number      INTEGER NOT NULL,
  round       INTEGER NOT NULL,
  fence       INTEGER NOT NULL,
  thread_id   TEXT NOT NULL,
  visit       TEXT NOT NULL,
  owner       TEXT NOT NULL,
  started_at  INTEGER NOT NULL,
  ended_at    INTEGER,
  outcome     TEXT CHECK (outcome IN ('succeeded', 'failed', 'not-sent', 'ambiguous', 'timed-out', 'abandoned')),
  error       TEXT,
  evidence    TEXT,
  late        TEXT, -- what came after the attempt had been given up; changes no state
  PRIMARY KEY (effect_id, number)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS waypoint_questions (
  tenant     TEXT NOT NULL,
  thread_id  TEXT NOT NULL,
  task_id    TEXT NOT NULL,
  seq        INTEGER NOT NULL, -- order of our interrupt() calls in this task
  kind       TEXT NOT NULL,
  members    TEXT NOT NULL,    -- [{place, payload}], the questions that one interrupt() asks
  stray      INTEGER NOT NULL, -- 1: the slot held an answer before the question was ever shown
  asked_at   INTEGER NOT NULL,
  PRIMARY KEY (tenant, thread_id, task_id, seq)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS waypoint_latches (
  tenant       TEXT NOT NULL,
  thread_id    TEXT NOT NULL,
  matter       TEXT NOT NULL, -- an effect id for an unknown outcome, else an id of its own
  effect_id    TEXT NOT NULL,
  code         TEXT NOT NULL,
  message      TEXT NOT NULL,
  since        INTEGER NOT NULL,
  released_at  INTEGER,
  released_by  TEXT,
  evidence     TEXT,
  PRIMARY KEY (tenant, thread_id, matter)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS waypoint_latches_by_matter ON waypoint_latches (tenant, matter);

CREATE TABLE IF NOT EXISTS waypoint_owners (
  instance       TEXT PRIMARY KEY,
  host           TEXT NOT NULL,
  pid            INTEGER NOT NULL,
  pid_namespace  TEXT,
  start_token    TEXT, -- boot id and start time; NULL where the system does not tell
  lease_until    INTEGER NOT NULL
) WITHOUT ROWID;
`;
