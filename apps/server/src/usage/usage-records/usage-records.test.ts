import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { channels } from '@switchyard/contract/channels/channels';
import type { ChannelId, UsageRecordId } from '@switchyard/contract/ids';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { expect, test } from 'vitest';
import { apiKeyRoutes } from '../../accounts/api-keys/routes.ts';
import { profileRoutes } from '../../accounts/profile/routes.ts';
import { channelRoutes } from '../../channels/registry/routes.ts';
import type { UsageDetail } from '../../ledger/ledger.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { usageRecordRoutes } from './routes.ts';

const HOUR = 3600;
const NOON = Date.UTC(2026, 0, 10, 12) / 1000;

const app = await useFeatureApp(
  [
    serveRoutes(apiKeys, apiKeyRoutes),
    serveRoutes(channels, channelRoutes),
    serveRoutes(usageRecords, usageRecordRoutes),
    serveRoutes(profile, profileRoutes),
  ],
  { now: NOON * 1000 },
);
const root = await app.createUser('root');
const ann = await app.createUser('user', { username: 'ann' });
const bob = await app.createUser('user', { username: 'bob' });
const key = await ann.api(apiKeys).create({ body: { name: 'laptop' } });
const [channel] = await root
  .api(channels)
  .create({ body: { name: 'first', type: 8, base_url: 'http://127.0.0.1:9', models: ['m'], key: 'sk-any-000000000' } });
const channelId = channel?.id ?? (0 as ChannelId);

const detail: UsageDetail = {
  receipt: {
    price_type: 'tokens',
    price_model: 'gpt-4o*',
    ratio_micros: 1_500_000,
    lines: [{ counter: 'input', quantity: 9_007_199, rate: 1_000_000_000_000 }],
  },
  attempts: [
    {
      channel_id: channelId,
      upstream_model: 'gpt-4o',
      status: 200,
      started_after: 1,
      duration: 5,
      outcome: 'answered',
      message: '',
    },
  ],
  dropped: ['logit_bias'],
};

await insertUsageRecords(app.ctx, ann.id, [
  { created_at: NOON - 30 * HOUR, model: 'old-model', request_id: 'oldest', quota: 1 },
  { created_at: NOON - 5 * HOUR - 600, api_key_id: key.id, is_stream: 1, request_id: 'by-key', quota: 2 },
  { created_at: NOON - 5 * HOUR, channel_id: channelId, detail: JSON.stringify(detail), quota: 4 },
  { created_at: NOON - 4 * HOUR, type: 'error', content: 'No channel answered', quota: 0 },
  { created_at: NOON - 3 * HOUR, type: 'manage', model: '', quota: 100, content: 'goodwill' },
  { created_at: NOON - 60, address: '198.51.100.7', group_symbol: 'vip', quota: 8, content: '=cmd()' },
]);
await insertUsageRecords(app.ctx, bob.id, [
  { created_at: NOON - 5 * HOUR, quota: 16, channel_id: channelId },
  { created_at: NOON - 2 * HOUR, quota: 32, model: 'old-model' },
]);

// Root's opening balance is a record too; these tests are about those above.
await app.ctx.db.writer.deleteFrom('usage_record').where('user_id', '=', root.id).execute();

const all = root.api(usageRecords);
const own = ann.api(usageRecords);

test('lists newest first, with names, and counts exactly', async () => {
  const page = await all.list({ query: { size: 3 } });
  expect(page).toMatchObject({ page: 1, size: 3, total_count: 8 });
  expect(page.data.map((record) => record.quota)).toEqual([8, 32, 100]);
  expect(page.data[0]).toMatchObject({ username: 'ann', type: 'consume', source_ip: '198.51.100.7' });
  const last = await all.list({ query: { size: 3, page: 3 } });
  expect(last.data.map((record) => record.request_id)).toEqual(['by-key', 'oldest']);
});

test('every filter finds the matching records, and its count is the number of its rows', async () => {
  const cases: [Parameters<typeof all.list>[0], number[]][] = [
    [{ query: { log_type: 'error' } }, [0]],
    [{ query: { log_type: 'manage' } }, [100]],
    [{ query: { log_type: 'consume', username: 'ANN' } }, [8, 4, 2, 1]],
    [{ query: { user_id: bob.id } }, [32, 16]],
    [{ query: { model_name: 'old-model' } }, [32, 1]],
    [{ query: { channel_id: channelId } }, [16, 4]],
    [{ query: { token_name: 'laptop' } }, [2]],
    [{ query: { token_id: key.id } }, [2]],
    [{ query: { request_id: 'by-key' } }, [2]],
    [{ query: { is_stream: true } }, [2]],
    [{ query: { group: 'vip' } }, [8]],
    [{ query: { source_ip: '198.51.100.7' } }, [8]],
    [{ query: { start_timestamp: NOON - 5 * HOUR, end_timestamp: NOON - 3 * HOUR } }, [100, 0, 16, 4]],
    [{ query: { start_timestamp: NOON - 5 * HOUR - 600, end_timestamp: NOON - 5 * HOUR - 600 } }, [2]],
    [{ query: { model_name: 'old-model', start_timestamp: NOON - 29 * HOUR } }, [32]],
    [{ query: { username: 'nobody' } }, []],
    [{ query: { token_name: 'nothing' } }, []],
    [{ query: { model_name: 'none' } }, []],
  ];
  for (const [query, quotas] of cases) {
    const { data, total_count } = await all.list(query);
    expect(
      data.map((record) => record.quota),
      JSON.stringify(query),
    ).toEqual(quotas);
    expect(total_count, JSON.stringify(query)).toBe(quotas.length);
  }
});

