import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import type { RouteInput } from '@switchyard/contract/route';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apiKeyRoutes } from '../../accounts/api-keys/routes.ts';
import type { UsageRecordTable } from '../../ledger/table.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { DAY_SECONDS, updateDayRollups } from './day-rollups.ts';
import { usageRecordRoutes } from './routes.ts';

type Query = RouteInput<(typeof usageRecords)['totals']>['query'];
type Written = Partial<UsageRecordTable> & { created_at: number; user_id: number };

const NOW = Date.UTC(2026, 0, 20, 15) / 1000;
const DAYS = 12;

const app = await useFeatureApp([serveRoutes(apiKeys, apiKeyRoutes), serveRoutes(usageRecords, usageRecordRoutes)], {
  now: NOW * 1000,
});
const root = await app.createUser('root');
const users = [await app.createUser('user'), await app.createUser('user'), await app.createUser('user')];
const key = await users[0]?.api(apiKeys).create({ body: { name: 'laptop' } });
await app.ctx.db.writer.deleteFrom('usage_record').execute();

/** The same for every run, and as uneven as use is: some days are empty, some things happen once. */
function madeUp(): Written[] {
  const records: Written[] = [];
  for (let n = 0; n < 600; n += 1) {
    const step = (n * 7_919) % 600;
    const created_at = NOW - DAYS * DAY_SECONDS + Math.floor((step * DAYS * DAY_SECONDS) / 600);
    if (Math.floor(created_at / DAY_SECONDS) % 4 === 0) continue;
    const user = users[step % 3];
    records.push({
      created_at,
      user_id: user?.id ?? 0,
      type: step % 50 === 3 ? 'top-up' : step % 9 === 0 ? 'error' : 'consume',
      model: step % 50 === 3 ? '' : step === 251 ? 'rare' : `model-${step % 4}`,
      api_key_id: step % 3 === 0 && step % 2 === 0 ? (key?.id ?? null) : null,
      group_symbol: step % 11 === 0 ? 'vip' : 'default',
      is_stream: step % 2,
      address: step === 252 || step === 30 ? '198.51.100.1' : '198.51.100.2',
      quota: step % 9 === 0 ? 0 : step,
    });
  }
  return records;
}

const records = madeUp();
for (const { user_id, ...record } of records) await insertUsageRecords(app.ctx, user_id, [record]);

const all = root.api(usageRecords);

function matches(record: Written, query: Query): boolean {
  return (
    (query.log_type === undefined || record.type === query.log_type) &&
    (query.model_name === undefined || record.model === query.model_name) &&
    (query.user_id === undefined || record.user_id === query.user_id) &&
    (query.token_id === undefined || record.api_key_id === query.token_id) &&
    (query.group === undefined || record.group_symbol === query.group) &&
    (query.is_stream === undefined || (record.is_stream === 1) === query.is_stream) &&
    (query.source_ip === undefined || record.address === query.source_ip) &&
    (query.start_timestamp === undefined || record.created_at >= query.start_timestamp) &&
    (query.end_timestamp === undefined || record.created_at <= query.end_timestamp)
  );
}

const time = fc.integer({ min: NOW - (DAYS + 1) * DAY_SECONDS, max: NOW + DAY_SECONDS });
const query: fc.Arbitrary<Query> = fc.record(
  {
    log_type: fc.constantFrom('consume' as const, 'error' as const, 'top-up' as const),
    model_name: fc.constantFrom('model-0', 'model-1', 'rare', 'unheard-of'),
    user_id: fc.constantFrom(...users.map(({ id }) => id)),
    token_id: fc.constantFrom(...(key === undefined ? [] : [key.id])),
    group: fc.constantFrom('vip', 'default', 'nobody'),
    is_stream: fc.boolean(),
    source_ip: fc.constantFrom('198.51.100.1', '198.51.100.2', '198.51.100.3'),
    start_timestamp: time,
    end_timestamp: time,
  },
  { requiredKeys: [] },
);
const paging = fc.record({
  page: fc.integer({ min: 1, max: 4 }),
  size: fc.constantFrom(1, 7, 50),
  order: fc.constantFrom('-created_at', 'created_at', '-quota', undefined),
});

async function checkAgainstRecords(): Promise<void> {
  await fc.assert(
    fc.asyncProperty(query, paging, async (query, { page, size, order }) => {
      const expected = records.filter((record) => matches(record, query));
      const calls = expected.filter(({ type }) => type === 'consume');
      const quota = calls.reduce((sum, record) => sum + (record.quota ?? 0), 0);
      expect(await all.totals({ query })).toMatchObject({ requests: calls.length, quota });

      const list = await all.list({ query: { ...query, page, size, ...(order === undefined ? {} : { order }) } });
      expect(list.total_count).toBe(expected.length);
      const direction = order === 'created_at' ? 1 : -1;
      const value = (record: { created_at: number; quota?: number }): number =>
        order === '-quota' ? (record.quota ?? 0) : record.created_at;
      const places = expected.map(value).toSorted((a, b) => direction * (a - b));
      expect(list.data.map(value)).toEqual(places.slice((page - 1) * size, page * size));
    }),
    { numRuns: 150 },
  );
}

test('lists, counts and totals are those of the records before any day is summarised', checkAgainstRecords);

test('lists and counts do not change after days are rolled up, for any filter, order and page', async () => {
  await updateDayRollups(app.ctx);
  const days = await app.ctx.db.writer.selectFrom('summarised_day').select('day').execute();
  expect(days).toHaveLength(DAYS);
  await checkAgainstRecords();
});

test('lists and counts the same when some days are not summarised yet or are done twice', async () => {
  await app.ctx.db.writer
    .deleteFrom('summarised_day')
    .where('day', 'in', [NOW - (NOW % DAY_SECONDS) - 3 * DAY_SECONDS, NOW - (NOW % DAY_SECONDS) - 9 * DAY_SECONDS])
    .execute();
  await checkAgainstRecords();
  await updateDayRollups(app.ctx);
  await checkAgainstRecords();
});

test('lists and counts the same when days were summarised by a clock that was ahead', async () => {
  app.clock.jump(2 * DAY_SECONDS);
  await updateDayRollups(app.ctx);
  app.clock.jump(-2 * DAY_SECONDS);
  const user_id = users[0]?.id ?? 0;
  const late: Written = { created_at: NOW - 5, user_id, type: 'consume', model: 'rare', quota: 77 };
  await insertUsageRecords(app.ctx, user_id, [late]);
  records.push({ group_symbol: 'default', is_stream: 0, address: '', api_key_id: null, ...late });
  await updateDayRollups(app.ctx);
  await checkAgainstRecords();
});

test('deleted records are no longer in any sum', async () => {
  const before = NOW - 5 * DAY_SECONDS - 1_000;
  await advanceWhile(app.clock, 0.05, all.removeOld({ query: { target_timestamp: before } }));
  const left = records.filter(({ created_at, type }) => created_at >= before || type === 'top-up');
  records.splice(0, records.length, ...left);
  await checkAgainstRecords();
  await updateDayRollups(app.ctx);
  await checkAgainstRecords();
});
