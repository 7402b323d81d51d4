/** Statements on waits and events. Each move is conditional on what it moves from, so that of two callers one changes nothing. */

/** Of a wait whose time is not over: `@now` is before it. */
const LIVE = "state = 'waiting' AND (due_at IS NULL OR due_at > @now)";
const OVER = "state = 'waiting' AND due_at <= @now";

export const WAITS = {
  insert: `INSERT INTO waypoint_waits (id, tenant, thread_id, checkpoint_ns, visit, slot, kind, name, asked, due_at, reason, attempts,
      state, created_at, ended_at)
    VALUES (@id, @tenant, @threadId, @checkpointNs, @visit, @slot, @kind, @name, @asked, @dueAt, @reason, @attempts,
      @state, @now, CASE @state WHEN 'waiting' THEN NULL ELSE @now END)
    ON CONFLICT (tenant, thread_id, visit, slot) DO NOTHING`,
  bySlot: "SELECT * FROM waypoint_waits WHERE tenant = ? AND thread_id = ? AND visit = ? AND slot = ?",
  byId: "SELECT * FROM waypoint_waits WHERE tenant = ? AND id = ?",
  ofVisit: "SELECT * FROM waypoint_waits WHERE tenant = ? AND thread_id = ? AND visit = ? ORDER BY rowid",
  open: "SELECT * FROM waypoint_waits WHERE tenant = ? AND state IN ('waiting', 'arrived') ORDER BY created_at, rowid",
  openOfThread: `SELECT * FROM waypoint_waits WHERE tenant = ? AND thread_id = ? AND state IN ('waiting', 'arrived')
    ORDER BY created_at, rowid`,
  /** The wait that an event of this name goes to. */
  firstLive: `SELECT * FROM waypoint_waits WHERE tenant = @tenant AND thread_id = @threadId AND kind = 'event' AND name = @name
    AND ${LIVE} ORDER BY rowid LIMIT 1`,
  /** A sleep or a retry whose time has come is done, an event's wait has timed out. */
  end: `UPDATE waypoint_waits SET state = CASE kind WHEN 'event' THEN 'timed-out' ELSE 'done' END, ended_at = @now
    WHERE tenant = @tenant AND id = @id AND ${OVER}`,
  /** The same for what a thread no longer asks. */
  endOfThread: `UPDATE waypoint_waits SET state = CASE kind WHEN 'event' THEN 'timed-out' ELSE 'done' END, ended_at = @now
    WHERE tenant = @tenant AND thread_id = @threadId AND ${OVER} AND id NOT IN (SELECT value FROM json_each(@asked))`,
  arrive:
    "UPDATE waypoint_waits SET state = 'arrived', event_id = @eventId WHERE tenant = @tenant AND id = @id AND state = 'waiting'",
  accept: `UPDATE waypoint_waits SET state = 'done', result = @result, problem = NULL, ended_at = @now
    WHERE tenant = @tenant AND id = @id AND state = 'arrived' AND event_id = @eventId`,
  refuse: `UPDATE waypoint_waits SET state = 'waiting', event_id = NULL, problem = @problem
    WHERE tenant = @tenant AND id = @id AND state = 'arrived' AND event_id = @eventId`,
  note: "UPDATE waypoint_waits SET problem = @problem WHERE tenant = @tenant AND id = @id",
  postpone: `UPDATE waypoint_waits SET state = 'waiting', attempts = attempts + 1, due_at = @dueAt, reason = @reason, ended_at = NULL
    WHERE tenant = @tenant AND id = @id`,
  deleteThread: "DELETE FROM waypoint_waits WHERE tenant = ? AND thread_id = ?",
} as const;

export const EVENTS = {
  insert: `INSERT INTO waypoint_events (tenant, thread_id, name, id, payload, delivered_at)
    VALUES (@tenant, @threadId, @name, @id, @payload, @now) ON CONFLICT DO NOTHING`,
  find: "SELECT * FROM waypoint_events WHERE tenant = @tenant AND thread_id = @threadId AND name = @name AND id = @id",
  give: "UPDATE waypoint_events SET wait_id = @waitId WHERE number = @number AND wait_id IS NULL",
  /** The oldest one that is kept: delivered before the wait was opened, or before its deadline. */
  kept: `SELECT * FROM waypoint_events WHERE tenant = @tenant AND thread_id = @threadId AND name = @name AND wait_id IS NULL
    AND (delivered_at <= @openedAt OR @dueAt IS NULL OR delivered_at < @dueAt) ORDER BY number LIMIT 1`,
  refuse: `UPDATE waypoint_events SET problem = @problem
    WHERE tenant = @tenant AND thread_id = @threadId AND name = @name AND id = @eventId`,
  deleteThread: "DELETE FROM waypoint_events WHERE tenant = ? AND thread_id = ?",
} as const;
