/** Which objects of the checkpointer lie outside the database, and which wait to be brought there (key NULL). */
export const OUTSIDE_SCHEMA = `
CREATE TABLE IF NOT EXISTS waypoint_outside (
  object INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  key    TEXT UNIQUE, -- in the object store; the object's row has it in place of its data
  bytes  INTEGER NOT NULL
);
`;
