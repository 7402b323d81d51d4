/**
 * Artifacts: which thread holds which content under which label, the contents, and the objects outside the database that
 * are on their way in or out. A row of `waypoint_uploads` is there before its object, and goes after it, so that no crash
 * leaves an object that nobody knows.
 */
export const ARTIFACT_SCHEMA = `
CREATE TABLE IF NOT EXISTS waypoint_artifacts (
  tenant     TEXT NOT NULL,
  thread     TEXT NOT NULL,
  hash       BLOB NOT NULL,    -- identity of the content; keyed with encryption
  label      BLOB NOT NULL,    -- JSON text {hash, bytes, name, mediaType}; sealed bytes with encryption
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, thread, hash)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS waypoint_artifacts_by_content ON waypoint_artifacts (tenant, hash);
CREATE TABLE IF NOT EXISTS waypoint_artifact_contents (
  id       INTEGER PRIMARY KEY AUTOINCREMENT, -- another one when the content was stored anew
  tenant   TEXT NOT NULL,
  hash     BLOB NOT NULL,
  deflated INTEGER NOT NULL,
  sealed   INTEGER NOT NULL,
  stored   INTEGER NOT NULL, -- bytes, as stored
  data     BLOB,
  object   TEXT,             -- key in the object store, in place of data
  CHECK ((data IS NULL) <> (object IS NULL)),
  UNIQUE (tenant, hash)
);
CREATE UNIQUE INDEX IF NOT EXISTS waypoint_artifact_objects ON waypoint_artifact_contents (object) WHERE object IS NOT NULL;
CREATE TABLE IF NOT EXISTS waypoint_uploads (
  key    TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  state  TEXT NOT NULL CHECK (state IN ('uploading', 'stray', 'unused')),
  since  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS waypoint_object_home (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  token TEXT NOT NULL -- random: two databases may share one object store
);
`;
