import { once } from 'node:events';
import { connect } from 'node:net';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { users } from '@switchyard/contract/accounts/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { createModelNameLimit } from '../snapshot/model-label-and-name-limit.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({});
});
afterAll(() => scene.close());

async function refusal(response: Response): Promise<{ status: number; code: unknown; message: string }> {
  const body = (await response.json()) as { error: { code?: unknown; message: string } };
  return { status: response.status, code: body.error.code, message: body.error.message };
}

describe('admission', () => {
  test.each([
    ['no key', {}, 401],
    ['a key that never was', { authorization: 'Bearer sk-nothing' }, 401],
    ['an empty key', { authorization: 'Bearer ' }, 401],
  ])('refuses %s in the dialect of the client', async (_name, headers, status) => {
    const response = await fetch(`${scene.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'scripted', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] }),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
  });

  test('takes the key from each of the headers that clients use', async () => {
    for (const headers of [
      { authorization: scene.key },
      { 'x-api-key': scene.key },
      { 'x-goog-api-key': scene.key },
      { authorization: `bearer ${scene.key}` },
      { authorization: `BEARER  ${scene.key}` },
      { authorization: '', 'x-api-key': scene.key },
      { authorization: 'Bearer', 'x-goog-api-key': scene.key },
      { 'x-api-key': '', 'x-goog-api-key': scene.key },
    ] as Record<string, string>[]) {
      const response = await fetch(`${scene.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'x' }] }),
      });
      expect(response.status).toBe(200);
    }
  });

  test('refuses a model and an address that the token does not allow, and names both', async () => {
    const models = { enabled: true, models: ['scripted-a'] };
    const open = { enabled: false, whitelist: [] };
    const onlyA = await scene.newKey({ unlimited_quota: true, setting: settingWith(models, open) });
    expect(await refusal(await scene.chat('scripted-b', {}, onlyA))).toMatchObject({
      status: 404,
      code: 'model_not_allowed',
      message: expect.stringContaining("scripted-b. Add the model to the token's list, or use one of its models."),
    });
    expect((await scene.chat('scripted-a', {}, onlyA)).status).toBe(200);
    const elsewhere = { enabled: true, whitelist: ['10.0.0.0/8'] };
    const inside = await scene.newKey({
      unlimited_quota: true,
      setting: settingWith({ enabled: false, models: [] }, elsewhere),
    });
    const refused = await refusal(await scene.chat('scripted', {}, inside));
    expect(refused).toMatchObject({ status: 403, code: 'address_not_allowed' });
    expect(refused.message).toContain("127.0.0.1. Add this address to the token's allowed addresses.");
  });

  test('refuses a disabled, an expired and a deleted token with the next request', async () => {
    const own = scene.user.api(apiKeys);
    const key = await own.create({ body: { name: 'short life', unlimited_quota: true } });
    expect((await scene.chat('scripted', {}, key.key)).status).toBe(200);
    await own.update({ body: { id: key.id, status: 'disabled' } });
    expect(await refusal(await scene.chat('scripted', {}, key.key))).toMatchObject({
      status: 401,
      code: 'api_key_disabled',
      message: expect.stringContaining('"short life" is disabled. Enable it in the console, or use another token.'),
    });
    const asStaff = scene.admin.api(apiKeys);
    await asStaff.switch({ params: { id: key.id }, body: { status: 'disabled' } });
    expect(await refusal(await scene.chat('scripted', {}, key.key))).toMatchObject({
      status: 401,
      code: 'api_key_disabled',
      message: expect.stringContaining('"short life" is disabled by staff. Ask an administrator, or use another'),
    });
    await asStaff.switch({ params: { id: key.id }, body: { status: 'enabled' } });
    const end = Math.floor(Date.now() / 1000) - 10;
    await own.update({ body: { id: key.id, status: 'enabled', expired_time: end } });
    expect(await refusal(await scene.chat('scripted', {}, key.key))).toMatchObject({
      status: 401,
      code: 'api_key_expired',
      message: expect.stringContaining(`"short life" expired at ${new Date(end * 1000).toISOString()}. Extend it`),
    });
    await own.remove({ params: { id: key.id } });
    expect(await refusal(await scene.chat('scripted', {}, key.key))).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
  });

  test('names the state of a group that a token cannot use', async () => {
    const groups = scene.admin.api(userGroups);
    const { id } = await groups.create({ body: { symbol: 'closing', name: 'Closing', public: true } });
    const key = await scene.newKey({ unlimited_quota: true, group: 'closing' });
    const expectState = async (state: string): Promise<void> =>
      expect(await refusal(await scene.chat('scripted', {}, key))).toMatchObject({
        status: 403,
        code: 'group_not_allowed',
        message: expect.stringContaining(`The group closing ${state}. Choose another group for the token.`),
      });
    await groups.update({ body: { id, public: false } });
    await expectState('is not open to you');
    await groups.toggle({ params: { id } });
    await expectState('is disabled');
  });

  test('refuses who may not ask before a body has arrived', async () => {
    const own = scene.user.api(apiKeys);
    const { id, key } = await own.create({ body: { name: 'off', unlimited_quota: true } });
    await own.update({ body: { id, status: 'disabled' } });
    const socket = connect(Number(new URL(scene.url).port), '127.0.0.1');
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 30000000\r\n\r\n{`,
    );
    const [head] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(head.toString()).toContain('401');
    expect(head.toString()).toContain('api_key_disabled');
  });

  test('refuses a request beyond the token’s quota or the account’s balance, and names which', async () => {
    const poor = await scene.newKey({ remain_quota: 10 as never });
    expect(await refusal(await scene.chat('scripted', {}, poor))).toMatchObject({
      status: 429,
      code: 'insufficient_quota',
      message: expect.stringMatching(
        /^The quota of the token .* Raise the quota, or set a lower output limit \(max_completion_tokens\)\./,
      ),
    });
    const broke = await scene.createUser('user');
    const key = await scene.newKey({ unlimited_quota: true }, broke);
    expect(await refusal(await scene.chat('scripted', {}, key))).toMatchObject({
      status: 429,
      code: 'insufficient_quota',
      message: expect.stringMatching(
        /^The account's balance .* Top up, or set a lower output limit \(max_completion_tokens\)\./,
      ),
    });
  });

  test('refuses every key of a disabled user with the next request', async () => {
    const someone = await scene.createUser('user', { quota: 1_000_000 });
    const key = await scene.newKey({ unlimited_quota: true }, someone);
    expect((await scene.chat('scripted', {}, key)).status).toBe(200);
    await scene.admin.api(users).manage({ body: { username: someone.username, action: 'disable' } });
    expect(await refusal(await scene.chat('scripted', {}, key))).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      message: expect.stringContaining(`The user of the token …${key.slice(-4)} is disabled. Ask an administrator.`),
    });
  });

  test('admits three requests at three per minute, and says when the fourth may be sent', async () => {
    await scene.admin.api(userGroups).create({ body: { symbol: 'slow', name: 'Slow', api_rate: 3, public: true } });
    const someone = await scene.createUser('user', { quota: 10_000_000, group: 'slow' });
    await scene.newChannel({ group: ['slow'] });
    const key = await scene.newKey({ unlimited_quota: true }, someone);
    for (let call = 0; call < 3; call += 1) expect((await scene.chat('scripted', {}, key)).status).toBe(200);
    const fourth = await scene.chat('scripted', {}, key);
    expect(fourth.status).toBe(429);
    expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test.each([
    ['text that is no JSON', '{"model":', 400],
    ['a body without a model', '{"messages":[]}', 400],
    ['an array', '[]', 400],
    ['a negative max_tokens', '{"model":"scripted","max_tokens":-1,"messages":[{"role":"user","content":"x"}]}', 400],
  ])('answers %s with 400', async (_name, body, status) => {
    expect((await scene.post('/v1/chat/completions', body)).status).toBe(status);
  });

  test('answers other content types, oversized bodies and unknown paths in the error shape', async () => {
    const asText = await scene.post('/v1/chat/completions', '{}', { headers: { 'content-type': 'text/plain' } });
    expect(await refusal(asText)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    expect(await refusal(await scene.post('/v1/unknown', {}))).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('lets only administrators choose a channel', async () => {
    const id = await scene.newChannel({ models: ['pinned-only'] });
    expect(await refusal(await scene.chat('scripted', {}, `${scene.key}#${id}`))).toMatchObject({
      status: 403,
      code: 'channel_not_allowed',
    });
    const adminKey = await scene.newKey({ unlimited_quota: true }, scene.admin);
    const answer = await scene.chat('scripted', {}, `${adminKey}-${id}`);
    expect(answer.headers.get('x-switchyard-channel')).toBe(String(id));
  });
});

