import { apiKeySetting, apiKeys } from '@switchyard/contract/accounts/api-keys';
import { pointsAmount } from '@switchyard/contract/money';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillStorage } from '../../testing/reject-database-writes.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({});
});
afterAll(() => scene.close());

function settingWith(day: number | null) {
  const setting = apiKeySetting.parse({});
  const budget = day === null ? null : pointsAmount.parse(day);
  return { ...setting, limits: { ...setting.limits, budgets: { day: budget, week: null, month: null } } };
}

test.each([
  [
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: 'Hello' }] },
    ', or set a lower output limit (max_completion_tokens).',
  ],
  ['/v1/responses', { input: 'Hello' }, ', or set a lower output limit (max_output_tokens).'],
  ['/v1/embeddings', { input: 'Hello' }, '.'],
])('%s names what is left and needed in money, and the field that limits the output', async (path, body, advice) => {
  const user = await scene.createUser('user', { quota: 2 });
  const { key } = await user.api(apiKeys).create({ body: { name: 'poor', unlimited_quota: true } });
  const response = await scene.post(path, { model: 'scripted', ...body }, { key });
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error.message).toMatch(
    /^The account's balance is too low: \$0\.000004 \(2 points\) available, and this request may need \$[\d.]+ \(\d+ points\)\. Top up/,
  );
  expect(error.message).toContain(`Top up${advice} (request id`);
});

describe('a token with a budget for the day', () => {
  test('serves until the budget is used up, then names the limit and the time of its reset', async () => {
    const api = scene.user.api(apiKeys);
    const { id, key } = await api.create({
      body: { name: 'daily', unlimited_quota: true, setting: settingWith(1_000_000) },
    });
    expect((await scene.chat('scripted', {}, key)).status).toBe(200);
    await scene.waitUntilSettled();
    const { spent } = await api.get({ params: { id } });
    expect(spent.day.used).toBeGreaterThan(0);
    expect(spent.month.used).toBe(spent.day.used);

    await api.update({ body: { id, setting: settingWith(spent.day.used) } });
    const refused = await scene.chat('scripted', {}, key);
    expect(refused.status).toBe(429);
    // Official clients would wait for it, and ask again.
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(refused.headers.get('x-should-retry')).toBe('false');
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('insufficient_quota');
    expect(error.message).toContain('for this day is too low: $0.00 (0 points) available, and this request may need $');
    expect(error.message).toContain(`T00:00:00.000Z. Retry then, or raise the budget.`);

    await api.update({ body: { id, setting: settingWith(null) } });
    expect((await scene.chat('scripted', {}, key)).status).toBe(200);
  });

  test('refuses in the dialect of the client when the token’s daily budget is spent', async () => {
    const key = await scene.newKey({ unlimited_quota: true, setting: settingWith(0) });
    const body = { model: 'scripted', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] };
    const response = await scene.post('/v1/messages', body, { key });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'billing_error' } });
  });
});

test('a storage that cannot write results in 503 with the time to retry after', async () => {
  const makeRoom = await fillStorage(scene.ctx.db);
  const response = await scene.chat('scripted');
  await makeRoom();
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect((await scene.chat('scripted')).status).toBe(200);
});
