/**
 * P18 and P25 with three nodes on one PostgreSQL: one is killed repeatedly during its work, and each is replaced under
 * load.
 * - Every complete response is charged, once and exactly.
 * - A request that was interrupted by a kill is charged by its last checkpoint or not at all, and its hold is released.
 * - The replacement of a node refuses no request.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import { findWrongCharges, LEASE_RECOVERY_MS, readChargesByRequest, waitUntilNoHolds } from './compare-charges.ts';
import { type NodesScene, startNodesScene } from './nodes.ts';
import { startSteadyLoad } from './relay-load.ts';

const KILLS = pick(3, 20, 200);
/** Kills are added while none has interrupted a response. */
const KILLS_MAX = Math.max(KILLS, 20);
const CLIENTS = 8;

let started: NodesScene | undefined;
let scene: NodesScene;

beforeAll(async () => {
  started = await startNodesScene({ DRAIN_DELAY_SECONDS: '3' });
  if (started !== undefined) scene = started;
});
beforeEach((context) => {
  if (started === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(() => started?.close());

const startLoad = (name: string) =>
  startSteadyLoad(
    Array.from({ length: CLIENTS }, () => scene.nodes.balancer.url),
    scene.key,
    name,
  );

test(`${KILLS} × kill -9 of one of three nodes under load: no double or wrong charge, and no hold is left`, {
  timeout: KILLS_MAX * 20_000 + LEASE_RECOVERY_MS,
}, async () => {
  const { nodes, db, upstream } = scene;
  const load = startLoad('kill');
  let round = 0;
  for (; round < KILLS || (load.broken === 0 && round < KILLS_MAX); round += 1) {
    await load.waitForNextResponses();
    await sleep(systemTimers, momentOf(round) * 500);
    await nodes.stop(round % nodes.products.length, 'SIGKILL');
    await nodes.start(round % nodes.products.length);
  }
  await load.stop();
  expect(load.refused).toEqual([]);
  await waitUntilNoHolds(db);
  expect(await findWrongCharges(db, load.answered)).toEqual([]);
  expect((await verifyLedger(db.writer)).problems).toEqual([]);
  const charges = [...(await readChargesByRequest(db)).values()].flat();
  const most = upstream.requests.map(({ usage }) => Math.ceil(((usage?.input ?? 0) + (usage?.output ?? 0)) / 2));
  expect(charges.length).toBeLessThanOrEqual(upstream.requests.length);
  expect(sum(charges)).toBeLessThanOrEqual(sum(most));
  expect(load.answered.length).toBeGreaterThan(KILLS * CLIENTS);
  expect(load.broken).toBeGreaterThan(0);
  reportMeasurement(
    'P18',
    `${round} × kill -9 of one of three nodes: ${load.answered.length} whole answers, each with its charge; ${load.broken} cut, 0 points off, 0 holds left`,
  );
});

test('each of three nodes is replaced under load without a refused request', async () => {
  const { nodes, db } = scene;
  const load = startLoad('roll');
  for (const nth of nodes.products.keys()) {
    await load.waitForNextResponses();
    await nodes.stop(nth, 'SIGTERM');
    await nodes.start(nth);
  }
  await load.waitForNextResponses();
  await load.stop();
  expect(load.refused).toEqual([]);
  expect(load.broken).toBe(0);
  expect(await findWrongCharges(db, load.answered)).toEqual([]);
  expect(load.answered.length).toBeGreaterThan(CLIENTS * nodes.products.length);
  reportMeasurement('P25', `three nodes replaced under load: ${load.answered.length} answers, 0 refused`);
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
