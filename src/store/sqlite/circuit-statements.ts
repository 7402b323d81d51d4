/** Statements on circuits in SQLite's dialect. */
export const CIRCUITS = {
  find: `SELECT failures, open_until AS openUntil, probe_until AS probeUntil FROM waypoint_circuits
    WHERE tenant = ? AND name = ?`,
  probe: "UPDATE waypoint_circuits SET probe_until = @probeUntil WHERE tenant = @tenant AND name = @name",
  /** Opens with the failure that reaches the limit, and with every one after it. */
  fail: `INSERT INTO waypoint_circuits (tenant, name, failures, open_until)
    VALUES (@tenant, @name, 1, CASE WHEN @limit <= 1 THEN @openUntil END)
    ON CONFLICT DO UPDATE SET failures = failures + 1, probe_until = NULL,
      open_until = CASE WHEN failures + 1 >= @limit THEN max(coalesce(open_until, 0), @openUntil) END`,
  close: "DELETE FROM waypoint_circuits WHERE tenant = ? AND name = ?",
} as const;

export interface CircuitRow {
  readonly failures: number;
  readonly openUntil: number | null;
  readonly probeUntil: number | null;
}
