import { dashboard } from '@switchyard/contract/usage/dashboard';
import { expect, test } from 'vitest';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { dashboardRoutes } from './routes.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 0, 10, 12) / 1000;

const app = await useFeatureApp([serveRoutes(dashboard, dashboardRoutes)], { now: NOON * 1000 });
const admin = await app.createUser('admin');
const ann = await app.createUser('user');
await insertUsageRecords(app.ctx, ann.id, [
  { created_at: NOON - 2 * HOUR, quota: 1, duration_ms: 100 },
  { created_at: NOON - 2 * HOUR, quota: 2, duration_ms: 300, model: 'other' },
  { created_at: NOON - 2 * HOUR, type: 'error', quota: 0 },
  { created_at: NOON - DAY, quota: 4 },
  { created_at: NOON - 7 * DAY, quota: 8 },
  { created_at: NOON - 13 * DAY - 13 * HOUR, quota: 16 },
]);
await insertUsageRecords(app.ctx, admin.id, [{ created_at: NOON - HOUR, quota: 32 }]);

test('sums the last days, and the same stretch before them', async () => {
  const own = await ann.api(dashboard).own({ query: { days: 7 } });
  expect(own.current).toMatchObject({ quota: 7, requests: 3, errors: 1, request_time: 300 });
  expect(own.before).toMatchObject({ quota: 8, requests: 1 });
  expect(own.days.map(({ date, model_name, quota }) => [date, model_name, quota])).toEqual([
    ['2026-01-09', 'gpt-4o', 4],
    ['2026-01-10', 'gpt-4o', 1],
    ['2026-01-10', 'other', 2],
  ]);
});

test('a day begins at midnight of the requested time zone', async () => {
  const dates = async (visitor: typeof ann, utc_offset: number) =>
    (await visitor.api(dashboard).own({ query: { days: 1, utc_offset } })).days.map(({ date }) => date);
  // 10:00 UTC is midnight, and the calls at 10:00 are today's.
  expect(await dates(ann, 14 * 60)).toEqual(['2026-01-11', '2026-01-11']);
  // 11:00 UTC is midnight: the calls at 10:00 were yesterday's.
  expect(await dates(ann, -11 * 60)).toEqual([]);
  expect(await dates(admin, -11 * 60)).toEqual(['2026-01-10']);
});

test('administrators see all usage, users their own', async () => {
  expect((await admin.api(dashboard).everyone({ query: { days: 1 } })).current.quota).toBe(35);
  expect((await admin.api(dashboard).own({ query: { days: 1 } })).current.quota).toBe(32);
  expect((await ann.fetch('/api/dashboard')).status).toBe(403);
});

test('shows the calls and tokens of the last minute with the limits of the group', async () => {
  const busy = await app.createUser('user');
  await insertUsageRecords(app.ctx, busy.id, [
    { created_at: NOON - 61, prompt_tokens: 1_000 },
    { created_at: NOON - 30, prompt_tokens: 5, completion_tokens: 7 },
    { created_at: NOON, type: 'error', prompt_tokens: 0, completion_tokens: 0 },
    { created_at: NOON, type: 'top-up', prompt_tokens: 0, completion_tokens: 0 },
  ]);
  const { symbol } = await app.ctx.db.reader
    .selectFrom('user_group')
    .innerJoin('user', 'user.group_symbol', 'user_group.symbol')
    .select('symbol')
    .where('user.id', '=', busy.id)
    .executeTakeFirstOrThrow();
  await app.ctx.db.writer
    .updateTable('user_group')
    .set({ api_rate: 40, tokens_per_minute: 900 })
    .where('symbol', '=', symbol)
    .execute();
  expect(await busy.api(dashboard).rate()).toEqual({ rpm: 2, max_rpm: 40, tpm: 12, max_tpm: 900 });
});

test('existing clients get the last eight days under the names that they read', async () => {
  const rows = await ann.api(dashboard).legacy();
  expect(rows.map(({ Date, Quota }) => [Date, Quota])).toEqual([
    ['2026-01-03', 8],
    ['2026-01-09', 4],
    ['2026-01-10', 1],
    ['2026-01-10', 2],
  ]);
  expect(rows[2]).toMatchObject({ ModelName: 'gpt-4o', RequestCount: 1, RequestTime: 100 });
});

test.each([330, 345, -210, 0, -720])(
  'sums of days are those of the records %d minutes from UTC, and yesterday ends with this second',
  async (utc_offset) => {
    const busy = await app.createUser('user');
    const model = (at: number) => (at % 3 === 0 ? 'other' : 'gpt-4o');
    const calls = Array.from({ length: 400 }, (_, at) => ({
      created_at: NOON - at * 1_231,
      quota: at + 1,
      model: model(at),
      cost: at % 2 === 0 ? null : at,
      ...(at % 7 === 0 ? ({ type: 'error', quota: 0 } as const) : {}),
    }));
    await insertUsageRecords(app.ctx, busy.id, calls);
    const sumOf = (from: number, to: number) =>
      calls
        .filter(({ created_at }) => created_at >= from && created_at < to)
        .reduce((sum, { quota }) => sum + quota, 0);
    const local = NOON + utc_offset * 60;
    const today = local - (local % DAY) - utc_offset * 60;
    for (const days of [1, 2]) {
      const start = today - (days - 1) * DAY;
      const { current, before, days: rows } = await busy.api(dashboard).own({ query: { days, utc_offset } });
      expect(current.quota).toBe(sumOf(start, NOON + 1));
      expect(before.quota).toBe(sumOf(start - days * DAY, NOON + 1 - days * DAY));
      for (let day = start; day <= NOON; day += DAY) {
        const date = new Date((day + utc_offset * 60) * 1000).toISOString().slice(0, 10);
        const ofDay = rows.filter((row) => row.date === date);
        expect(ofDay.reduce((sum, { quota }) => sum + quota, 0)).toBe(sumOf(day, Math.min(day + DAY, NOON + 1)));
      }
      expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(current.requests);
    }
  },
);

test('reads only the records beside each midnight, however many there are', async () => {
  const busy = await app.createUser('user');
  await insertUsageRecords(
    app.ctx,
    busy.id,
    Array.from({ length: 20_000 }, (_, at) => ({ created_at: NOON - at * 60 })),
  );
  const cpuMs = async (utc_offset: number): Promise<number> => {
    const before = process.cpuUsage().user;
    await busy.api(dashboard).own({ query: { days: 90, utc_offset } });
    return (process.cpuUsage().user - before) / 1_000;
  };
  await cpuMs(0);
  const whole = await cpuMs(0);
  expect(await cpuMs(345)).toBeLessThan(5 * whole + 150);
});
