/**
 * Memos: values that a visit took once and takes again on every re-run. The row of (tenant, thread, visit, kind, name) is
 * inserted or not at all, so that the first value that is recorded is everybody's. Times are milliseconds since the epoch.
 */
export const MEMO_SCHEMA = `
CREATE TABLE IF NOT EXISTS waypoint_memos (
  tenant      TEXT NOT NULL,
  thread_id   TEXT NOT NULL,
  visit       TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('memo', 'now', 'random', 'uuid')),
  name        TEXT NOT NULL, -- '' for the unnamed one of its kind
  args        TEXT NOT NULL, -- canonical JSON
  args_hash   TEXT NOT NULL,
  value       TEXT NOT NULL, -- by the checkpointer's codec
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (tenant, thread_id, visit, kind, name)
);
`;
