import { describe, expect, test } from 'vitest';
import { BATCH_MAX } from '../../apps/server/src/ledger/multi-node/commit-queue.ts';
import { forecast, requestsOfOneAccount } from './closed-form.ts';
import type { Costs, Installation, Load } from './costs-and-load.ts';
import { type Course, simulate } from './simulate.ts';

/** Round figures, not those of any machine. */
const costs: Costs = {
  node: {
    requestMicros: 200,
    eventMicros: 20,
    commitMicros: 500,
    movementMicros: 10,
    baseBytes: 200e6,
    streamBytes: 20_000,
    connections: 24,
  },
  database: {
    commitMicros: 1_000,
    movementMicros: 40,
    roundTripsMs: 3,
    lastRoundTripsMs: 0.5,
    flushMs: 1,
    commitLogBytes: 500,
    requestLogBytes: 2_000,
    requestBytes: 2_000,
    idleNodeMicros: 10_000,
  },
  redis: { requestMicros: 25 },
};
const load: Load = {
  requestsPerSecond: 400,
  streamShare: 0,
  events: 100,
  upstreamMs: 300,
  users: 5_000,
  zipf: 0,
  channels: 500,
};
const installation: Installation = { nodes: 2, databaseCores: 8 };
const course: Course = { seed: 7, warmUpMs: 2_000, measuredMs: 20_000 };

/** Returns the requests per second at which its nodes are fully used, found by bisection. */
function requestsOfFullNode(of: Installation): number {
  let [low, high] = [0, 1_000_000];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    const { nodeUtilisation } = forecast({ ...load, requestsPerSecond: middle }, costs, of);
    if (nodeUtilisation < 1) low = middle;
    else high = middle;
  }
  return low;
}

describe('an installation', () => {
  test('loses no request and no movement', () => {
    const simulated = simulate(load, costs, installation, { ...course, warmUpMs: 0 });
    expect(simulated.arrived).toBe(simulated.answered + simulated.open);
    expect(simulated.movements).toBeGreaterThanOrEqual(2 * simulated.answered);
    expect(simulated.movements).toBeLessThanOrEqual(2 * simulated.arrived);
    expect(simulated.arrived / 20 / load.requestsPerSecond).toBeCloseTo(1, 1);
  });

  test('has the same result for the same seed, and another for another seed', () => {
    const once = simulate(load, costs, installation, course);
    expect(simulate(load, costs, installation, course)).toEqual(once);
    expect(simulate(load, costs, installation, { ...course, seed: 8 })).not.toEqual(once);
  });

  test.each([50, 200, 800, 2_400])('uses what the arithmetic predicts at %i requests a second', (rate) => {
    const asked = { ...load, requestsPerSecond: rate };
    const simulated = simulate(asked, costs, installation, course);
    const expected = forecast(asked, costs, installation);
    const ratio = (of: number, to: number): number => Math.abs(of / to - 1);
    expect(ratio(simulated.nodeSeconds / 20 / 2, expected.nodeUtilisation)).toBeLessThan(0.1);
    expect(ratio(simulated.databaseUtilisation, expected.databaseUtilisation)).toBeLessThan(0.1);
    expect(ratio(simulated.movements / simulated.commits, expected.movementsPerCommit)).toBeLessThan(0.2);
  });

  test('has as many open streams as arrive during the duration of one', () => {
    const asked = { ...load, requestsPerSecond: 200, streamShare: 1, upstreamMs: 2_000 };
    const simulated = simulate(asked, costs, installation, course);
    const { openStreams } = forecast(asked, costs, installation);
    expect(openStreams).toBe(400);
    expect(simulated.openStreamsMost / openStreams).toBeGreaterThan(1);
    expect(simulated.openStreamsMost / openStreams).toBeLessThan(1.3);
  });

  test('reaches full use at the load that the arithmetic predicts; above it only the backlog grows', () => {
    const one = { nodes: 1, databaseCores: 8 };
    const most = requestsOfFullNode(one);
    const at = (share: number) =>
      simulate({ ...load, requestsPerSecond: most * share }, costs, one, { ...course, measuredMs: 5_000 });
    const below = at(0.9);
    const above = at(1.2);
    expect(below.answered / 5 / most).toBeCloseTo(0.9, 1);
    expect(below.nodeUtilisation).toBeLessThan(0.97);
    expect(above.nodeUtilisation).toBeGreaterThan(0.99);
    expect(above.answered / 5 / most).toBeLessThan(1);
    expect(above.open).toBeGreaterThan(3 * below.open);
  });

  test('serves one account only as fast as its row can be locked, regardless of the number of nodes', () => {
    const most = requestsOfOneAccount(costs);
    const asked = { ...load, users: 1, requestsPerSecond: most * 1.5 };
    const many = { nodes: 40, databaseCores: 64 };
    const simulated = simulate(asked, costs, many, { ...course, warmUpMs: 5_000, measuredMs: 4_000 });
    expect(simulated.movements / simulated.commits).toBeGreaterThan(0.7 * BATCH_MAX);
    expect(simulated.movements / 2 / 4 / most).toBeGreaterThan(0.85);
    expect(simulated.movements / 2 / 4 / most).toBeLessThan(1.02);
  });
});
