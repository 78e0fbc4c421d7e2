import { expect, test } from 'vitest';
import { type AnyRow, insertRow, readRows } from '../testing/any-table.ts';
import { insertUsageRecords } from '../testing/insert-usage-records.ts';
import { useFeatureApp } from '../testing/start-feature-app.ts';
import { removePrematureRollups } from './remove-premature-rollups.ts';

const NOW = Date.UTC(2026, 10, 20) / 1000;
const DAY = 86_400;
const app = await useFeatureApp([], { now: NOW * 1000 });
const user = await app.createUser('user');

const sums: Readonly<Record<'usage_slice' | 'usage_group_day', (begin: number) => AnyRow>> = {
  usage_slice: (hour) => ({ hour, packed: Buffer.alloc(1) }),
  usage_group_day: (day) => ({ day, group_symbol: 'default', requests: 1, quota: 1, cost: 1, costed_quota: 1 }),
};

test.each(['usage_slice', 'usage_group_day'] as const)(
  'of %s what a clock summed up too early goes, and what has no records any more stays',
  async (table) => {
    const { db } = app.ctx;
    const kept = async (): Promise<unknown[]> =>
      (await readRows(db, table)).map(({ hour, day }) => Number(hour ?? day)).toSorted((a, b) => a - b);
    for (const begin of [NOW - 9 * DAY, NOW - DAY, NOW + DAY]) await insertRow(db, table, sums[table](begin));
    await db.writer.deleteFrom('usage_record').execute();
    await removePrematureRollups(db, table, NOW - 10 * DAY);
    expect(await kept()).toEqual([NOW - 9 * DAY, NOW - DAY, NOW + DAY]);
    await insertUsageRecords(app.ctx, user.id, [{ created_at: NOW - 5 * DAY }]);
    await removePrematureRollups(db, table, NOW);
    expect(await kept()).toEqual([NOW - 9 * DAY, NOW - DAY]);
    await removePrematureRollups(db, table, NOW - 10 * DAY);
    expect(await kept()).toEqual([NOW - 9 * DAY]);
  },
);
