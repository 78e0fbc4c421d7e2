import { setImmediate } from 'node:timers/promises';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { expect, test } from 'vitest';
import type { Database } from '../../db/open-database.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { findHourRollups } from '../analytics/hour-rollups.ts';
import { DAY_SECONDS, updateDayRollups } from './day-rollups.ts';
import { removeRecordsBefore } from './remove-records.ts';
import { usageRecordRoutes } from './routes.ts';
import { readGroupTotals } from './user-group-day-rollups.ts';

const parts = [serveRoutes(usageRecords, usageRecordRoutes)];

const HOUR = 3_600;
const NOW = Date.UTC(2026, 0, 20, 15, 30) / 1000;
const MIDNIGHT = NOW - (NOW % DAY_SECONDS);
/** Longer than the pause between two batches of removed records. */
const PAUSE = 0.05;

test('removed calls stay in the figures of groups and of analytics, for any moment', async () => {
  const app = await useFeatureApp(parts, { now: NOW * 1000 });
  const user = await app.createUser('user');
  await insertUsageRecords(app.ctx, user.id, [
    { created_at: MIDNIGHT - DAY_SECONDS, quota: 1_000 },
    { created_at: MIDNIGHT + HOUR, quota: 100 },
    { created_at: NOW - 25 * 60, quota: 10 },
    { created_at: NOW - 60, quota: 1 },
  ]);
  const chargedIn = async (): Promise<unknown> => {
    const time = { from: MIDNIGHT - DAY_SECONDS, to: MIDNIGHT + DAY_SECONDS };
    const { source } = await findHourRollups(app.ctx, time, undefined);
    const question = {
      steps: [time.from],
      end: time.to,
      shift: 10 * DAY_SECONDS,
      measure: 'charged',
      measureOnly: true,
      filters: {},
    } as const;
    const { total } = await app.ctx.db.sumRollups({ kind: 'lines', source, question });
    const groups = await readGroupTotals(app.ctx, time.from, time.to - 1);
    return { total, groups: groups.map(({ quota }) => quota) };
  };
  expect(await removeRecordsBefore(app.ctx, NOW)).toBe(1);
  expect(await chargedIn()).toEqual({ total: [1_111], groups: [1_111] });
  app.clock.advance(DAY_SECONDS);
  expect(await removeRecordsBefore(app.ctx, NOW + DAY_SECONDS)).toBe(3);
  expect(await chargedIn()).toEqual({ total: [1_111], groups: [1_111] });
});

test('a day that is added up while calls of it go is added up once more', async () => {
  const app = await useFeatureApp(parts, { now: NOW * 1000 });
  const root = await app.createUser('root');
  const user = await app.createUser('user');
  const day = MIDNIGHT - 5 * DAY_SECONDS;
  const calls = Array.from({ length: 1_200 }, (_, nth) => ({ created_at: day + nth * 60, group_symbol: 'vip' }));
  await insertUsageRecords(app.ctx, user.id, calls);
  const left = async (): Promise<number> => {
    const rows = app.ctx.db.writer.selectFrom('usage_record').where('group_symbol', '=', 'vip');
    return (await rows.select((eb) => eb.fn.countAll<number>().as('left')).executeTakeFirstOrThrow()).left;
  };
  const removing = removeRecordsBefore(app.ctx, day + 10 * HOUR);
  while ((await left()) === calls.length) await setImmediate();
  await updateDayRollups(app.ctx);
  expect(await advanceWhile(app.clock, PAUSE, removing)).toBe(600);
  await updateDayRollups(app.ctx);
  const { total_count } = await root.api(usageRecords).list({ query: { group: 'vip' } });
  expect(total_count).toBe(await left());
});

test('a stopping node leaves the rest to the next run, and the sums match the remaining records', async () => {
  const app = await useFeatureApp(parts, { now: NOW * 1000 });
  const root = await app.createUser('root');
  const user = await app.createUser('user');
  const day = MIDNIGHT - 5 * DAY_SECONDS;
  const calls = Array.from({ length: 500 }, (_, nth) => ({ created_at: day + nth, group_symbol: 'vip' }));
  await insertUsageRecords(app.ctx, user.id, calls);
  await updateDayRollups(app.ctx);
  const count = async () => (await root.api(usageRecords).list({ query: { group: 'vip' } })).total_count;
  const stopping = new AbortController();
  const writer = app.ctx.db.writer.withPlugin({
    transformQuery({ node }) {
      if ('sqlFragments' in node && node.sqlFragments[0]?.startsWith('delete from usage_record')) stopping.abort();
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const ctx = { ...app.ctx, db: { ...app.ctx.db, writer } };
  const stopped = removeRecordsBefore(ctx, MIDNIGHT, stopping.signal);
  await expect(advanceWhile(app.clock, PAUSE, stopped)).rejects.toThrow('abort');
  expect(await count()).toBe(300);
  await advanceWhile(app.clock, PAUSE, removeRecordsBefore(app.ctx, MIDNIGHT));
  expect(await count()).toBe(0);
});

test('a day whose calls went between its being read and its being written is added up once more', async () => {
  const app = await useFeatureApp(parts, { now: NOW * 1000 });
  const root = await app.createUser('root');
  const user = await app.createUser('user');
  const day = MIDNIGHT - 5 * DAY_SECONDS;
  await insertUsageRecords(
    app.ctx,
    user.id,
    [HOUR, 20 * HOUR].map((time) => ({ created_at: day + time, group_symbol: 'vip' })),
  );
  await app.ctx.db.writer.updateTable('usage_hour').set({ requests: 5_000_000 }).execute();
  const readAtLength: Database['readLongRunning'] = async (work) => {
    const read = await app.ctx.db.readLongRunning(work);
    await removeRecordsBefore(app.ctx, day + 10 * HOUR);
    return read;
  };
  await updateDayRollups({ ...app.ctx, db: { ...app.ctx.db, readLongRunning: readAtLength } });
  await updateDayRollups(app.ctx);
  const { total_count } = await root.api(usageRecords).list({ query: { group: 'vip' } });
  expect(total_count).toBe(1);
});

test('a process that dies while records go leaves no sums of more than there is', async () => {
  const app = await useFeatureApp(parts, { now: NOW * 1000 });
  const root = await app.createUser('root');
  const user = await app.createUser('user');
  const day = MIDNIGHT - 5 * DAY_SECONDS;
  const calls = Array.from({ length: 3_000 }, (_, nth) => ({ created_at: day + nth, group_symbol: 'vip' }));
  await insertUsageRecords(app.ctx, user.id, calls);
  let batches = 0;
  let summing: Promise<void> | undefined;
  const writer = app.ctx.db.writer.withPlugin({
    transformQuery({ node }) {
      if ('sqlFragments' in node && node.sqlFragments[0]?.startsWith('delete from usage_record')) batches += 1;
      if (batches === 2) summing ??= updateDayRollups(app.ctx);
      if (batches > 14) throw new Error('the process has died');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const ctx = { ...app.ctx, db: { ...app.ctx.db, writer } };
  const removing = removeRecordsBefore(ctx, MIDNIGHT);
  await expect(advanceWhile(app.clock, PAUSE, removing)).rejects.toThrow('died');
  await summing;
  const { total_count } = await root.api(usageRecords).list({ query: { group: 'vip' } });
  expect(total_count).toBe(200);
});
