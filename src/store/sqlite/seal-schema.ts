/** Which tenants are sealed: something sealed with the key of each, that tells whether a given key is the one. */
export const SEAL_SCHEMA = `
CREATE TABLE IF NOT EXISTS waypoint_seals (
  tenant TEXT PRIMARY KEY,
  proof  BLOB NOT NULL
) WITHOUT ROWID;
`;
