/**
 * This node among the others. Its holds bear its number, and its row says until when it lives, by the database's clock.
 * Whoever finds one that has been gone for a while ends its holds: by the last checkpoint, or without a charge.
 */
import { hostname } from 'node:os';
import type { Pool } from 'pg';
import { tellOfAll } from '../../db/postgres/shared-changes.ts';
import { AppError } from '../../platform/app-error.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { repeat } from '../../platform/repeat.ts';
import { version } from '../../platform/version.ts';
import type { End } from '../movement.ts';
import { endOfLeftHold } from '../recover.ts';

const LEASE_SECONDS = 15;
/** A node that lost its lease has as long to find out before its holds are ended. */
const GRACE_SECONDS = 15;
/** In place of the end of its lease. */
const GIVEN_UP = 0;
const RENEW_MS = 3_000;
const SWEEP_MS = 5_000;
const HOLDS_AT_ONCE = 500;

export interface NodeLease {
  /** @throws AppError `unavailable` when this node has lost its lease and not got a new one yet */
  id(): number;
  leave(): Promise<void>;
}

/** @param end writes the end of a hold; one that has ended already is no error */
export async function joinNodes(
  pool: Pool,
  clock: Clock,
  log: Log,
  end: (end: End) => Promise<void>,
): Promise<NodeLease> {
  const name = `${hostname()}:${process.pid}`;
  const join = async (): Promise<number> => {
    const { rows } = await pool.query<{ id: number }>(
      `insert into node (name, version, started_at, lease_until)
       values ($1, $2, unixepoch(), unixepoch() + ${LEASE_SECONDS}) returning id`,
      [name, version],
    );
    return rows[0]?.id ?? 0;
  };
  let id = await join();
  let renewedAt = performance.now();
  /** Since when the database has answered; whoever was cut off from it as well has as long to come back. */
  let aliveSince = renewedAt;
  const isAlive = (): boolean => performance.now() - renewedAt < LEASE_SECONDS * 1000;

  const renew = async (): Promise<void> => {
    const before = performance.now();
    // After its end too, as long as nobody has given this node up: perhaps the database was away from all of them.
    const { rowCount } = await pool.query(
      `update node set lease_until = unixepoch() + ${LEASE_SECONDS} where id = $1 and lease_until > ${GIVEN_UP}`,
      [id],
    );
    if (rowCount === 0) {
      log.warn({ node: id }, 'this node was away for too long; what it had under way is ended by the others');
      id = await join();
    }
    if (!isAlive()) aliveSince = before;
    renewedAt = before;
  };
  const sweep = async (): Promise<void> => {
    if (performance.now() - aliveSince < GRACE_SECONDS * 1000) return;
    const { rows } = await pool.query<{ id: number; name: string }>(
      `update node set lease_until = ${GIVEN_UP} where lease_until < unixepoch() - ${GRACE_SECONDS} returning id, name`,
    );
    for (const gone of rows) {
      const ended = await endHoldsOf(pool, clock, gone.id, end);
      await tellOfAll(pool);
      await pool.query('delete from node where id = $1', [gone.id]);
      log.warn({ node: gone.id, name: gone.name, ended }, 'ended the holds of a node that is gone');
    }
  };
  const failed = (error: unknown): void => log.error({ err: error }, 'the database cannot be reached');
  const repeated = [repeat(RENEW_MS, renew, failed), repeat(SWEEP_MS, sweep, failed)];
  return {
    id() {
      if (!isAlive()) throw new AppError('unavailable', 'The gateway cannot reach its storage at the moment');
      return id;
    },
    async leave() {
      await Promise.all(repeated.map((one) => one.stop()));
      // Fails when something is held yet; then it is swept when its lease is over.
      await pool.query('delete from node where id = $1', [id]).catch(() => {});
    },
  };
}

/** @returns how many */
async function endHoldsOf(
  pool: Pool,
  clock: Clock,
  nodeId: number,
  end: (end: End) => Promise<void>,
): Promise<number> {
  for (let ended = 0; ; ) {
    const { rows } = await pool.query<Record<string, unknown>>(
      `select request_id, user_id, api_key_id, limited, amount, checkpoint from hold where node_id = $1 limit ${HOLDS_AT_ONCE}`,
      [nodeId],
    );
    if (rows.length === 0) return ended;
    await Promise.all(rows.map((row) => end(endOfLeftHold(row, nowSeconds(clock)))));
    ended += rows.length;
  }
}
