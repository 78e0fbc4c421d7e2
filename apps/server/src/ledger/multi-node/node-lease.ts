/**
 * Membership of this node among the others. Holds carry the number of their node, which renews its row while it
 * lives. The other nodes settle the holds of a node that renews nothing.
 */
import { hostname } from 'node:os';
import type { PostgresEngine } from '../../db/open-database.ts';
import { createReadingThread } from '../../db/reading-thread.ts';
import type { Clock, Timers } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Log } from '../../platform/log.ts';
import { startRepeating } from '../../platform/timeouts-and-intervals.ts';
import { version } from '../../platform/version.ts';
import type { HoldSettlement } from '../ledger-write-types.ts';
import { LEASE_SECONDS, RENEW_MS, renewLease } from './renew-lease.ts';
import { createDeadNodeSettlement, GRACE_SECONDS } from './settle-dead-nodes.ts';

/** Milliseconds after its last renewal within which other nodes cannot have revoked a node's lease. */
const SURE_MS = (LEASE_SECONDS + GRACE_SECONDS - 1) * 1000;
const SWEEP_MS = 5_000;

export interface NodeLease {
  /** @throws AppError `unavailable` while this node has lost its lease and has no new one */
  id(): number;
  /** Registers a callback for the loss of the lease; called before this node takes a new one. */
  onLeaseLost(callback: () => void): void;
  /** Asks the database whether this node still has its lease, if the last check is too old; undefined otherwise. */
  confirm(): Promise<void> | undefined;
  leave(): Promise<void>;
}

/**
 * @param machine real clock that detects dead nodes
 * @param end writes the end of a hold; a hold that has already ended is no error
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
  /** Start of the database's current availability; other nodes that were cut off get as much time to renew. */
  let aliveSince = renewedAt;
  const isAlive = (): boolean => machine.elapsed() - renewedAt < LEASE_SECONDS * 1000;

  const failed = (error: unknown): void => log.error({ err: error }, 'the database cannot be reached');
  const thread = createLeaseThread(url, machine);
  let givenUp = (): void => {};
  /**
   * Time of the last completed check, also of a failed one: when the database is unreachable for all nodes, none
   * revokes another's lease. A process that was suspended must not deliver while it waits for the result.
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
    // If the process was suspended meanwhile, the result is older than the suspension, so it checks again at once.
    do await renewOnce();
    while (!isAlive());
  };
  const settleDeadNodes = createDeadNodeSettlement(pool, { clock, machine, log }, end);
  const sweep = async (): Promise<void> => {
    // While the database is unreachable for all nodes, no node can renew its lease.
    if (!isAlive() || machine.elapsed() - aliveSince < GRACE_SECONDS * 1000) return;
    await settleDeadNodes(id);
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
      // Fails while the node has holds; then other nodes sweep it after its lease.
      await pool.query('delete from node where id = $1', [id]).catch(() => {});
    },
  };
}

/** Worker thread that renews the lease of a node while its main thread's event loop is busy. */
interface LeaseThread {
  /** Continues to renew the lease of this node for a while. */
  keep(nodeId: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts with the first `keep`. @param url of the database */
function createLeaseThread(url: string, timers: Timers): LeaseThread {
  const worker = new URL('./lease-worker.ts', import.meta.url);
  const { run, close } = createReadingThread<number>(worker, url, timers);
  return {
    async keep(nodeId) {
      await run(nodeId);
    },
    close,
  };
}
