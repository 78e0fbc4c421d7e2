import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { type RedisServer, startRedis } from '../../testing/redis-server.ts';
import { createTestClock, type TestClock } from '../../testing/test-clock.ts';
import { sleep, systemTimers } from '../clock.ts';
import { createLog, type Log, silentLog } from '../log.ts';
import { createBuckets } from './buckets.ts';
import { createRateLimit } from './rate-limit.ts';
import { openRedisLimits } from './redis-limits.ts';
import { type SharedLimits, unsharedLimits } from './shared-limits.ts';

const redis = await startRedis();
const nodes: SharedLimits[] = [];

async function node(log: Log = silentLog, deadlineMs = 2_000): Promise<SharedLimits> {
  const limits = await openRedisLimits((redis as RedisServer).url, { log, timers: systemTimers, deadlineMs });
  nodes.push(limits);
  return limits;
}

async function closeNodes(): Promise<void> {
  await Promise.all(nodes.splice(0).map((one) => one.close()));
}

const until = (isSo: () => boolean) => expect.poll(isSo, { interval: 10 }).toBe(true);

describe.skipIf(redis === undefined)('limits in Redis', () => {
  let names = 0;
  let name = '';
  let two: [SharedLimits, SharedLimits];

  beforeAll(async () => {
    two = [await node(), await node()];
  });
  beforeEach(() => {
    names += 1;
    name = `user:${names}`;
  });
  afterAll(async () => {
    await closeNodes();
    await redis?.close();
  });

  /** Of a fixed minute below 60, else filling evenly, as the limits on requests are. */
  const want = (suffix: string, perMinute: number, taken = 1) => ({
    name: `${name} ${suffix}`,
    perMinute,
    isWindow: perMinute < 60,
    capacity: perMinute,
    needed: Math.min(taken, perMinute),
    taken,
  });
  const bucketsOf = (clock: TestClock) => [createBuckets(clock, two[0]), createBuckets(clock, two[1])] as const;

  test('takes the same from limits in Redis as in memory', async () => {
    const clock = createTestClock(0);
    const here = createBuckets(clock, unsharedLimits);
    const there = bucketsOf(clock);
    for (const perMinute of [3, 59, 60, 600, 6_000])
      for (let nth = 0; nth < 8; nth += 1) {
        const wants = [want(`${perMinute}`, perMinute, nth * 7), want('b', 30)];
        const one = await here.consume(wants);
        const other = await there[nth % 2 === 0 ? 0 : 1].consume(wants);
        expect(other.insufficientIndex).toBe(one.insufficientIndex);
        // Time passes there, so that what fills evenly is a moment ahead.
        for (const [index, { tokens }] of one.buckets.entries())
          expect(Math.abs((other.buckets[index]?.tokens ?? 0) - tokens)).toBeLessThan(perMinute / 6);
        const correction = [{ ...want(`${perMinute}`, perMinute), taken: 3 - nth }];
        here.adjust(correction);
        // On the next node: concurrent messages arrive in any order.
        there[nth % 2 === 0 ? 1 : 0].adjust(correction);
      }
  });

  test('count requests of all nodes, and one that a limit refuses against no other', async () => {
    const [one, other] = bucketsOf(createTestClock(undefined));
    const [wide, narrow] = [want('wide', 5), want('narrow', 3)];
    for (const buckets of [one, other, one]) await buckets.consume([wide, narrow]);
    for (const buckets of [one, other]) expect((await buckets.consume([wide, narrow])).insufficientIndex).toBe(1);
    expect((await other.consume([wide])).buckets[0]?.tokens).toBe(1);
    one.adjust([{ ...wide, taken: -1 }]);
    expect((await one.consume([wide])).buckets[0]?.tokens).toBe(1);
  });

  test('correct the usage of a request on another node', async () => {
    const [one, other] = bucketsOf(createTestClock(undefined));
    await one.consume([want('tokens', 1_000, 900)]);
    expect((await other.consume([want('tokens', 1_000, 500)])).insufficientIndex).toBe(0);
    one.adjust([want('tokens', 1_000, 100 - 900)]);
    expect((await one.consume([want('tokens', 1_000, 0)])).buckets[0]?.tokens).toBeGreaterThanOrEqual(899);
    expect((await other.consume([want('tokens', 1_000, 500)])).insufficientIndex).toBeUndefined();
  });

  test('a node continues from the last state when Redis does not respond', async () => {
    const clock = createTestClock(undefined);
    const shared = await node();
    const buckets = createBuckets(clock, shared);
    for (const taking of [...bucketsOf(clock), buckets]) await taking.consume([want('left', 4)]);
    await shared.close();
    expect((await buckets.consume([want('left', 4)])).insufficientIndex).toBeUndefined();
    expect((await buckets.consume([want('left', 4)])).insufficientIndex).toBe(0);
  });

  test('count tries of all nodes, and forget them together', async () => {
    const clock = createTestClock(undefined);
    const [one, other] = two.map((sharedLimits) => createRateLimit({ clock, sharedLimits }, name, 2, 600_000));
    await one?.consume('a');
    await other?.consume('a');
    await expect(other?.check('a')).rejects.toThrow(`Too many ${name}. Retry in 10 minutes.`);
    await expect(one?.consume('a')).rejects.toThrow(`Too many ${name}`);
    await other?.consume('b');
    one?.refund('a');
    one?.refund('a');
    expect(await one?.tryConsume('a')).toBe(true);
    expect(await other?.tryConsume('a')).toBe(false);
    other?.reset('a');
    await other?.check('a');
    await one?.check('a');
  });

  test('resets the attempts when their window ends', async () => {
    const limit = createRateLimit({ clock: createTestClock(undefined), sharedLimits: two[0] }, name, 1, 300);
    await limit.consume('a');
    await expect(limit.consume('a')).rejects.toThrow(`Too many ${name}`);
    // Redis goes by its own clock.
    await expect.poll(() => limit.tryConsume('a'), { interval: 20 }).toBe(true);
  });

  test('publishes texts to other nodes until they expire or are withdrawn', async () => {
    // A new subscriber reads the existing texts: it may receive a text twice, and in any order.
    const received = new Map<string, number>();
    two[1].subscribeToTexts((text, forMs) => received.set(text, forMs));
    two[0].publishText(`[${names},"a"]`, 60_000);
    two[0].publishText(`[${names},"b"]`, 200);
    two[0].publishText(`[${names + 1000},"c"]`, 60_000);
    await until(() => received.size >= 3);
    expect(received.get(`[${names},"a"]`)).toBeGreaterThan(59_000);
    expect(received.get(`[${names},"b"]`)).toBeLessThanOrEqual(200);
    // Redis goes by its own clock.
    await sleep(systemTimers, 250);
    two[0].withdrawTexts(`[${names + 1000},`);
    await until(() => received.size >= 4);
    expect(received.get(`[${names + 1000},`)).toBe(0);
    const late = await node();
    const known: (readonly [string, number])[] = [];
    late.subscribeToTexts((text, forMs) => known.push([text, forMs]));
    await until(() => known.length > 0);
    expect(new Set(known.map(([text]) => text))).toEqual(new Set([`[${names},"a"]`]));
    expect(known[0]?.[1]).toBeGreaterThan(50_000);
  });

  test('subscribes again when the connection ended before the subscription began', async () => {
    let refusals = 1;
    const url = new URL((redis as RedisServer).url);
    const { hostname, port } = url;
    const proxy = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) socket.on('error', () => {}).on('close', () => near.destroy() && far.destroy());
      near.on('data', (said: Buffer) => {
        if (refusals === 0 || !said.includes('subscribe')) return void far.write(said);
        refusals -= 1;
        near.destroy();
      });
      far.pipe(near);
    });
    onTestFinished(() => void proxy.close());
    url.port = String(await listen(proxy));
    const limits = await openRedisLimits(url.href, { log: silentLog, timers: systemTimers, deadlineMs: 2_000 });
    nodes.push(limits);
    const received = new Set<string>();
    limits.subscribeToTexts((text) => received.add(text));
    await until(() => refusals === 0);
    // The client has a new connection by now, which it does not subscribe itself.
    await sleep(systemTimers, 1_500);
    const text = `[${names},"late"]`;
    two[0].publishText(text, 60_000);
    await until(() => received.has(text));
  });
});

