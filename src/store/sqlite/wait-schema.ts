/**
 * Waits: what wakes a visit, and until when; and the events that were delivered to a thread. A wait's row is written before
 * its question is asked. An event belongs to one wait, or is kept for one to come. Times are milliseconds since the epoch.
 */
export const WAIT_SCHEMA = `
CREATE TABLE IF NOT EXISTS waypoint_waits (
  id              TEXT PRIMARY KEY,
  tenant          TEXT NOT NULL,
  thread_id       TEXT NOT NULL,
  checkpoint_ns   TEXT NOT NULL,
  visit           TEXT NOT NULL,
  slot            TEXT NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('sleep', 'event', 'retry')),
  name            TEXT NOT NULL, -- of the event or the retry; '' for a sleep
  asked           TEXT NOT NULL, -- what the call asked for: finds its row again among others of its kind
  due_at          INTEGER,       -- when it is over; of an event, its deadline. NULL: never by itself
  reason          TEXT,
  attempts        INTEGER NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('waiting', 'arrived', 'done', 'timed-out')),
  event_id        TEXT,          -- the event that arrived
  result          TEXT,          -- the event as it was accepted, by the checkpointer's codec
  problem         TEXT,          -- why the last event or answer was refused
  created_at      INTEGER NOT NULL,
  ended_at        INTEGER,
  UNIQUE (tenant, thread_id, visit, slot)
);
CREATE INDEX IF NOT EXISTS waypoint_waits_open ON waypoint_waits (tenant, thread_id) WHERE state IN ('waiting', 'arrived');

CREATE TABLE IF NOT EXISTS waypoint_events (
  number        INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of arrival
  tenant        TEXT NOT NULL,
  thread_id     TEXT NOT NULL,
  name          TEXT NOT NULL,
  id            TEXT NOT NULL,
  payload       TEXT NOT NULL, -- by the checkpointer's codec
  delivered_at  INTEGER NOT NULL,
  wait_id       TEXT,          -- the wait that has it; NULL: kept for one to come
  problem       TEXT,          -- why the wait refused it
  UNIQUE (tenant, thread_id, name, id)
);
`;
