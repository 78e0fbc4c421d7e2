import { expect, test } from 'vitest';
import { nowSeconds } from '../../platform/clock.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { limitWaits } from './limit-waits.ts';

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
  await limitWaits(ctx);
  const rows = await ctx.db.writer.selectFrom('mail').select(['id', 'next_try_time']).orderBy('id').execute();
  expect(rows).toEqual([
    { id: 'due', next_try_time: now },
    { id: 'late', next_try_time: now },
    { id: 'usual', next_try_time: now + 6 * 3_600 },
  ]);
});
