/** Rollups of hours, days and groups are the same on both engines. */
import { analytics } from '@switchyard/contract/usage/analytics';
import { describe, expect, test } from 'vitest';
import { insertUsageRecords } from '../../apps/server/src/testing/insert-usage-records.ts';
import { serveRoutes, startFeatureApp } from '../../apps/server/src/testing/start-feature-app.ts';
import { updateHourRollups } from '../../apps/server/src/usage/analytics/analytics.ts';
import { analyticsRoutes } from '../../apps/server/src/usage/analytics/routes.ts';
import {
  readGroupTotals,
  updateDayRollups,
  writeGroupRollups,
} from '../../apps/server/src/usage/usage-records/usage-records.ts';
import { engines, useTestDatabases } from './engines.ts';

const DAY = 86_400;
const HOUR = 3_600;
const NOW = Date.UTC(2026, 10, 20, 12) / 1000;
const FIRST = Date.UTC(2026, 10, 17) / 1000;

/** Three days with one call an hour and one failure a day. */
const calls = Array.from({ length: 72 }, (_, hour) => ({
  created_at: FIRST + hour * HOUR + 30,
  model: ['gpt-4o', 'claude', '模型'][hour % 3] ?? '',
  group_symbol: hour % 2 === 0 ? 'default' : 'vip',
  quota: hour + 1,
  cost: hour % 2 === 0 ? hour : null,
  ...(hour % 24 === 23 ? ({ type: 'error', quota: 0 } as const) : {}),
}));
const charged = calls.reduce((sum, { quota }) => sum + quota, 0);

/** The rollups of each engine. */
const results = new Map<string, unknown>();

describe.each(engines)('on $name', (engine) => {
  const places = useTestDatabases(engine);

  test('hours, days and groups are rolled up once, with the sums of their records', async () => {
    const databaseUrl = engine.kind === 'postgres' ? await places.createMigrated() : undefined;
    const app = await startFeatureApp([serveRoutes(analytics, analyticsRoutes)], {
      now: NOW * 1000,
      config: { databaseUrl },
    });
    try {
      const { ctx } = app;
      const root = await app.createUser('root');
      await insertUsageRecords(ctx, root.id, calls);
      const ask = (step: 'hour' | 'day', by?: 'model') =>
        root
          .api(analytics)
          .ask({
            query: {
              start_timestamp: FIRST,
              end_timestamp: FIRST + 3 * DAY,
              step,
              utc_offset: 0,
              measure: 'charged',
              top: 5,
              ...(by && { by }),
            },
          });
      const before = [await ask('hour'), await ask('day', 'model')];
      expect(before[0]?.total.current).toMatchObject({ charged, requests: 69, errors: 3 });
      for (let round = 0; round < 2; round += 1) {
        await updateHourRollups(ctx);
        await updateDayRollups(ctx);
        await writeGroupRollups(ctx);
      }
      expect([await ask('hour'), await ask('day', 'model')]).toEqual(before);
      const groups = await readGroupTotals(ctx, FIRST, FIRST + 3 * DAY - 1);
      expect(groups.reduce((sum, { quota }) => sum + quota, 0)).toBe(charged);
      const { writer } = ctx.db;
      const rows = async (table: 'usage_day' | 'usage_group_day' | 'summarised_day' | 'usage_slice') =>
        (
          await writer
            .selectFrom(table)
            .selectAll()
            .orderBy(table === 'usage_slice' ? 'hour' : 'day')
            .execute()
        )
          .map((row) => JSON.stringify(row, Object.keys(row).toSorted()))
          .toSorted();
      const sums = {
        groups,
        days: await rows('usage_day'),
        groupDays: await rows('usage_group_day'),
        summarised: await rows('summarised_day'),
      };
      expect(await writer.selectFrom('usage_slice').select('hour').execute()).toHaveLength(72);
      expect(sums.summarised).toHaveLength(3);
      expect(sums.groupDays).toHaveLength(6);
      results.set(engine.name, { sums, before });
    } finally {
      await app.close();
    }
  });
});

test('both have the same sums', ({ skip }) => {
  const [sqlite, postgres] = engines.map(({ name }) => results.get(name));
  if (postgres === undefined) return skip('PostgreSQL is not installed here');
  expect(postgres).toEqual(sqlite);
});
