import type { Pool } from 'pg';

export const LEASE_SECONDS = 15;
export const RENEW_MS = 3_000;
/** Value in place of the lease's end for a node that was given up. */
export const REVOKED = 0;

/**
 * Renews a lease after its end too, as long as no other node has given this one up: perhaps the database was away from
 * all of them.
 * @returns whether the node still has it
 */
export async function renewLease(pool: Pool, nodeId: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update node set lease_until = unixepoch() + ${LEASE_SECONDS} where id = $1 and lease_until > ${REVOKED}`,
    [nodeId],
  );
  return rowCount !== 0;
}
