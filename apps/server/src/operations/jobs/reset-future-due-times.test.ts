import { afterAll, expect, test } from 'vitest';
import { isOnPostgres } from '../../../../../tests/test-database.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { insertLocalTask } from '../../tasks/tasks.ts';
import { getSqliteEngine } from '../../testing/any-table.ts';
import { interceptStatements } from '../../testing/commit-faults.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { resetFutureDueTimes } from './reset-future-due-times.ts';

/** Statements of the job, which are prepared once. */
const updates: string[] = [];
afterAll(
  interceptStatements((text) => {
    if (/^\s*update\s.*\sset "(?:next|notify)_/.test(text)) updates.push(text);
  }),
);
const { ctx } = await useFeatureApp([]);

test('makes mails due that were queued while the clock was ahead, and leaves the others their time', async () => {
  const now = nowSeconds(ctx.clock);
  const mail = (id: string, next_try_time: number) => ({
    id,
    created_time: now,
    recipient: 'ann@example.org',
    template: 'smtp-test' as const,
    values_sealed: '',
    language: 'en_US' as const,
    tries: 1,
    next_try_time,
    expires_time: now + 90_000,
    last_error: '',
    state: 'waiting' as const,
  });
  await ctx.db.writer
    .insertInto('mail')
    .values([mail('late', now + 8 * 3_600), mail('usual', now + 6 * 3_600), mail('due', now)])
    .execute();
  await resetFutureDueTimes(ctx);
  const rows = await ctx.db.writer.selectFrom('mail').select(['id', 'next_try_time']).orderBy('id').execute();
  expect(rows).toEqual([
    { id: 'due', next_try_time: now },
    { id: 'late', next_try_time: now },
    { id: 'usual', next_try_time: now + 6 * 3_600 },
  ]);
});

test('never makes a task due whose work the gateway does itself', async () => {
  await insertLocalTask(ctx, {
    id: 'resp_running',
    request_id: 'running',
    user_id: 1,
    api_key_id: null,
    group_symbol: 'default',
    client_format: 'openai-responses',
    action: 'response',
    model: 'gpt-5',
    prompt: '',
  });
  const nextLooks = () => ctx.db.writer.selectFrom('task').select(['id', 'next_look_at']).execute();
  const before = await nextLooks();
  await resetFutureDueTimes(ctx);
  expect(await nextLooks()).toEqual(before);
});

test('finds the rows by an index of those that wait', async ({ skip }) => {
  if (isOnPostgres) return skip('Whether PostgreSQL uses an index depends on its statistics');
  await resetFutureDueTimes(ctx);
  const { connection } = getSqliteEngine(ctx.db);
  const plans = updates.flatMap((text) => connection.prepare(`explain query plan ${text}`).all());
  expect(plans).toHaveLength(7);
  for (const { detail } of plans) expect(detail).toMatch(/^SEARCH \w+ USING (?:COVERING )?INDEX \w+_(?:due|notify) /);
});
