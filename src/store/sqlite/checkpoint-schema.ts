/** Tables of the checkpointer: threads, their namespaces with the head of each, checkpoints, writes, objects. */
export const CHECKPOINT_SCHEMA = `
CREATE TABLE IF NOT EXISTS waypoint_threads (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  thread TEXT NOT NULL,
  state TEXT, -- the summary: NULL until the root namespace has a checkpoint
  step INTEGER,
  updated_at INTEGER,
  deleted_at INTEGER, -- a tombstone: what a run of before the deletion still brings is refused
  UNIQUE (tenant, thread)
);
CREATE INDEX IF NOT EXISTS waypoint_threads_by_change ON waypoint_threads (tenant, updated_at);
CREATE TABLE IF NOT EXISTS waypoint_namespaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  thread INTEGER NOT NULL,
  ns TEXT NOT NULL,
  head TEXT,
  UNIQUE (thread, ns)
);
CREATE TABLE IF NOT EXISTS waypoint_names (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS waypoint_checkpoints (
  ns INTEGER NOT NULL,
  id TEXT NOT NULL,
  parent TEXT,
  shape INTEGER NOT NULL,
  body TEXT NOT NULL,
  metadata TEXT NOT NULL,
  run INTEGER, -- name of the run that stored it, where it said so
  PRIMARY KEY (ns, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS waypoint_writes (
  ns INTEGER NOT NULL,
  checkpoint TEXT NOT NULL,
  task TEXT NOT NULL,
  idx INTEGER NOT NULL,
  channel INTEGER NOT NULL,
  path INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (ns, checkpoint, task, idx)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS waypoint_objects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key INTEGER NOT NULL,
  hash BLOB NOT NULL,
  codec INTEGER NOT NULL,
  data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS waypoint_objects_key ON waypoint_objects (key);
`;
