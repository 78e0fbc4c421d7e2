import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '../../db/open-database.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { measureLongestBlock } from '../../testing/measure-longest-block.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { DAY_SECONDS, updateDayRollups } from './day-rollups.ts';
import { readGroupTotals, writeGroupRollups } from './user-group-day-rollups.ts';

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

test('a day of 20,000 groups is summed up in turns with other work', async () => {
  const app = await useFeatureApp([], { now: NOW * 1000 });
  const user = await app.createUser('user');
  await insertUsageRecords(app.ctx, user.id, [{ created_at: MIDNIGHT - DAY_SECONDS, quota: 1 }]);
  const {
    request_id: _id,
    id: _nth,
    ...record
  } = await app.ctx.db.writer
    .selectFrom('usage_record')
    .selectAll()
    .where('type', '=', 'consume')
    .executeTakeFirstOrThrow();
  const names = Object.keys(record).map((name) => (name === 'group_symbol' ? sql`'group ' || i` : sql.ref(name)));
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 19999)
    insert into usage_record (request_id, ${sql.join(Object.keys(record).map((name) => sql.ref(name)))})
    select 'more ' || i, ${sql.join(names)} from n, usage_record where type = 'consume'`.execute(app.ctx.db.writer);
  const block = await measureLongestBlock(() => writeGroupRollups(app.ctx));
  expect(await readGroupTotals(app.ctx, MIDNIGHT - DAY_SECONDS, NOW)).toHaveLength(20_000);
  expect(block).toBeLessThan(50);
});

test('days without calls are marked together, and calls that arrive on them later are summed up', async () => {
  const app = await useFeatureApp([], { now: NOW * 1000 });
  const user = await app.createUser('user');
  const count = 1_000;
  const oldest = MIDNIGHT - count * DAY_SECONDS;
  await insertUsageRecords(app.ctx, user.id, [
    { created_at: oldest, quota: 1 },
    { created_at: MIDNIGHT - DAY_SECONDS, quota: 2 },
  ]);
  let published = 0;
  const changes = {
    ...app.ctx.changes,
    publish: async (...change: Parameters<typeof app.ctx.changes.publish>) => {
      published += 1;
      await app.ctx.changes.publish(...change);
    },
  };
  await updateDayRollups({ ...app.ctx, changes });
  expect(published).toBe(2 + Math.ceil((count - 2) / 200));
  const marked = () => app.ctx.db.writer.selectFrom('summarised_day').select('day').orderBy('day').execute();
  const days = Array.from({ length: count }, (_, nth) => ({ day: oldest + nth * DAY_SECONDS }));
  expect(await marked()).toEqual(days);
  const between = oldest + 10 * DAY_SECONDS;
  await insertUsageRecords(app.ctx, user.id, [{ created_at: between + 5, quota: 4 }]);
  await app.ctx.db.writer
    .deleteFrom('summarised_day')
    .where('day', '>=', oldest + 5 * DAY_SECONDS)
    .execute();
  await updateDayRollups(app.ctx);
  expect(await marked()).toEqual(days);
  const sums = await app.ctx.db.writer.selectFrom('usage_day').select(['day', 'quota']).orderBy('day').execute();
  expect(sums).toEqual([
    { day: oldest, quota: 1 },
    { day: between, quota: 4 },
    { day: MIDNIGHT - DAY_SECONDS, quota: 2 },
  ]);
});
