/** No limit is ignored silently: an unknown field is refused by name, or has the meaning of the other product. */
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { features } from '@switchyard/contract/all-feature-routes';
import type { Routes } from '@switchyard/contract/route';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useTestApp } from '../../apps/server/src/testing/start-test-app.ts';

const app = await useTestApp({ now: Date.UTC(2026, 0, 10) });
const root = await app.createUser('root');
const user = await app.createUser('user', { quota: 1_000_000 });

const refusal = z.object({
  success: z.literal(false),
  code: z.string(),
  message: z.string(),
  fields: z.array(z.object({ path: z.string(), rule: z.string() })).optional(),
});

const writes = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries(routes)
    .filter(([, { method }]) => method !== 'GET')
    .map(([name, route]) => ({ name: `${feature}.${name}`, route })),
);

function send(method: string, path: string, body: unknown, who = user): Promise<Response> {
  return who.fetch(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

describe('every route that writes', () => {
  test.each(writes)('$name refuses an unknown field', async ({ route: { method, path, body } }) => {
    const response = await send(method, path.replace(/:\w+/g, '1'), { no_such_limit: 1 }, root);
    const { code, fields } = refusal.parse(await response.json());
    expect([response.status, code]).toEqual([400, 'invalid-input']);
    if (body === undefined) expect(fields).toMatchObject([{ path: 'no_such_limit', rule: 'unrecognized_keys' }]);
  });
});

describe('a token', () => {
  test.each([
    [{ model_limits_enabled: true, model_limits: 'gpt-a,gpt-b' }, ['gpt-a', 'gpt-b'], []],
    [{ allow_ips: '192.0.2.1\n198.51.100.0/24' }, [], ['192.0.2.1', '198.51.100.0/24']],
    [{ models: 'gpt-a', subnet: '192.0.2.0/24' }, ['gpt-a'], ['192.0.2.0/24']],
  ])('created with %j has these limits', async (fields, models, whitelist) => {
    const response = await send('POST', '/api/token/', { name: 'other', unlimited_quota: true, ...fields });
    expect(response.status).toBe(200);
    const [made] = (await user.api(apiKeys).list({ query: { size: 1, order: '-id' } })).data;
    expect(made?.setting.limits.limit_model_setting).toEqual({ enabled: models.length > 0, models });
    expect(made?.setting.limits.limits_ip_setting).toEqual({ enabled: whitelist.length > 0, whitelist });
  });

  test.each([
    { model_limit: 'gpt-a' },
    { allow_ips: { 0: '192.0.2.1' } },
    { allow_ips: 'example.com' },
    { cross_group_retry: true },
    { rate_limit: 1 },
    { setting: { limits_ip_setting: { enabled: true, whitelist: ['192.0.2.1'] } } },
    { setting: {}, model_limits: 'gpt-a' },
    { expired_time: 1_795_692_050_000 },
  ])('is not created with %j', async (fields) => {
    const before = (await user.api(apiKeys).list({})).total_count;
    const response = await send('POST', '/api/token/', { name: 'other', unlimited_quota: true, ...fields });
    expect(response.status).toBe(400);
    const name = Object.keys(fields).at(-1) ?? '';
    const { message } = refusal.parse(await response.json());
    expect(message).toMatch(new RegExp(`^(${name}|setting\\.limits)`));
    expect((await user.api(apiKeys).list({})).total_count).toBe(before);
  });

  test('a token can be sent back as it was read, and keeps the ratio that administrators set', async () => {
    const { id } = await user.api(apiKeys).create({ body: { name: 'read' } });
    const { data } = z
      .object({ data: z.record(z.string(), z.unknown()) })
      .parse(await (await user.fetch(`/api/token/${id}`)).json());
    const sent = await send('PUT', '/api/token/', { ...data, name: 'changed' });
    expect(sent.status).toBe(200);
    const other = await send('PUT', '/api/token/', { ...data, ratio: 0.1 });
    expect(refusal.parse(await other.json()).message).toContain('ratio');
    expect(await user.api(apiKeys).get({ params: { id } })).toMatchObject({ name: 'changed', ratio: 1 });
  });

  test.each([
    [{ strict_translation: true }, { strict_translation: true }],
    [{ heartbeat: { enabled: true, timeout_seconds: 30 } }, { heartbeat: { enabled: true } }],
    [{ limits: {} }, {}],
    [{ limits: { concurrency: 2 } }, { limits: { concurrency: 2 } }],
    [
      { limits: { limits_ip_setting: { enabled: false, whitelist: [] } } },
      { limits: { limits_ip_setting: { enabled: false } } },
    ],
  ])('a change of the setting to %j leaves every other limit unchanged', async (setting, changed) => {
    const limits = {
      limit_model_setting: { enabled: true, models: ['gpt-a'] },
      limits_ip_setting: { enabled: true, whitelist: ['192.0.2.1'] },
      concurrency: 1,
      tokens_per_minute: 5,
      budgets: { day: 5, week: null, month: 70 },
    };
    await send('POST', '/api/token/', { name: 'limited', setting: { limits } });
    const [made] = (await user.api(apiKeys).list({ query: { size: 1, order: '-id' } })).data;
    const response = await send('PUT', '/api/token/', { id: made?.id, setting });
    expect(response.status).toBe(200);
    const [after] = (await user.api(apiKeys).list({ query: { size: 1, order: '-id' } })).data;
    expect(after?.setting).toMatchObject({
      ...changed,
      limits: { ...limits, ...('limits' in changed ? changed.limits : {}) },
    });
  });

  test.each([
    [{ limits: { budgets: { day: 5 } } }, 'setting.limits.budgets.week'],
    [{ limits: null }, 'setting.limits'],
    [{ limits: { concurrency: null } }, 'setting.limits.concurrency'],
    [{ limits: { models: ['gpt-a'] } }, 'setting.limits.models'],
  ])('a change of the setting to %j is refused by name', async (setting, path) => {
    const { id } = await user.api(apiKeys).create({ body: { name: 'own' } });
    const response = await send('PUT', '/api/token/', { id, setting });
    expect([response.status, refusal.parse(await response.json()).fields?.[0]?.path]).toEqual([400, path]);
  });

  test.each(['model_limits', 'allow_ips', 'models', 'subnet'])('a token refuses a change of %s', async (field) => {
    const { id } = await user.api(apiKeys).create({ body: { name: 'own' } });
    const response = await send('PUT', '/api/token/', { id, name: 'changed', [field]: '' });
    expect(response.status).toBe(400);
    expect(refusal.parse(await response.json()).message).toMatch(
      new RegExp(`^${field}: .*Known fields: name, expired_time`),
    );
    expect((await user.api(apiKeys).get({ params: { id } })).name).toBe('own');
  });
});

test.each([
  ['users', 'POST', '/api/user/', { username: 'other', password: 'averylongpassword1', quota: 1, access: 'x' }],
  ['users', 'PUT', '/api/user/', { id: 2, inviter_id: 1 }],
  ['redemption codes', 'POST', '/api/redemption/', { name: 'a', quota: 1, count: 1, limit: 1 }],
  ['channels', 'PUT', '/api/channel/', { id: 1, model_limits: 'gpt-a' }],
  ['caps of channels', 'PUT', '/api/channel/', { id: 1, caps: { day: 5 } }],
])('%s refuse unknown fields by name', async (_what, method, path, body) => {
  const response = await send(method, path, body, root);
  expect(response.status).toBe(400);
  expect(refusal.parse(await response.json()).code).toBe('invalid-input');
});
