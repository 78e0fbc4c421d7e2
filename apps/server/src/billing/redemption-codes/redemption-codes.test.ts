import { redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import { toPoints } from '@switchyard/contract/money';
import { expect, test } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { redemptionCodeRoutes } from './routes.ts';

const app = await useFeatureApp([serveRoutes(redemptionCodes, redemptionCodeRoutes)], { now: Date.UTC(2026, 10, 21) });
const root = await app.createUser('root');
const api = root.api(redemptionCodes);
const MINUTE = 60;
const now = () => Math.floor(app.clock.now() / 1000);
const batchOf = async (name: string) => {
  const batch = (await api.listBatches({ query: { keyword: name } })).data[0];
  if (batch === undefined) throw new Error('no such batch');
  return batch;
};
const codeOf = async (key: string) => {
  const code = (await api.list({ query: { keyword: key } })).data[0];
  if (code === undefined) throw new Error('no such code');
  return code;
};

test('a batch keeps its terms and answers with its codes', async () => {
  const terms = {
    name: 'Spring sale',
    quota: toPoints(5_000),
    count: 3,
    prefix: 'SPRING',
    expires_time: now() + MINUTE,
    per_user: 1,
    for_group: 'default',
    grant_group: 'vip',
  };
  const codes = await api.create({ body: terms });
  expect(new Set(codes).size).toBe(3);
  for (const code of codes) expect(code).toMatch(/^SPRING-/);
  expect(await batchOf('ring sa')).toMatchObject({
    ...terms,
    used: 0,
    unused: 3,
    enabled: true,
    created_time: now(),
    created_by: root.username,
  });
});

test('10,000 different codes are created in one batch, in reasonable time', async () => {
  const start = performance.now();
  const codes = await api.create({ body: { name: 'Many', quota: toPoints(1), count: 10_000 } });
  const took = performance.now() - start;
  console.log(`10,000 codes in ${Math.round(took)} ms`);
  expect(took).toBeLessThan(10_000);
  expect(new Set(codes).size).toBe(10_000);
  expect(await batchOf('Many')).toMatchObject({ count: 10_000, unused: 10_000 });
  expect(await codeOf(codes.at(-1) ?? '')).toMatchObject({ name: 'Many', status: 'enabled' });
});

const send = async (method: string, body: unknown): Promise<unknown> =>
  (
    await root.fetch('/api/redemption/', {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json();

test.each([
  [{ quota: 0 }, 'quota'],
  [{ quota: -1 }, 'quota'],
  [{ quota: 0.5 }, 'quota'],
  [{ quota: 1_000_000_000_000_001 }, 'quota'],
  [{ count: 0 }, 'count'],
  [{ count: 1.5 }, 'count'],
  [{ count: 10_001 }, 'count'],
  [{ name: ' ' }, 'name'],
  [{ prefix: '-A' }, 'prefix'],
  [{ prefix: 'ABCDEFGHIJKLM' }, 'prefix'],
  [{ prefix: '=A' }, 'prefix'],
  [{ expires_time: 1 }, 'expires_time'],
  [{ expires_time: -1 }, 'expires_time'],
  [{ expires_time: 253_402_300_800 }, 'expires_time'],
  [{ for_group: 'nobody' }, 'for_group'],
  [{ grant_group: 'nobody' }, 'grant_group'],
])('refuses %j, and makes nothing', async (wrong, path) => {
  const before = (await api.listBatches()).total_count;
  expect(await send('POST', { name: 'Wrong', quota: 1, ...wrong })).toMatchObject({
    code: 'invalid-input',
    fields: expect.arrayContaining([expect.objectContaining({ path })]),
  });
  expect((await api.listBatches()).total_count).toBe(before);
});

test('codes are found by id, by the beginning of the name, and by the whole code however it is typed', async () => {
  const [code = ''] = await api.create({ body: { name: 'Findable', quota: toPoints(7) } });
  const { id } = await codeOf(code);
  for (const keyword of [String(id), 'Finda', code, code.toLowerCase().replaceAll('-', ' ')])
    expect((await api.list({ query: { keyword } })).data).toMatchObject([{ id, name: 'Findable' }]);
  for (const keyword of ['indable', code.slice(0, -1), '%', '0'])
    expect((await api.list({ query: { keyword } })).data).toEqual([]);
});

test('lists who redeemed what and when, also after the batch was deleted', async () => {
  const user = await app.createUser('user', { username: 'Redeemer' });
  const [first = ''] = await api.create({ body: { name: 'Sold', quota: toPoints(7), count: 3 } });
  await user.api(redemptionCodes).redeem({ body: { key: first } });
  const { id } = await batchOf('Sold');
  expect(await batchOf('Sold')).toMatchObject({ used: 1, unused: 2, count: 3 });
  const query = { username: 'redeemer' };
  expect((await api.list({ query: { ...query, status: 'enabled' } })).data).toEqual([]);
  await api.removeBatch({ params: { id } });
  expect((await api.list({ query })).data).toMatchObject([
    {
      batch_id: id,
      name: 'Sold',
      status: 'used',
      redeemed_time: now(),
      redeemed_by: { id: user.id, username: 'Redeemer' },
    },
  ]);
  expect((await api.list({ query: { batch_id: id } })).total_count).toBe(1);
  expect((await api.listBatches({ query: { keyword: 'Sold' } })).data).toEqual([]);
  for (const call of [
    () => api.getBatch({ params: { id } }),
    () => api.removeBatch({ params: { id } }),
    () => api.updateBatch({ body: { id, enabled: false } }),
    () => api.exportBatch({ params: { id } }),
    () => api.unusedCodes({ params: { id } }),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'not-found' });
});

test('one code is disabled, enabled, read and deleted; a used one cannot be changed', async () => {
  const user = await app.createUser('user');
  const [used = '', other = ''] = await api.create({ body: { name: 'Single', quota: toPoints(1), count: 2 } });
  const { id } = await codeOf(other);
  expect(await api.update({ body: { id, status: 'disabled' } })).toMatchObject({ status: 'disabled' });
  expect(await api.update({ body: { id, status: 'enabled' } })).toMatchObject({ status: 'enabled' });
  expect(await api.reveal({ params: { id } })).toBe(other);
  await api.remove({ params: { id } });
  await expect(api.get({ params: { id } })).rejects.toMatchObject({ code: 'not-found' });

  await user.api(redemptionCodes).redeem({ body: { key: used } });
  const spent = await codeOf(used);
  expect(await api.get({ params: { id: spent.id } })).toMatchObject({ hint: `…${used.slice(-4)}` });
  for (const call of [
    () => api.update({ body: { id: spent.id, status: 'enabled' } }),
    () => api.update({ body: { id: spent.id, status: 'disabled' } }),
    () => api.remove({ params: { id: spent.id } }),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'code-used' });
  expect(await codeOf(used)).toMatchObject({ status: 'used' });
});

test('a code cannot be marked as used manually', async () => {
  const [code = ''] = await api.create({ body: { name: 'Unused', quota: toPoints(1) } });
  const { id } = await codeOf(code);
  expect(await send('PUT', { id, status: 3 })).toMatchObject({ code: 'invalid-input', fields: [{ path: 'status' }] });
  expect(await codeOf(code)).toMatchObject({ status: 'enabled' });
});

test('a batch changes its name, expiry and limit, but never to a moment that has passed', async () => {
  await api.create({ body: { name: 'Before', quota: toPoints(1), expires_time: now() + MINUTE } });
  const { id, expires_time } = await batchOf('Before');
  const changed = await api.updateBatch({ body: { id, name: 'After', per_user: 3 } });
  expect(changed).toMatchObject({ name: 'After', per_user: 3, expires_time });
  expect(await api.getBatch({ params: { id } })).toEqual(changed);
  await expect(api.updateBatch({ body: { id, expires_time: now() } })).rejects.toMatchObject({
    fields: [{ path: 'expires_time', rule: 'past' }],
  });
  app.clock.advance(MINUTE);
  // The form sends all of its fields.
  expect(await api.updateBatch({ body: { id, expires_time, name: 'Late' } })).toMatchObject({ name: 'Late' });
  expect(await api.updateBatch({ body: { id, expires_time: 0 } })).toMatchObject({ expires_time: 0 });
});

test('an export has each code with what became of it, and nothing that a spreadsheet would run', async () => {
  const user = await app.createUser('user', { username: 'buyer' });
  const codes = await api.create({ body: { name: '=1+1', quota: toPoints(9), count: 2, prefix: 'X' } });
  await user.api(redemptionCodes).redeem({ body: { key: codes[0] ?? '' } });
  const { id } = await batchOf('=1+1');
  const lines = (await api.exportBatch({ params: { id } })).trimEnd().split('\r\n');
  expect(lines[0]).toBe('id,name,code,quota,status,expires,redeemed,redeemed_by');
  const rest = lines.slice(1).map((line) => line.split(',').slice(1));
  expect(rest).toEqual([
    ["'=1+1", codes[0], '9', 'used', '', new Date(app.clock.now()).toISOString(), 'buyer'],
    ["'=1+1", codes[1], '9', 'enabled', '', '', ''],
  ]);
  expect(await api.unusedCodes({ params: { id } })).toEqual([codes[1]]);
});

test('the audit log names the actor, and never a code', async () => {
  const entries = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select(['action', 'detail'])
    .where('user_id', '=', root.id)
    .where('action', 'not like', 'session.%')
    .execute();
  expect([...new Set(entries.map(({ action }) => action))].toSorted()).toEqual([
    'code-batch.create',
    'code-batch.delete',
    'code-batch.export',
    'code-batch.print',
    'code-batch.update',
    'redemption-code.delete',
    'redemption-code.disable',
    'redemption-code.enable',
    'redemption-code.reveal',
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/[A-Z2-9]{5}-[A-Z2-9]{5}/);
});
