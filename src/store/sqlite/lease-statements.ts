/** Statements on leases. A lease is renewed and given back by fence and token together, never by one of them. */
export const LEASES = {
  find: `SELECT fence, token_hash AS tokenHash, owner, lease_until AS leaseUntil FROM waypoint_leases
    WHERE tenant = ? AND thread = ?`,
  /** Gives no row while another lease is alive. */
  acquire: `INSERT INTO waypoint_leases (tenant, thread, fence, token_hash, owner, lease_until)
    VALUES (@tenant, @thread, 1, @tokenHash, @owner, @leaseUntil)
    ON CONFLICT DO UPDATE SET fence = fence + 1, token_hash = excluded.token_hash, owner = excluded.owner,
      lease_until = excluded.lease_until
    WHERE token_hash IS NULL OR lease_until <= @now
    RETURNING fence`,
  renew: `UPDATE waypoint_leases SET lease_until = @leaseUntil
    WHERE tenant = @tenant AND thread = @thread AND fence = @fence AND token_hash = @tokenHash`,
  release: `UPDATE waypoint_leases SET token_hash = NULL, owner = NULL, lease_until = 0
    WHERE tenant = @tenant AND thread = @thread AND fence = @fence AND token_hash = @tokenHash`,
  end: "UPDATE waypoint_leases SET token_hash = NULL, owner = NULL, lease_until = 0 WHERE tenant = ? AND thread = ?",
} as const;

export interface LeaseRow {
  readonly fence: number;
  readonly tokenHash: Buffer | null;
  readonly owner: string | null;
  readonly leaseUntil: number;
}
