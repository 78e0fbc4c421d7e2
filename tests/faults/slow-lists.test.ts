/** Slow lists of one user do not delay other users. */
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresPool } from '../../apps/server/src/testing/database-server.ts';
import { startNodes } from '../../apps/server/src/testing/start-nodes.ts';

/** More than a node has connections for lists. */
const LISTS = 12;

test('while all lists of a user hang, another user reads, and those of the first are aborted', async (context) => {
  const nodes = await startNodes();
  if (nodes === undefined) return context.skip('PostgreSQL is not installed here');
  onTestFinished(() => nodes.close());
  const { first } = nodes;
  const other = await first.createUser('user');
  const pool = openPostgresPool(first.ctx.config.databaseUrl ?? '');
  onTestFinished(() => pool.end());
  const locking = await pool.connect();
  onTestFinished(() => locking.release(true));
  await locking.query('begin; lock table usage_record in access exclusive mode');

  let given = 0;
  const lists = Array.from({ length: LISTS }, async () => {
    const { status } = await first.user.fetch('/api/log/self');
    if (status !== 429) given += 1;
    return status;
  });
  await expect
    .poll(async () => {
      await locking.query('select pg_stat_clear_snapshot()');
      const { rows } = await locking.query<{ n: string }>(
        "select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%usage_record%'",
      );
      return Number(rows[0]?.n);
    })
    .toBeGreaterThan(0);
  await other.api(apiKeys).list({ query: {} });
  // The admitted requests still hang.
  expect(given).toBe(0);
  const statuses = await Promise.all(lists);
  expect(statuses.filter((status) => status === 200)).toEqual([]);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  await locking.query('rollback');
  expect((await first.user.fetch('/api/log/self')).status).toBe(200);
});
