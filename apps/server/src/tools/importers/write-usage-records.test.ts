import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analytics } from '@switchyard/contract/usage/analytics';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { afterAll, expect, test } from 'vitest';
import { importIntoApp } from '../../testing/import-into-app.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { writeSqliteSource } from '../../testing/source-database.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { updateHourRollups } from '../../usage/analytics/analytics.ts';
import { analyticsRoutes } from '../../usage/analytics/routes.ts';
import { usageRecordRoutes } from '../../usage/usage-records/routes.ts';
import { readGroupTotals, writeGroupRollups } from '../../usage/usage-records/usage-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-logs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const app = await useFeatureApp([
  serveRoutes(usageRecords, usageRecordRoutes),
  serveRoutes(analytics, analyticsRoutes),
]);

test('records whose time cannot be are named and left out, and the others come over once', async () => {
  const file = join(folder, 'logs.db');
  const log = { user_id: 1, type: 2, quota: 1, model_name: 'm' };
  await writeSqliteSource(file, 'new-api', {
    users: [{ id: 1, username: 'alice', status: 1 }],
    logs: [
      { ...log, id: 1, created_at: 0 },
      { ...log, id: 2, created_at: 1_700_000_000 },
      { ...log, id: 3, created_at: 9e18 },
      { ...log, id: 4, created_at: 1_700_000_001_000, quota: 1e30 },
    ],
  });
  const report = await importIntoApp(app, file, 'new-api');
  expect(report.counts('log')).toEqual({ read: 4, new: 2, known: 0, skipped: 2 });
  expect(report.lines().join('\n')).toContain('its time is unknown or in the future: 1, 3');
  const records = await app.ctx.db.writer
    .selectFrom('usage_record')
    .select(['created_at', 'quota'])
    .where('type', '=', 'consume')
    .orderBy('created_at')
    .execute();
  expect(records).toEqual([
    { created_at: 1_700_000_000, quota: 1 },
    { created_at: 1_700_000_001, quota: 1_000_000_000_000 },
  ]);
  const again = await importIntoApp(app, file, 'new-api');
  expect(again.counts('log')).toMatchObject({ read: 4, new: 0, known: 4 });
});

test('imported records are in the log at once, and in no sum of charges', async () => {
  const file = join(folder, 'history.db');
  const times = [1_600_000_000, 1_600_010_000, 1_600_200_000];
  const logs = times.map((created_at, id) => ({
    user_id: 1,
    type: 2,
    quota: 1,
    model_name: 'old',
    id: id + 1,
    created_at,
  }));
  await writeSqliteSource(file, 'new-api', { users: [{ id: 1, username: 'alice', status: 1 }], logs });
  const root = await app.createUser('root');
  const model_name = 'old';
  await importIntoApp(app, file, 'new-api', { source: 'history' });
  const list = await root.api(usageRecords).list({ query: { model_name } });
  expect(list).toMatchObject({ total_count: 3, data: [{ model_name }, { model_name }, { model_name }] });
  await insertUsageRecords(app.ctx, root.id, [{ created_at: 1_600_005_000, quota: 7 }]);
  await updateHourRollups(app.ctx);
  await writeGroupRollups(app.ctx);
  const time = { start_timestamp: 1_590_000_000, end_timestamp: 1_610_000_000 };
  const { total } = await root
    .api(analytics)
    .ask({ query: { ...time, step: 'month', utc_offset: 0, measure: 'charged', top: 5 } });
  expect(total.current).toMatchObject({ charged: 7, requests: 1 });
  const groups = await readGroupTotals(app.ctx, time.start_timestamp, time.end_timestamp);
  expect(groups.map(({ quota }) => quota)).toEqual([7]);
});

test('records whose ids cannot be counted are left out, so that the next run knows those that came over', async () => {
  const file = join(folder, 'ids.db');
  const log = { user_id: 1, type: 2, quota: 1, model_name: 'm', created_at: 1_700_000_000 };
  await writeSqliteSource(file, 'new-api', {
    users: [{ id: 1, username: 'carol', status: 1 }],
    logs: [
      { ...log, id: 7 },
      { ...log, id: 2n ** 60n },
    ],
  });
  const bring = () => importIntoApp(app, file, 'new-api', { source: 'ids' });
  expect((await bring()).counts('log')).toMatchObject({ read: 2, new: 1, skipped: 1 });
  expect((await bring()).counts('log')).toMatchObject({ read: 2, new: 0, known: 1, skipped: 1 });
});

test('no record is older than requested, in any unit of its time', async () => {
  const file = join(folder, 'old.db');
  const log = { user_id: 1, type: 2, quota: 1, model_name: 'm' };
  const now = Math.floor(app.ctx.clock.now() / 1000);
  const days = (count: number): number => now - count * 86_400;
  await writeSqliteSource(file, 'new-api', {
    users: [{ id: 1, username: 'dave', status: 1 }],
    logs: [5, 1].map((ago) => ({ ...log, id: 10 - ago, created_at: days(ago) * 1_000 })),
  });
  const report = await importIntoApp(app, file, 'new-api', { source: 'old', logDays: 3 });
  expect(report.counts('log')).toMatchObject({ read: 2, new: 1, skipped: 1 });
});
