import { beforeEach, expect, test } from 'vitest';
import type { Database } from '../../db/open-database.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { updateDayRollups, writeGroupRollups } from '../usage-records/usage-records.ts';
import { findHourRollups, updateHourRollups } from './hour-rollups.ts';

const HOUR = 3_600;
const NOW = Date.UTC(2026, 2, 20, 12, 20) / 1000;
const FROM = NOW - 5 * HOUR - (NOW % HOUR);

const app = await useFeatureApp([], { now: NOW * 1000 });
const user = await app.createUser('user');
beforeEach(async () => {
  app.clock.set(NOW * 1000);
  const tables = ['usage_record', 'usage_hour', 'usage_slice', 'usage_coarse_slice'] as const;
  for (const table of [...tables, 'usage_group_day', 'usage_day', 'summarised_day'] as const)
    await app.ctx.db.writer.deleteFrom(table).execute();
});

test('an hour that is packed twice during a query counts once', async () => {
  await insertUsageRecords(
    app.ctx,
    user.id,
    Array.from({ length: 5 }, (_, at) => ({ created_at: FROM + at * HOUR, quota: 10 })),
  );
  const { source } = await findHourRollups(app.ctx, { from: FROM, to: NOW }, 'model');
  await Promise.all([updateHourRollups(app.ctx), updateHourRollups(app.ctx)]);
  const question = {
    steps: [FROM],
    end: NOW,
    shift: HOUR,
    measure: 'charged',
    measureOnly: true,
    filters: {},
  } as const;
  const { total } = await app.ctx.db.sumRollups({ kind: 'lines', source, question });
  expect(total).toEqual([50]);
});

test('hours that a clock one day ahead had packed are packed again, so that later calls are not hidden', async () => {
  const call = (created_at: number) => insertUsageRecords(app.ctx, user.id, [{ created_at, quota: 10 }]);
  await call(FROM);
  app.clock.jump(24 * HOUR);
  await call(NOW + 20 * HOUR);
  await updateHourRollups(app.ctx);
  app.clock.jump(-24 * HOUR);
  await updateHourRollups(app.ctx);
  await call(NOW);
  app.clock.jump(48 * HOUR);
  await updateHourRollups(app.ctx);
  const hours = await app.ctx.db.writer.selectFrom('usage_slice').select('hour').orderBy('hour').execute();
  const hourOf = (time: number): number => time - (time % HOUR);
  expect(hours.map(({ hour }) => hour)).toEqual([FROM, hourOf(NOW), hourOf(NOW + 20 * HOUR)]);
});

test('a clock that is behind removes no rollups whose records are deleted', async () => {
  await insertUsageRecords(app.ctx, user.id, [{ created_at: FROM, quota: 10 }]);
  await updateHourRollups(app.ctx);
  await app.ctx.db.writer.deleteFrom('usage_record').execute();
  app.clock.jump(-365 * 24 * HOUR);
  await updateHourRollups(app.ctx);
  const hours = await app.ctx.db.writer.selectFrom('usage_slice').select('hour').execute();
  expect(hours).toEqual([{ hour: FROM }]);
});

test('years of hours and days keep no node from stopping', async () => {
  const times = Array.from({ length: 3 }, (_, days) => FROM - days * 24 * HOUR);
  await insertUsageRecords(
    app.ctx,
    user.id,
    times.map((created_at) => ({ created_at, quota: 10 })),
  );
  const rowsOf = async (table: 'usage_slice' | 'usage_coarse_slice' | 'usage_group_day' | 'summarised_day') =>
    (await app.ctx.db.writer.selectFrom(table).selectAll().execute()).length;
  const stopping = new AbortController();
  const sumRollups: Database['sumRollups'] = async (task) => {
    const answer = await app.ctx.db.sumRollups(task);
    if ((await rowsOf('usage_slice')) === 1) stopping.abort();
    return answer;
  };
  const ctx = { ...app.ctx, db: { ...app.ctx.db, sumRollups } };
  await updateHourRollups(ctx, stopping.signal);
  expect(await rowsOf('usage_slice')).toBe(2);
  expect(await rowsOf('usage_coarse_slice')).toBe(0);
  await writeGroupRollups(ctx, stopping.signal);
  await updateDayRollups(ctx, stopping.signal);
  expect((await rowsOf('usage_group_day')) + (await rowsOf('summarised_day'))).toBe(0);
});

test('the next run adds rollups by each field to hours that an older version packed, and they are removed with their hour', async () => {
  const calls = [FROM, FROM + HOUR].map((created_at) => ({ created_at, quota: 10 }));
  await insertUsageRecords(app.ctx, user.id, calls);
  await updateHourRollups(app.ctx);
  const coarse = () =>
    app.ctx.db.writer.selectFrom('usage_coarse_slice').selectAll().orderBy('hour').orderBy('field').execute();
  const rollups = await coarse();
  expect(rollups.map(({ hour }) => hour)).toEqual([FROM, FROM + HOUR].flatMap((hour) => Array(6).fill(hour)));
  await app.ctx.db.writer.deleteFrom('usage_coarse_slice').execute();
  await updateHourRollups(app.ctx);
  expect(await coarse()).toEqual(rollups);
  app.clock.jump(-4 * HOUR);
  await updateHourRollups(app.ctx);
  expect((await coarse()).map(({ hour }) => hour)).toEqual(Array(6).fill(FROM));
});