function settingWith(
  limit_model_setting: { enabled: boolean; models: string[] },
  limits_ip_setting: { enabled: boolean; whitelist: string[] },
) {
  return {
    heartbeat: { enabled: false, timeout_seconds: 30 },
    strict_translation: false,
    limits: {
      limit_model_setting,
      limits_ip_setting,
      concurrency: 0,
      tokens_per_minute: 0,
      budgets: { day: null, week: null, month: null },
    },
  };
}

test('a user may use 1,000 different names of models under a wildcard in a day', () => {
  const clock = createTestClock(0);
  const limit = createModelNameLimit(clock, (model) => (model.startsWith('gpt-4') ? 'gpt-4*' : model));
  const user = { id: 1, role: 'user' } as const;
  for (let nth = 0; nth < 1_000; nth += 1) limit(user, `gpt-4-${nth}`);
  expect(() => limit(user, 'gpt-4-new')).toThrow(
    '1000 different names within a day that this gateway lists only as gpt-4*',
  );
  limit(user, 'gpt-4-999');
  limit(user, 'listed');
  limit({ id: 2, role: 'user' }, 'gpt-4-new');
  limit({ id: 1, role: 'admin' }, 'gpt-4-new');
  clock.advance(86_400);
  limit(user, 'gpt-4-new');
});
