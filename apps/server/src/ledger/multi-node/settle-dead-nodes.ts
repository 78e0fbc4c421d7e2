/**
 * Settlement of the holds of dead nodes. A node that sees another's row unchanged for a while revokes that node's
 * lease and ends its holds: by the last checkpoint, or without a charge.
 */
import type { Pool } from 'pg';
import { notifyAllTopics } from '../../db/postgres/change-broadcast.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { settleFromCheckpoint } from '../abandoned-holds.ts';
import type { HoldSettlement } from '../ledger-write-types.ts';
import { LEASE_SECONDS, REVOKED } from './renew-lease.ts';

/** Time that a node has to notice its lost lease before its holds are ended. */
export const GRACE_SECONDS = 15;
const HOLDS_AT_ONCE = 500;

interface NodeRow {
  id: number;
  name: string;
  /** End of the lease by the database's clock. Only its change counts, so that setting a clock ends no hold. */
  lease_until: number;
}

interface ObservedNode extends NodeRow {
  since: number;
}

const isExpired = ({ lease_until, since }: ObservedNode, now: number): boolean =>
  lease_until === REVOKED || now - since >= (LEASE_SECONDS + GRACE_SECONDS) * 1000;

/**
 * Returns a function that settles the holds of the nodes that have died, to be called every few seconds by a node that
 * reaches the database.
 * @param machine real clock that detects dead nodes
 * @param end writes the end of a hold; a hold that has already ended is no error
 */
export function createDeadNodeSettlement(
  pool: Pool,
  { clock, machine, log }: { clock: Clock; machine: Clock; log: Log },
  end: (end: HoldSettlement) => Promise<void>,
): (ownId: number) => Promise<void> {
  /** Other nodes as last seen, and since when they are unchanged, by this machine's monotonic clock. */
  let seen = new Map<number, ObservedNode>();
  const revokeLease = async (node: ObservedNode): Promise<void> => {
    const { rowCount } = await pool.query(
      `update node set lease_until = ${REVOKED} where id = $1 and lease_until = $2`,
      [node.id, node.lease_until],
    );
    if (rowCount === 0) return;
    const ended = await settleNodeHolds(pool, clock, node.id, end);
    await notifyAllTopics(pool);
    await pool.query('delete from node where id = $1', [node.id]);
    log.warn({ node: node.id, name: node.name, ended }, 'settled the holds of a dead node');
  };
  return async (ownId) => {
    const now = machine.elapsed();
    const { rows } = await pool.query<NodeRow>('select id, name, lease_until from node where id <> $1', [ownId]);
    const last = seen;
    seen = new Map(
      rows.map((row) => {
        const before = last.get(row.id);
        return [row.id, before?.lease_until === row.lease_until ? before : { ...row, since: now }];
      }),
    );
    for (const node of seen.values()) if (isExpired(node, now)) await revokeLease(node);
  };
}

/** Returns a settlement that leaves the hold to a task that took it over after the row was read. */
function endWithNode(end: HoldSettlement): HoldSettlement {
  return { ...end, hold: { ...end.hold, endsWithNode: false } };
}

/** @returns number of ended holds */
async function settleNodeHolds(
  pool: Pool,
  clock: Clock,
  nodeId: number,
  end: (end: HoldSettlement) => Promise<void>,
): Promise<number> {
  for (let ended = 0; ; ) {
    const { rows } = await pool.query<Record<string, unknown>>(
      `select request_id, user_id, api_key_id, limited, amount, checkpoint from hold where node_id = $1 limit ${HOLDS_AT_ONCE}`,
      [nodeId],
    );
    if (rows.length === 0) return ended;
    await Promise.all(rows.map((row) => end(endWithNode(settleFromCheckpoint(row, nowSeconds(clock))))));
    ended += rows.length;
  }
}
