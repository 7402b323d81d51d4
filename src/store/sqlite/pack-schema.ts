/** Objects that were said one after the other, deflated together. */
export const PACK_SCHEMA = `
-- data: 16 bytes of the SHA-256 of the plain form, then that form, deflated: the ids of its objects, and their texts.
CREATE TABLE IF NOT EXISTS waypoint_packs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  members INTEGER NOT NULL,
  data BLOB NOT NULL
);
`;