test('sorts by the displayed value of a column', async () => {
  const quotas = async (order: string) =>
    (await all.list({ query: { order, log_type: 'consume' } })).data.map((record) => record.quota);
  expect(await quotas('-quota')).toEqual([32, 16, 8, 4, 2, 1]);
  expect((await quotas('token_name')).at(-1)).toBe(2);
  expect(await quotas('created_at')).toEqual([1, 2, 4, 16, 32, 8]);
});

test('totals are those of the calls, also where a time range cuts an hour', async () => {
  expect(await all.totals()).toEqual({ quota: 63, requests: 6, prompt_tokens: 600, completion_tokens: 120 });
  const range = { start_timestamp: NOON - 5 * HOUR - 1, end_timestamp: NOON - 2 * HOUR };
  expect(await all.totals({ query: range })).toMatchObject({ quota: 52, requests: 3 });
  expect(await all.totals({ query: { token_id: key.id } })).toMatchObject({ quota: 2, requests: 1 });
  expect(await all.totals({ query: { log_type: 'manage' } })).toMatchObject({ quota: 0, requests: 0 });
});

test('people see their own records only, and never a channel', async () => {
  const page = await own.listOwn({ query: { size: 100 } });
  expect(page.total_count).toBe(6);
  expect(page.data.every((record) => record.user_id === ann.id && record.channel === null)).toBe(true);
  expect(await bob.api(usageRecords).totalsOwn()).toMatchObject({ quota: 48, requests: 2 });
  const foreign = await bob.fetch(`/api/log/self?user_id=${ann.id}&username=ann&channel_id=1`);
  expect(await foreign.json()).toMatchObject({ data: { total_count: 2 } });
});

test('a receipt of any size can be recalculated by hand', async () => {
  const { data } = await all.list({ query: { channel_id: channelId, user_id: ann.id } });
  const params = { id: data[0]?.id ?? (0 as UsageRecordId) };
  const full = await all.get({ params });
  expect(full.receipt).toMatchObject({
    price_model: 'gpt-4o*',
    group_ratio: 1.5,
    total: 4,
    lines: [{ counter: 'input', amount: '9007199000000000000' }],
  });
  expect(full.attempts).toMatchObject([{ channel_name: 'first', outcome: 'answered' }]);
  const mine = await own.getOwn({ params });
  expect(mine).toMatchObject({ channel: null, dropped: ['logit_bias'] });
  expect(mine.attempts).toEqual([
    {
      channel_id: null,
      channel_name: '',
      key_hint: '',
      upstream_model: '',
      served_model: '',
      status: 200,
      started_after: 1,
      duration: 5,
      outcome: 'answered',
      message: '',
      verdicts: [],
    },
  ]);
  await expect(bob.api(usageRecords).getOwn({ params })).rejects.toMatchObject({ code: 'not-found' });
});

test('the export is a table that no spreadsheet runs', async () => {
  const response = await root.fetch('/api/log/export?group=vip');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="logs.csv"');
  const [header, row, rest] = (await response.text()).split('\r\n');
  expect(header).toMatch(/^time,request_id,type,username,/);
  expect(row).toContain("'=cmd()");
  expect(rest).toBe('');
  const mine = await own.exportOwn({ query: { token_id: key.id } });
  expect(mine.trim().split('\r\n')).toHaveLength(2);
});

test('deletes old records of calls; sums of the remaining ones and balances stay correct', async () => {
  const before = await ann.fetch('/api/user/self').then((answer) => answer.json());
  const removed = await all.removeOld({ query: { target_timestamp: NOON - 20 * HOUR } });
  expect(removed).toBe(1);
  expect((await all.list({ query: {} })).total_count).toBe(7);
  expect(await all.totals()).toMatchObject({ quota: 62, requests: 5 });
  expect((await all.list({ query: { log_type: 'manage' } })).total_count).toBe(1);
  expect(await ann.fetch('/api/user/self').then((answer) => answer.json())).toEqual(before);
});
