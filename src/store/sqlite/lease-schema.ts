/**
 * Leases: who may write to a thread now, one row per thread. The row stays when the lease ends, so that the fence of the
 * next owner is a greater one.
 */
export const LEASE_SCHEMA = `
CREATE TABLE IF NOT EXISTS waypoint_leases (
  tenant      TEXT NOT NULL,
  thread      TEXT NOT NULL,
  fence       INTEGER NOT NULL, -- rises with each owner
  token_hash  BLOB,             -- SHA-256: who reads the database cannot write in the owner's name; NULL: nobody's
  owner       TEXT,             -- a name for people
  lease_until INTEGER NOT NULL, -- milliseconds since the epoch
  PRIMARY KEY (tenant, thread)
) WITHOUT ROWID;
`;
