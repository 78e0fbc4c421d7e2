/** Two nodes under load: one is held up past its lease, and PostgreSQL crashes. No charge is lost or made twice. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { postgresPool } from '../../apps/server/src/testing/database-server.ts';
import { untilNothingIsHeld, wronglyCharged } from './charges.ts';
import { type NodesScene, startNodesScene } from './nodes.ts';
import { startSteadyLoad } from './relay-load.ts';

const CLIENTS = 4;
/** Longer than its lease and the grace after it. */
const HELD_UP_MS = 40_000;

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

/** Of each node by itself. */
const startLoad = (name: string) =>
  startSteadyLoad(
    scene.nodes.products.flatMap(({ url }) => Array.from({ length: CLIENTS }, () => url)),
    scene.key,
    name,
  );

/** Ends all connections and everything that is not committed, as a crash of its machine. */
async function crashPostgres(): Promise<void> {
  const pool = postgresPool(scene.postgres.uri);
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'switchyard' limit 1`,
  );
  pool.on('error', () => {});
  const [backend] = rows;
  if (backend === undefined) throw new Error('No node is connected to PostgreSQL');
  process.kill(backend.pid, 'SIGKILL');
  await pause(500);
  await pool.end().catch(() => {});
}

test('PostgreSQL crashes three times under load: what clients have whole is charged once', {
  timeout: 240_000,
}, async () => {
  const load = startLoad('crash');
  for (let round = 0; round < 3; round += 1) {
    await pause(3_000);
    await crashPostgres();
  }
  await pause(8_000);
  const before = load.answered.length;
  await pause(2_000);
  expect(load.answered.length, 'both go on').toBeGreaterThan(before);
  await load.stop();
  await untilNothingIsHeld(scene.db);
  expect(await wronglyCharged(scene.db, load.answered)).toEqual([]);
  expect((await verifyLedger(scene.db.writer)).problems).toEqual([]);
});

test('a node that is held up for longer than its lease serves nothing that it cannot charge', {
  timeout: 240_000,
}, async () => {
  const load = startLoad('held-up');
  await pause(3_000);
  const [heldUp] = scene.nodes.products;
  heldUp?.process.kill('SIGSTOP');
  await pause(HELD_UP_MS);
  heldUp?.process.kill('SIGCONT');
  await pause(8_000);
  await load.stop();
  await untilNothingIsHeld(scene.db);
  const wrong = await wronglyCharged(scene.db, load.answered);
  expect(wrong.length, 'no more than what was on its way').toBeLessThanOrEqual(CLIENTS);
  expect((await verifyLedger(scene.db.writer)).problems).toEqual([]);
});
