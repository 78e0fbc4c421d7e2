/**
 * P26, simulated: the relay's channel selection, health and retry budget on a virtual clock, with channels that fail at
 * given rates. Each seed produces another sequence.
 */
import { describe, expect, test } from 'vitest';
import {
  type ChannelHealth,
  createChannelHealth,
  getChannelHealth,
} from '../../apps/server/src/channels/registry/registry.ts';
import { createChannelSelector } from '../../apps/server/src/gateway/routing/channel-selector.ts';
import { createRetryBudget } from '../../apps/server/src/gateway/routing/retry-budget.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { sampleChannel, sampleGroup, sampleSnapshot } from '../../apps/server/src/testing/routing-samples.ts';
import { createTestClock } from '../../apps/server/src/testing/test-clock.ts';
import { createRandom } from '../../apps/server/src/tools/demo/random.ts';
import { quantile } from '../../bench/statistics.ts';
import { channels as channelRoutes } from '../../packages/contract/src/channels/channels.ts';
import { createChatTest } from '../../packages/relay/src/relay.ts';
import { pick, reportMeasurement } from '../tier.ts';
import { removeRateLimits } from './remove-rate-limits.ts';

const USER = 1;
const SEEDS = pick(20, 40, 2_000);
const MODEL = 'gpt-4o';
const MINUTE = 60;

/** A seed that failed fails again. */
function randomOf(seed: number): () => number {
  const random = createRandom(seed);
  return () => random.next();
}

interface Attempted {
  at: number;
  request: number;
  channel: number;
  failed: boolean;
}

interface Simulation {
  attempts: Attempted[];
  requests: number;
  /** Requests for which no channel was available. */
  unserved: number;
  /** Seconds at which a channel's breaker opened or closed. */
  changes: { at: number; channel: number; closed: boolean }[];
}

/** @param failing failure rates of the channels, in the order of their ids */
function simulate(
  seed: number,
  {
    failing,
    perSecond,
    seconds,
    retries = 2,
  }: { failing: readonly number[]; perSecond: number; seconds: number; retries?: number },
): Simulation {
  const random = randomOf(seed);
  const clock = createTestClock(1_000_000_000);
  const health = createChannelHealth(clock, random);
  const list = failing.map((_, index) => sampleChannel(index + 1));
  const choose = createChannelSelector({ snapshot: sampleSnapshot(list), health, random });
  const budget = createRetryBudget(clock);
  const request = createChatTest(MODEL);
  const result: Simulation = { attempts: [], requests: 0, unserved: 0, changes: [] };
  const startedAt = clock.now();
  const closed = new Map(list.map(({ id }) => [Number(id), true]));

  const attempt = (tried: ReadonlySet<number>): number | 'answered' | 'none' => {
    const candidate = choose.selectNext({
      request,
      model: MODEL,
      groups: [sampleGroup()],
      tried,
      findWarmAccount: () => undefined,
    });
    if (candidate === undefined) return 'none';
    const { id } = candidate.channel;
    const watch = health.beginAttempt(id, MODEL);
    const failed = random() < (failing[id - 1] ?? 0);
    if (failed) watch.recordFailure();
    else watch.recordSuccess(100);
    result.attempts.push({ at: (clock.now() - startedAt) / 1000, request: result.requests, channel: id, failed });
    return failed ? id : 'answered';
  };

  for (let turn = 0; turn < perSecond * seconds; turn += 1) {
    clock.advance(1 / perSecond);
    result.requests += 1;
    budget.recordRequest(USER);
    const tried = new Set<number>();
    for (;;) {
      const outcome = attempt(tried);
      if (outcome === 'none' && tried.size === 0) result.unserved += 1;
      if (typeof outcome !== 'number') break;
      tried.add(outcome);
      if (tried.size > retries || !budget.tryConsume(USER)) break;
    }
    noteChanges(result, health, closed, (clock.now() - startedAt) / 1000);
  }
  return result;
}

function noteChanges(result: Simulation, health: ChannelHealth, closed: Map<number, boolean>, at: number): void {
  for (const [channel, wasClosed] of closed) {
    const isClosed = health.get(channel, MODEL).circuitBreaker === 'closed';
    if (isClosed === wasClosed) continue;
    closed.set(channel, isClosed);
    result.changes.push({ at, channel, closed: isClosed });
  }
}

const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);
const worst = (values: readonly number[]): number => Math.max(...values);

