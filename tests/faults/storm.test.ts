/** Two nodes under load: one is paused past its lease, and PostgreSQL crashes. No charge is lost or doubled. */

import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { openPostgresPool } from '../../apps/server/src/testing/database-server.ts';
import { pick } from '../tier.ts';
import { findWrongCharges, waitUntilNoHolds } from './compare-charges.ts';
import { type NodesScene, startNodesScene } from './nodes.ts';
import { startSteadyLoad } from './relay-load.ts';

const CLIENTS = 4;
const CRASHES = pick(2, 3);
/** Longer than the node's lease, its grace period and one sweep of the other node. */
const HELD_UP_MS_MAX = 120_000;
/** Pause of a client during the lease's end: the other node stays busy, and leaves time to the other tests. */
const MEANWHILE_MS = 200;

let started: NodesScene | undefined;
let scene: NodesScene;

beforeAll(async () => {
  started = await startNodesScene({}, 2);
  if (started !== undefined) scene = started;
});
beforeEach((context) => {
  if (started === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(() => started?.close());

/** Transactions of each node. */
const startLoad = (name: string) =>
  startSteadyLoad(
    scene.nodes.products.flatMap(({ url }) => Array.from({ length: CLIENTS }, () => url)),
    scene.key,
    name,
  );

/** Ends all connections and uncommitted transactions, like a crash of the database's machine. */
async function crashPostgres(): Promise<void> {
  const pool = openPostgresPool(scene.postgres.uri);
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'switchyard' limit 1`,
  );
  // This connection ends with the others.
  pool.on('error', () => {});
  const [backend] = rows;
  if (backend === undefined) throw new Error('No node is connected to PostgreSQL');
  const ended = once(pool, 'error').catch(() => {});
  process.kill(backend.pid, 'SIGKILL');
  await ended;
  await pool.end().catch(() => {});
}

test(`PostgreSQL crashes ${CRASHES} times under load: complete responses are charged once`, async () => {
  const load = startLoad('crash');
  for (let round = 0; round < CRASHES; round += 1) {
    await load.waitForNextResponses();
    await crashPostgres();
  }
  // All clients of both nodes are served again.
  await load.waitForNextResponses();
  await load.stop();
  await waitUntilNoHolds(scene.db);
  expect(await findWrongCharges(scene.db, load.answered)).toEqual([]);
  expect((await verifyLedger(scene.db.writer)).problems).toEqual([]);
});

test('a node that is paused for longer than its lease serves nothing that it cannot charge', async () => {
  const load = startLoad('held-up');
  await load.waitForNextResponses();
  const [heldUp] = scene.nodes.products;
  const isKnown = async (): Promise<boolean> => {
    const rows = await scene.db.writer
      .selectFrom('node')
      .select('id')
      .where('name', 'like', `%:${heldUp?.process.pid}`)
      .execute();
    return rows.length > 0;
  };
  expect(await isKnown()).toBe(true);
  heldUp?.process.kill('SIGSTOP');
  const { betweenMs } = load;
  load.betweenMs = MEANWHILE_MS;
  // The other node ends its holds after its lease and grace period.
  await expect.poll(isKnown, { timeout: HELD_UP_MS_MAX, interval: 250 }).toBe(false);
  load.betweenMs = betweenMs;
  heldUp?.process.kill('SIGCONT');
  await load.waitForNextResponses();
  await load.stop();
  await waitUntilNoHolds(scene.db);
  const wrong = await findWrongCharges(scene.db, load.answered);
  expect(wrong.length, 'no more than what was on its way').toBeLessThanOrEqual(CLIENTS);
  expect((await verifyLedger(scene.db.writer)).problems).toEqual([]);
});
