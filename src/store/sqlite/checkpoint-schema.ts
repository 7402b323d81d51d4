/** Tables of the checkpointer: threads, their namespaces with the head of each, checkpoints, writes, objects. */
export const CHECKPOINT_SCHEMA = `
-- state, step, updated_at: the summary; NULL until the root namespace has a checkpoint.
-- deleted_at: a tombstone; what a run of before the deletion still brings is refused.
-- loose: objects of the thread that wait for a pack: for each its distance from the one before, and its length.
CREATE TABLE IF NOT EXISTS waypoint_threads (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  thread TEXT NOT NULL,
  state TEXT,
  step INTEGER,
  updated_at INTEGER,
  deleted_at INTEGER,
  loose BLOB,
  UNIQUE (tenant, thread)
);
CREATE INDEX IF NOT EXISTS waypoint_threads_by_change ON waypoint_threads (tenant, updated_at);
CREATE TABLE IF NOT EXISTS waypoint_namespaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  thread INTEGER NOT NULL,
  ns TEXT NOT NULL,
  head,
  UNIQUE (thread, ns)
);
-- Ids of checkpoints, tasks and runs: 16 bytes for a UUID, else the text. Sealed: bodies; the run is a keyed hash then.
CREATE TABLE IF NOT EXISTS waypoint_checkpoints (
  ns INTEGER NOT NULL,
  id NOT NULL,
  body BLOB NOT NULL,
  run,
  PRIMARY KEY (ns, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS waypoint_writes (
  ns INTEGER NOT NULL,
  checkpoint NOT NULL,
  task NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (ns, checkpoint, task)
) WITHOUT ROWID;
-- key: the first 6 bytes of the SHA-256; hash: the other 26. codec: above 0, the pack that has its text. owner: of a sealed object, which tenant's and key's it is.
CREATE TABLE IF NOT EXISTS waypoint_objects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key INTEGER NOT NULL,
  hash BLOB NOT NULL,
  codec INTEGER NOT NULL,
  data BLOB NOT NULL,
  owner INTEGER
);
CREATE INDEX IF NOT EXISTS waypoint_objects_key ON waypoint_objects (key);
-- id: of the object, and the ordinal among the ids that it was stored with.
CREATE TABLE IF NOT EXISTS waypoint_identities (
  id INTEGER PRIMARY KEY,
  value
);
`;