describe(`P26 over ${SEEDS} seeds`, () => {
  test('opens the breaker of a channel that always fails after five attempts', () => {
    const failures = seeds.map((seed) => {
      const { attempts, changes } = simulate(seed, { failing: [1, 0, 0], perSecond: 20, seconds: 20 });
      const opened = changes.find(({ channel }) => channel === 1)?.at ?? Number.POSITIVE_INFINITY;
      expect(opened, `seed ${seed}`).toBeLessThan(20);
      return attempts.filter(({ channel, at }) => channel === 1 && at <= opened).length;
    });
    expect(worst(failures)).toBeLessThanOrEqual(5);
    reportMeasurement(
      'P26',
      `a channel that always fails: ejected after at most ${worst(failures)} failed attempts, ${SEEDS} seeds`,
    );
  });

  test('opens the breaker of a channel that fails half of the time within ten seconds', () => {
    const times = seeds.map((seed) => {
      const { changes } = simulate(seed, { failing: [0.5, 0, 0], perSecond: 20, seconds: 20 });
      return changes.find(({ channel }) => channel === 1)?.at ?? Number.POSITIVE_INFINITY;
    });
    const slow = times.filter((time) => time > 10).length;
    expect(slow / times.length).toBeLessThanOrEqual(0.01);
    const p99 = quantile(times, 0.99);
    reportMeasurement(
      'P26',
      `a channel that fails half of the time: ejected after ${p99.toFixed(1)} s (p99 of ${SEEDS} seeds)`,
    );
  });

  test('does not open and close the breaker of a failing channel repeatedly', () => {
    const changes = seeds.slice(0, pick(10, 20, 500)).map((seed) => {
      const run = simulate(seed, { failing: [0.5, 0, 0], perSecond: 10, seconds: 60 * MINUTE });
      const times = run.changes.filter(({ channel }) => channel === 1).map(({ at }) => at);
      return worst(times.map((time) => times.filter((other) => other >= time && other < time + 10 * MINUTE).length));
    });
    expect(worst(changes)).toBeLessThanOrEqual(3);
    reportMeasurement(
      'P26',
      `a channel that fails half of the time: at most ${worst(changes)} changes of state in any 10 minutes of an hour`,
    );
  });

  test('never opens the breaker of a healthy channel, and tries no channel twice for a request', () => {
    for (const seed of seeds) {
      const { attempts, changes, unserved } = simulate(seed, {
        failing: [1, 0.5, 0, 0.02],
        perSecond: 20,
        seconds: 30,
      });
      expect(unserved, `seed ${seed}`).toBe(0);
      expect(
        changes.filter(({ channel }) => channel >= 3),
        `seed ${seed}`,
      ).toEqual([]);
      const attemptNames = attempts.map(({ request, channel }) => `${request} ${channel}`);
      expect(new Set(attemptNames).size, `seed ${seed}`).toBe(attemptNames.length);
    }
  });

  test('serves every request by the one healthy channel among failing ones', () => {
    const shares = seeds.map((seed) => {
      const run = simulate(seed, { failing: [1, 1, 1, 0], perSecond: 20, seconds: 5 * MINUTE });
      return run.attempts.filter(({ failed }) => !failed).length / run.requests;
    });
    const least = Math.min(...shares);
    expect(least).toBeGreaterThan(0.98);
    reportMeasurement(
      'P26',
      `three of four channels dead: at least ${(100 * least).toFixed(1)} % of the requests answered, ${SEEDS} seeds`,
    );
  });

  test('still tries every request when everything fails, with hardly more than one attempt', () => {
    const shares = seeds.map((seed) => {
      const { attempts, requests, unserved } = simulate(seed, { failing: [1, 1, 1, 1], perSecond: 50, seconds: 30 });
      expect(unserved, `seed ${seed}`).toBe(0);
      return attempts.length / requests;
    });
    expect(worst(shares)).toBeLessThanOrEqual(1.2);
    reportMeasurement(
      'P26',
      `an outage of all channels: ${worst(shares).toFixed(2)} attempts for each request, none refused unseen`,
    );
  });

  test('uses a recovered channel again', () => {
    for (const seed of seeds) {
      const random = randomOf(seed);
      const clock = createTestClock(1_000_000_000);
      const health = createChannelHealth(clock, random);
      for (let failure = 0; failure < 5; failure += 1) health.beginAttempt(1, MODEL).recordFailure();
      clock.advance(40);
      for (let probe = 0; probe < 5; probe += 1) {
        expect(health.allowsAttempt(1, MODEL), `seed ${seed}`).toBe(true);
        health.beginAttempt(1, MODEL).recordSuccess(100);
      }
      expect(health.get(1, MODEL).circuitBreaker, `seed ${seed}`).toBe('closed');
    }
  });
});

describe('P26 through the gateway', () => {
  const REQUESTS = pick(100, 300, 10_000);

  test(`${REQUESTS} invalid requests open no breaker`, async () => {
    const scene: RelayScene = await startRelayScene({ quota: 1_000_000_000 });
    try {
      await scene.newChannel({});
      await scene.newChannel({ name: 'other' });
      const models = ['scripted+status-400', 'scripted+status-404', 'scripted+status-413', 'scripted+status-422'];
      await removeRateLimits(scene.admin);
      for (let sent = 0; sent < REQUESTS; sent += 20)
        await Promise.all(
          Array.from({ length: 20 }, async (_, index) => {
            const answer = await scene.chat(models[(sent + index) % models.length] ?? '');
            expect(answer.status).toBeGreaterThanOrEqual(400);
            await answer.text();
          }),
        );
      const { data } = await scene.admin.api(channelRoutes).list({});
      expect(data.map(({ status }) => status)).toEqual(['enabled', 'enabled']);
      expect(
        getChannelHealth(scene.ctx)
          .list()
          .filter(({ circuitBreaker }) => circuitBreaker !== 'closed'),
      ).toEqual([]);
      reportMeasurement('P26', `${REQUESTS} requests at fault themselves: 0 channels disabled, 0 breakers opened`);
    } finally {
      await scene.close();
    }
  });
});
