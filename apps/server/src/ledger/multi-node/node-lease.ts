/**
 * This node among the others. Its holds bear its number, and for as long as it lives it renews its row. Whoever sees one
 * unchanged for a while ends that node's holds: by the last checkpoint, or without a charge.
 */
import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { PostgresEngine } from '../../db/db.ts';
import { notifyAllTopics } from '../../db/postgres/shared-changes.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Log } from '../../platform/log.ts';
import { startRepeating } from '../../platform/repeat.ts';
import { version } from '../../platform/version.ts';
import type { HoldSettlement } from '../ledger-write.ts';
import { settleFromCheckpoint } from '../recover.ts';
import { createLeaseThread } from './lease-thread.ts';
import { LEASE_SECONDS, RENEW_MS, REVOKED, renewLease } from './renew-lease.ts';

/** A node that lost its lease has as long to find out before its holds are ended. */
const GRACE_SECONDS = 15;
/** Milliseconds after its last renewal for which a node cannot have been given up. */
const SURE_MS = (LEASE_SECONDS + GRACE_SECONDS - 1) * 1000;
const SWEEP_MS = 5_000;
const HOLDS_AT_ONCE = 500;

export interface NodeLease {
  /** @throws AppError `unavailable` when this node has lost its lease and not got a new one yet */
  id(): number;
  /** Calls back when the others have ended the holds of this node, before it begins with a new lease. */
  onLeaseLost(callback: () => void): void;
  /** Asks the database whether this node still has its lease, if it did not ask for too long; undefined otherwise. */
  confirm(): Promise<void> | undefined;
  leave(): Promise<void>;
}

interface NodeRow {
  id: number;
  name: string;
  /** End of the lease by the database's clock. Only a change of it counts, so that setting a clock ends no hold. */
  lease_until: number;
}

interface ObservedNode extends NodeRow {
  since: number;
}

const isExpired = ({ lease_until, since }: ObservedNode, now: number): boolean =>
  lease_until === REVOKED || now - since >= (LEASE_SECONDS + GRACE_SECONDS) * 1000;

/**
 * @param machine the clock that detects dead nodes
 * @param end writes the end of a hold; one that has ended already is no error
 */
export async function joinNodes(
  { pool, url }: PostgresEngine,
  { clock, machine, log }: { clock: Clock; machine: Clock; log: Log },
  end: (end: HoldSettlement) => Promise<void>,
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
  let renewedAt = machine.elapsed();
  /** Since when the database has answered; whoever was cut off from it as well has as long to come back. */
  let aliveSince = renewedAt;
  const isAlive = (): boolean => machine.elapsed() - renewedAt < LEASE_SECONDS * 1000;

  const failed = (error: unknown): void => log.error({ err: error }, 'the database cannot be reached');
  const thread = createLeaseThread(url, machine);
  let givenUp = (): void => {};
  /**
   * When the last question was asked that has ended, also by a failure: the database may be away from all nodes, which then
   * give up nobody. While a process that was stopped waits for its answer, it must not deliver.
   */
  let askedAt = renewedAt;
  const renewOnce = async (): Promise<void> => {
    const before = machine.elapsed();
    const isKept = await renewLease(pool, id).finally(() => {
      askedAt = before;
    });
    if (!isKept) {
      log.warn({ node: id }, 'this node did not renew its lease in time; other nodes have settled its holds');
      givenUp();
      id = await join();
    }
    if (!isAlive()) aliveSince = before;
    renewedAt = before;
  };
  const renew = async (): Promise<void> => {
    void thread.keep(id).catch(failed);
    // A process that was stopped meanwhile asks again at once: the answer is older than the stop.
    do await renewOnce();
    while (!isAlive());
  };
  /** The other nodes as they were last seen, and since when they have been so, by this machine's stopwatch. */
  let seen = new Map<number, ObservedNode>();
  const sweep = async (): Promise<void> => {
    const now = machine.elapsed();
    // While the database is away from all nodes, none of them renews its lease.
    if (!isAlive() || now - aliveSince < GRACE_SECONDS * 1000) return;
    const { rows } = await pool.query<NodeRow>('select id, name, lease_until from node where id <> $1', [id]);
    const last = seen;
    seen = new Map(
      rows.map((row) => {
        const before = last.get(row.id);
        return [row.id, before?.lease_until === row.lease_until ? before : { ...row, since: now }];
      }),
    );
    for (const node of seen.values()) if (isExpired(node, now)) await revokeLease(node);
  };
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
  const renewals = startRepeating(machine, RENEW_MS, renew, failed);
  const sweeps = startRepeating(machine, SWEEP_MS, sweep, failed);
  return {
    id() {
      if (!isAlive()) throw new AppError('unavailable', 'The gateway cannot reach its storage at the moment');
      return id;
    },
    onLeaseLost(callback) {
      givenUp = callback;
    },
    confirm: () => (machine.elapsed() - askedAt < SURE_MS ? undefined : renewals.runNow()),
    async leave() {
      await Promise.all([renewals.stop(), sweeps.stop()]);
      await thread.close();
      // Fails when something is held yet; then it is swept when its lease is over.
      await pool.query('delete from node where id = $1', [id]).catch(() => {});
    },
  };
}

/** @returns how many */
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
    await Promise.all(rows.map((row) => end(settleFromCheckpoint(row, nowSeconds(clock)))));
    ended += rows.length;
  }
}
