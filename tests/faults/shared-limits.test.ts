/** Two nodes with separate databases, whose first tokens, users and channels have the same ids. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { apiKeySetting } from '@switchyard/contract/accounts/api-keys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getChannelHealth } from '../../apps/server/src/channels/registry/registry.ts';
import { systemTimers } from '../../apps/server/src/platform/clock.ts';
import { openRedisLimits } from '../../apps/server/src/platform/limits/redis-limits.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { startRedis } from '../../apps/server/src/testing/redis-server.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';

const LEASE_MS = 1_500;
const PLENTY_OF_POINTS = 100_000_000;
const ABANDONED_AFTER_MS = 500;
const redis = await startRedis();

function together(concurrency: number) {
  const setting = apiKeySetting.parse({});
  return { setting: { ...setting, limits: { ...setting.limits, concurrency } } };
}

describe.skipIf(redis === undefined)('two nodes with one Redis', () => {
  let nodes: RelayScene[];

  beforeAll(async () => {
    const config = { redisUrl: redis?.url };
    nodes = [await startRelayScene({ config }), await startRelayScene({ config })];
    for (const node of nodes) await node.newChannel({});
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
    await redis?.close();
  });

  /** The same token on both nodes. */
  const newKeys = async (limits: Parameters<RelayScene['newKey']>[0]): Promise<string[]> =>
    [
      await nodes[0]?.newKey({ unlimited_quota: true, ...limits }),
      await nodes[1]?.newKey({ unlimited_quota: true, ...limits }),
    ].map(String);
  const statusOf = async (nth: number, model: string, key: string | undefined): Promise<number | undefined> =>
    (await nodes[nth]?.chat(model, {}, key))?.status;
  const statuses = async (keys: readonly string[], count: number): Promise<(number | undefined)[]> => {
    const found: (number | undefined)[] = [];
    for (let i = 0; i < count; i += 1) found.push(await statusOf(i % 2, 'scripted', keys[i % 2]));
    return found;
  };
  const areUp = (isUp: boolean) =>
    expect.poll(() => nodes.every(({ ctx }) => ctx.sharedLimits.isUp === isUp)).toBe(true);

  test('share the rate limit of a token', async () => {
    const keys = await newKeys({ api_rate: 5 });
    expect(await statuses(keys, 7)).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });

  test('share the concurrency limit of a token', async () => {
    const keys = await newKeys(together(2));
    const running = [0, 1].map((nth) => statusOf(nth, 'scripted+slow-first-byte-1500', keys[nth]));
    await expect.poll(() => nodes.map((node) => node.app.ctx.ledger.openHolds)).toEqual([1, 1]);
    expect(await statuses(keys, 2)).toEqual([429, 429]);
    expect(await Promise.all(running)).toEqual([200, 200]);
    expect(await statuses(keys, 2)).toEqual([200, 200]);
  });

  test('refuse a user who abandoned too many requests on both together', async () => {
    const keys: string[] = [];
    for (const node of nodes) {
      const caller = await node.createUser('user', { quota: PLENTY_OF_POINTS });
      keys.push(await node.newKey({ unlimited_quota: true }, caller));
    }
    const abandon = async (nth: number): Promise<unknown> =>
      nodes[nth]
        ?.post(
          '/v1/chat/completions',
          { model: 'scripted+slow-first-byte-20000', messages: [{ role: 'user', content: 'Say something.' }] },
          { key: keys[nth] ?? '', signal: AbortSignal.timeout(ABANDONED_AFTER_MS) },
        )
        .catch((error: unknown) => error);
    for (const nth of [0, 1]) {
      const abandoned = await Promise.all(Array.from({ length: 20 }, () => abandon(nth)));
      for (const failure of abandoned) expect(failure).toMatchObject({ name: 'TimeoutError' });
    }
    const errorOf = async (nth: number) => (await nodes[nth]?.chat('scripted', {}, keys[nth]))?.json();
    for (const nth of [0, 1])
      await expect
        .poll(() => errorOf(nth), { interval: 500 })
        .toMatchObject({ error: { message: expect.stringContaining('30 failed requests per minute') } });
  });

  test('share the cooldown of a channel until an operator ends it', async () => {
    const channel = Number(await nodes[0]?.newChannel({ models: ['scripted-busy*'], priority: 5 }));
    await nodes[1]?.newChannel({ models: ['scripted-busy*'], priority: 5 });
    const model = 'scripted-busy+status-429-retry-40';
    const healths = nodes.map(({ ctx }) => getChannelHealth(ctx));
    await statusOf(0, model, nodes[0]?.key);
    const restsUntil = (nth: number) => Math.max(0, ...(healths[nth]?.listKeyCooldowns(channel).values() ?? []));
    await expect.poll(() => restsUntil(1)).toBeGreaterThan(Date.now() + 20_000);
    for (let failures = 0; failures < 5; failures += 1) healths[0]?.beginAttempt(channel, 'broken').recordFailure();
    await expect.poll(() => healths[1]?.get(channel, 'broken').circuitBreaker).toBe('open');
    healths[1]?.reset(channel);
    await expect.poll(() => restsUntil(0)).toBe(0);
    expect(healths[0]?.get(channel, 'broken').circuitBreaker).toBe('closed');
  });

  test('free the concurrency slots of a killed node after its lease', async () => {
    const keys = await newKeys(together(1));
    const id = (
      await nodes[0]?.ctx.db.writer.selectFrom('api_key').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
    )?.id;
    const program = join(import.meta.dirname, 'redis-node.ts');
    const node = spawn(process.execPath, [program, redis?.url ?? '', `token ${id}`, String(LEASE_MS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await once(node.stdout, 'data');
    expect(String(said)).toBe('taken');
    expect(await statuses(keys, 2)).toEqual([429, 429]);
    node.kill('SIGKILL');
    expect(await statuses(keys, 2)).toEqual([429, 429]);
    await expect.poll(() => statusOf(0, 'scripted', keys[0]), { interval: 300 }).toBe(200);
  });

  test('apply limits separately while Redis is unavailable, and together afterwards', async () => {
    const keys = await newKeys({ api_rate: 3 });
    await redis?.stop();
    await areUp(false);
    expect(await statuses(keys, 8)).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    await redis?.start();
    await areUp(true);
    const others = await newKeys({ api_rate: 3, ...together(1) });
    expect(await statuses(others, 5)).toEqual([200, 200, 200, 429, 429]);
  });

  test('start without Redis after a short wait', async () => {
    const from = performance.now();
    const shared = await openRedisLimits('redis://127.0.0.1:9', { log: silentLog, timers: systemTimers });
    expect(shared.isUp).toBe(false);
    expect(performance.now() - from).toBeLessThan(5_000);
    await shared.close();
  });
});
