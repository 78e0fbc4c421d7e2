import type { Pool } from 'pg';

export const LEASE_SECONDS = 15;
export const RENEW_MS = 3_000;
/** Replaces the lease's end of a node that was considered dead. */
export const REVOKED = 0;

/**
 * Renews a lease, also after its end, unless another node has revoked it: the database may have been unreachable for
 * all nodes.
 * @returns whether the node still has the lease
 */
export async function renewLease(pool: Pool, nodeId: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update node set lease_until = unixepoch() + ${LEASE_SECONDS} where id = $1 and lease_until > ${REVOKED}`,
    [nodeId],
  );
  return rowCount !== 0;
}
