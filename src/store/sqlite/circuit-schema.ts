/**
 * Circuits: effects whose other side keeps failing, one row per name while it does. Times are milliseconds since the epoch.
 */
export const CIRCUIT_SCHEMA = `
CREATE TABLE IF NOT EXISTS waypoint_circuits (
  tenant       TEXT NOT NULL,
  name         TEXT NOT NULL,
  failures     INTEGER NOT NULL, -- one after the other, without an answer in between
  open_until   INTEGER,          -- NULL: closed so far
  probe_until  INTEGER,          -- while one call finds out whether the other side is back
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;
`;
