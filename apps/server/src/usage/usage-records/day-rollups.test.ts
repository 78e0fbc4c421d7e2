import { expect, test } from 'vitest';
import type { Database } from '../../db/db.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { insertUsageRecords } from '../../testing/usage-record.ts';
import { DAY_SECONDS, updateDayRollups } from './day-rollups.ts';
import { readGroupTotals, writeGroupRollups } from './group-rollups.ts';

const NOW = Date.UTC(2026, 0, 20, 15) / 1000;
const MIDNIGHT = NOW - (NOW % DAY_SECONDS);

test('a day of millions of calls is added up by a reader that may take minutes', async () => {
  const app = await useFeatureApp([], { now: NOW * 1000 });
  const user = await app.createUser('user');
  await insertUsageRecords(
    app.ctx,
    user.id,
    [3, 2, 1].map((days) => ({ created_at: MIDNIGHT - days * DAY_SECONDS, quota: days })),
  );
  await app.ctx.db.writer
    .updateTable('usage_hour')
    .set({ requests: 5_000_000 })
    .where('hour', '=', MIDNIGHT - 2 * DAY_SECONDS)
    .execute();
  let atLength = 0;
  const readLongRunning: Database['readLongRunning'] = (work) => {
    atLength += 1;
    return app.ctx.db.readLongRunning(work);
  };
  const ctx = { ...app.ctx, db: { ...app.ctx.db, readLongRunning } };
  await writeGroupRollups(ctx);
  expect(atLength).toBe(1);
  await updateDayRollups(ctx);
  expect(atLength).toBe(2);
  const sums = await readGroupTotals(ctx, MIDNIGHT - 3 * DAY_SECONDS, NOW);
  expect(sums.map(({ quota }) => quota)).toEqual([6]);
});

test('two nodes that sum up the days of groups at the same time count them once', async () => {
  const app = await useFeatureApp([], { now: NOW * 1000 });
  const user = await app.createUser('user');
  await insertUsageRecords(
    app.ctx,
    user.id,
    [3, 2, 1].map((days) => ({ created_at: MIDNIGHT - days * DAY_SECONDS, quota: days })),
  );
  await Promise.all([writeGroupRollups(app.ctx), writeGroupRollups(app.ctx)]);
  const sums = await readGroupTotals(app.ctx, MIDNIGHT - 3 * DAY_SECONDS, NOW);
  expect(sums.map(({ quota }) => quota)).toEqual([6]);
});
