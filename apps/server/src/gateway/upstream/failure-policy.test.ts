/** What failures of each kind do to a channel, and to those who did not cause them. */
import { settings } from '@switchyard/contract/operations/settings';
import { expect, test } from 'vitest';
import { getChannelHealth } from '../../channels/registry/registry.ts';
import { type RelayScene, useRelayScene } from '../../testing/relay-scene.ts';

const MODEL = 'scripted';
/** The settings' own. */
const COOLDOWN_SECONDS = 5;

interface Scene extends RelayScene {
  /** Channel whose behaviour the test defines; its key identifies its requests. */
  sick: number;
  asked(): number;
  health(): { circuitBreaker: string; failuresInRow: number; cooldownUntil: number };
}

const relay = await useRelayScene();

/** A channel that behaves so, on request, beside a healthy one. */
async function prepare(behaviour: string, options: Record<string, string> = {}): Promise<Scene> {
  const scene = relay;
  await scene.ctx.db.writer.updateTable('user_group').set({ api_rate: 0 }).execute();
  await scene.ctx.changes.publish({ topic: 'user-groups' });
  // Else the healthy channel keeps the conversation.
  const body = Object.entries({ SessionAffinityEnabled: 'false', ...options }).map(([key, value]) => ({ key, value }));
  await scene.admin.api(settings).updateMany({ body });
  const sick = await scene.newChannel({ key: 'sk-sick', model_mapping: { [MODEL]: `${MODEL}${behaviour}` } });
  await scene.newChannel({ name: 'healthy' });
  return {
    ...scene,
    sick,
    asked: () => scene.upstream.requests.filter(({ headers }) => headers.authorization === 'Bearer sk-sick').length,
    health: () => getChannelHealth(scene.ctx).get(sick, MODEL),
  };
}

/** Sends requests until the sick channel was asked once more. */
async function askSick(scene: Scene): Promise<void> {
  const before = scene.asked();
  for (let sent = 0; sent < 100 && scene.asked() === before; sent += 1) await (await scene.chat(MODEL)).text();
  expect(scene.asked()).toBe(before + 1);
}

test.each([0, -5])('a limit that asks for %i seconds rests the channel all the same', async (seconds) => {
  const scene = await prepare('');
  scene.upstream.setScript(({ headers }) =>
    headers.authorization === 'Bearer sk-sick' ? { status: 429, retryAfterSeconds: seconds } : undefined,
  );
  for (let sent = 0; sent < 100; sent += 1) expect((await scene.chat(MODEL)).status).toBe(200);
  expect(scene.asked()).toBeLessThanOrEqual(2);
  const { circuitBreaker, cooldownUntil } = scene.health();
  expect(circuitBreaker).toBe('closed');
  expect(cooldownUntil - scene.clock.now()).toBeGreaterThan(0);
});

test('limits rest a channel for a second at least where the operator wants no rests', async () => {
  const scene = await prepare('+status-429-retry-0', { RetryCooldownSeconds: '0' });
  await askSick(scene);
  const restMs = scene.health().cooldownUntil - scene.clock.now();
  expect(restMs).toBeGreaterThan(0);
  expect(restMs).toBeLessThanOrEqual(1_000);
});

test.each<[what: string, status: number, seconds: number]>([
  ['rests a channel whose account is out of credit until the time that the vendor names', 402, 43_200],
  ['caps the cooldown of a rate limit at half an hour', 429, 1_800],
])('%s', async (_what, status, seconds) => {
  const scene = await prepare('', { AutomaticDisableChannelEnabled: 'false' });
  scene.upstream.setScript(({ headers }) =>
    headers.authorization === 'Bearer sk-sick' ? { status, retryAfterSeconds: 43_200 } : undefined,
  );
  await askSick(scene);
  const restSeconds = (scene.health().cooldownUntil - scene.clock.now()) / 1000;
  expect(restSeconds).toBeGreaterThan(seconds - 60);
  expect(restSeconds).toBeLessThanOrEqual(seconds);
  expect(scene.health().circuitBreaker).toBe('closed');
});

test.each(['+status-429-retry-1', '+status-429'])(
  'a channel that answers %s after each rest is left after five of them',
  async (behaviour) => {
    const scene = await prepare(behaviour);
    for (let rest = 1; rest <= 5; rest += 1) {
      expect(scene.health().circuitBreaker).toBe('closed');
      await askSick(scene);
      scene.clock.advance(COOLDOWN_SECONDS + 1);
    }
    expect(scene.health().circuitBreaker).toBe('open');
  },
);

test('a burst that reaches the limit is one rest, not a row of failures', async () => {
  const scene = await prepare('+status-429-retry-2+slow-first-byte-500');
  await Promise.all(Array.from({ length: 30 }, () => scene.chat(MODEL).then((answer) => answer.text())));
  expect(scene.asked()).toBeGreaterThan(1);
  expect(scene.health()).toMatchObject({ circuitBreaker: 'closed', failuresInRow: 1 });
  expect(scene.health().cooldownUntil).toBeGreaterThan(scene.clock.now());
});

test('a single failure causes no cooldown of the channel; two in a row do', async () => {
  const scene = await prepare('+status-500');
  await askSick(scene);
  expect(scene.health()).toMatchObject({ failuresInRow: 1, cooldownUntil: 0 });
  await askSick(scene);
  expect(scene.health().cooldownUntil).toBeGreaterThan(scene.clock.now());
});

const AUTO_DISABLE = { AutomaticDisableChannelEnabled: 'true' };
const REFUSED = { messages: [{ role: 'user', content: 'insufficient balance' }] };

