import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { serveRoutes } from '../../testing/start-feature-app.ts';
import { type FeatureNodes, startFeatureNodes } from '../../testing/start-nodes.ts';
import { DAY_SECONDS, updateDayRollups } from './day-rollups.ts';
import { removeRecordsBefore } from './remove-records.ts';
import { usageRecordRoutes } from './routes.ts';

const NOON = DAY_SECONDS / 2;

let nodes: FeatureNodes | undefined;
beforeAll(async () => {
  nodes = await startFeatureNodes([serveRoutes(usageRecords, usageRecordRoutes)]);
});
afterAll(() => nodes?.close());

test('a node does not use cached totals of a day that another node has summed up again', async ({ skip }) => {
  if (nodes === undefined) return skip('PostgreSQL is not installed here');
  const { first, second } = nodes;
  const user = await first.createUser('user');
  const admin = await second.createUser('admin');
  const today = Math.floor(first.ctx.clock.now() / 1000 / DAY_SECONDS) * DAY_SECONDS;
  const day = today - 3 * DAY_SECONDS;
  await insertUsageRecords(
    first.ctx,
    user.id,
    [0, NOON, DAY_SECONDS].map((after) => ({ created_at: day + after + 60, group_symbol: 'vip' })),
  );
  await updateDayRollups(first.ctx);
  const query = { group: 'vip', start_timestamp: day };
  const seen = async (): Promise<unknown> => {
    const { data, total_count } = await admin.api(usageRecords).list({ query });
    return [data.length, total_count];
  };
  expect(await seen()).toEqual([3, 3]);
  await removeRecordsBefore(first.ctx, day + NOON);
  await updateDayRollups(first.ctx);
  await expect.poll(seen).toEqual([2, 2]);
});
