/**
 * Renews the lease of a node on a separate connection. A renewal proves that the process runs, reaches the
 * database, and that its main thread was not busy for more than two minutes. A suspended process renews nothing. A
 * main thread that hangs for good loses its lease, and the other nodes end its holds.
 */
import { workerData } from 'node:worker_threads';
import { openPool } from '../../db/postgres/pools.ts';
import { serveThreadRequests } from '../../db/reading-thread.ts';
import { systemClock } from '../../platform/clock.ts';
import { startRepeating } from '../../platform/timeouts-and-intervals.ts';
import { RENEW_MS, renewLease } from './renew-lease.ts';

const MAIN_BUSY_MAX_MS = 120_000;
/** Shorter than the lease, so that a hanging connection does not lose it. */
const QUERY_MS = 5_000;

const pool = openPool(String(workerData), { max: 1, query_timeout: QUERY_MS, lock_timeout: QUERY_MS });
let nodeId: number | undefined;
let askedAt = 0;

startRepeating(
  systemClock,
  RENEW_MS,
  async () => {
    if (nodeId !== undefined && systemClock.elapsed() - askedAt < MAIN_BUSY_MAX_MS) await renewLease(pool, nodeId);
  },
  // The main thread reports the failure.
  () => {},
);

serveThreadRequests<number>(async (id) => {
  nodeId = id;
  askedAt = systemClock.elapsed();
});