test('refusals that one client causes neither rest nor open the channel for the others', async () => {
  const scene = await prepare('', AUTO_DISABLE);
  scene.upstream.setScript(({ headers, body }) =>
    headers.authorization === 'Bearer sk-sick' && body.includes('insufficient balance') ? { status: 402 } : undefined,
  );
  for (let sent = 0; sent < 40; sent += 1) await (await scene.chat(MODEL, REFUSED)).text();
  expect(scene.asked()).toBeGreaterThan(5);
  await expect.poll(() => scene.health().cooldownUntil).toBe(0);
  expect(scene.health()).toMatchObject({ circuitBreaker: 'closed', failuresInRow: 0 });
});

test('a confirmed refusal disables a key at once', async () => {
  const scene = await prepare('+status-401', AUTO_DISABLE);
  for (let sent = 0; sent < 50; sent += 1) expect((await scene.chat(MODEL)).status).toBe(200);
  // Two of clients, and one of our own.
  expect(scene.asked()).toBeLessThanOrEqual(3);
  const status = () =>
    scene.ctx.db.writer.selectFrom('channel').select('status').where('id', '=', scene.sick).executeTakeFirstOrThrow();
  await expect.poll(status).toEqual({ status: 'auto-disabled' });
});

test('a key that lacks the right to one model rests with that model only', async () => {
  const scene = await prepare('+status-403', AUTO_DISABLE);
  await scene.ctx.db.writer
    .updateTable('channel')
    .set({ test_model: 'scripted-other' })
    .where('id', '=', scene.sick)
    .execute();
  await scene.ctx.changes.publish({ topic: 'channels' });
  for (let sent = 0; sent < 50; sent += 1) expect((await scene.chat(MODEL)).status).toBe(200);
  expect(scene.asked()).toBeLessThanOrEqual(4);
  expect(scene.health().cooldownUntil - scene.clock.now()).toBeGreaterThan(50_000);
  expect(getChannelHealth(scene.ctx).get(scene.sick, 'scripted-other').cooldownUntil).toBe(0);
});

test('refusals of which a request of our own learns nothing count like any failure', async () => {
  const scene = await prepare('', AUTO_DISABLE);
  scene.upstream.setScript(({ headers, body }) => {
    if (headers.authorization !== 'Bearer sk-sick') return undefined;
    return { status: body.includes('Say something.') ? 401 : 500 };
  });
  for (let sent = 0; sent < 100; sent += 1) expect((await scene.chat(MODEL)).status).toBe(200);
  await expect.poll(() => scene.health().cooldownUntil).toBe(0);
  for (let sent = 0; sent < 100; sent += 1) expect((await scene.chat(MODEL)).status).toBe(200);
  expect(scene.health().circuitBreaker).toBe('open');
  // Five of clients, and one of our own.
  expect(scene.asked()).toBe(6);
});

test('one user whose content is refused with every key does not rest all keys', async () => {
  const scene = await prepare('+status-500', { AutomaticDisableChannelEnabled: 'false' });
  const keys = 'sk-a\nsk-b\nsk-c';
  const id = await scene.newChannel({ models: ['keys'], key: keys, keys_as: 'one-channel' });
  scene.upstream.setScript(({ body }) => (body.includes('insufficient balance') ? { status: 403 } : undefined));
  const other = await scene.newKey({ unlimited_quota: true }, await scene.createUser('user', { quota: 1_000_000 }));
  for (let sent = 0; sent < 20; sent += 1) {
    expect((await scene.chat('keys', {}, other)).status).toBe(200);
    await (await scene.chat('keys', REFUSED)).text();
    expect(getChannelHealth(scene.ctx).get(id, 'keys').cooldownUntil).toBe(0);
  }
});

test('without automatic disabling a refused key counts like any failure', async () => {
  const scene = await prepare('+status-401', { AutomaticDisableChannelEnabled: 'false' });
  for (let failure = 1; failure <= 5; failure += 1) {
    await askSick(scene);
    scene.clock.advance(COOLDOWN_SECONDS + 1);
  }
  expect(scene.health().circuitBreaker).toBe('open');
});

test.each([
  ['1', 502],
  ['5', 200],
])('when attempts have %s seconds, a failure after two is answered with %i', async (seconds, status) => {
  const scene = await prepare('', { RetryTimeOut: seconds });
  scene.upstream.setScript(({ headers }) => {
    if (headers.authorization !== 'Bearer sk-sick') return undefined;
    scene.clock.advance(2);
    return { status: 500 };
  });
  const statuses: number[] = [];
  for (let sent = 0; sent < 100 && scene.asked() === 0; sent += 1) statuses.push((await scene.chat(MODEL)).status);
  expect(statuses.at(-1)).toBe(status);
});

test.each([-7_200, 7_200])('a request is retried and timed while the clock moves by %i seconds', async (seconds) => {
  const scene = await prepare('');
  scene.upstream.setScript(({ headers }) => {
    if (headers.authorization !== 'Bearer sk-sick') return undefined;
    scene.clock.jump(seconds);
    return { status: 500 };
  });
  for (let sent = 0; sent < 100 && scene.asked() === 0; sent += 1) expect((await scene.chat(MODEL)).status).toBe(200);
  expect(scene.asked()).toBe(1);
  await scene.waitUntilSettled();
  const { duration_ms = -1, detail = '' } = (await scene.records()).at(-1) ?? {};
  expect(duration_ms >= 0 && duration_ms < 60_000).toBe(true);
  for (const [, duration] of detail.matchAll(/"(?:duration|started_after)":(-?\d+)/g))
    expect(Number(duration) >= 0 && Number(duration) < 60_000).toBe(true);
  scene.clock.jump(-seconds);
});