test.skipIf(redis === undefined)(
  'a Redis that hangs holds a request up for a moment only, is told of once, and is found again',
  async () => {
    const own = await startRedis();
    if (own === undefined) throw new Error('there is no Redis');
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    const clock = createTestClock(undefined);
    const shared = await openRedisLimits(own.url, { log, timers: clock, deadlineMs: 200 });
    const other = await openRedisLimits(own.url, { log: silentLog, timers: clock, deadlineMs: 2_000 });
    const seats = (count: number) => [{ name: 'token 1', usedSlots: count, limit: 5 }];
    try {
      await until(() => shared.isUp === true && other.isUp === true);
      await expect.poll(() => shared.acquireConcurrencySlots(seats(5))).toEqual({ full: undefined });
      expect(await other.acquireConcurrencySlots(seats(1))).toEqual({ full: 'token 1' });
      own.hang();
      const from = performance.now();
      for (let i = 0; i < 100; i += 1) await shared.countInWindow('a', 60_000, 1);
      expect(shared.isUp).toBe(false);
      expect(performance.now() - from).toBeLessThan(5_000);
      own.resume();
      await until(() => shared.isUp === true);
      // Its requests have ended in the meantime, which it could not report.
      await expect.poll(() => other.acquireConcurrencySlots(seats(1))).toEqual({ full: undefined });
      await own.stop();
      await until(() => shared.isUp === false);
      expect(await shared.countInWindow('b', 60_000, 1)).toBeUndefined();
      await own.start();
      await until(() => shared.isUp === true);
      await expect.poll(() => shared.countInWindow('b', 60_000, 1)).toBeDefined();
      const output = lines.join('');
      expect(output.match(/this node enforces its limits alone/g)?.length).toBe(output.match(/shared again/g)?.length);
      expect(output.split('\n').length).toBeLessThan(20);
      expect(output).not.toContain('the-password-of-redis');
    } finally {
      await Promise.all([shared.close(), other.close()]);
      await own.close();
    }
  },
);
