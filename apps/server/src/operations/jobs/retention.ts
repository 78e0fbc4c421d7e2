/** Retention rules: which rows each job removes once they have expired. Usage records have a job of their own, which archives them first. */

import { removeExpiredSessions } from '../../accounts/authentication/authentication.ts';
import { removeExpiredSecrets } from '../../accounts/one-time-secrets/one-time-secrets.ts';
import { removeOldBatches } from '../../batches/batches.ts';
import { removeOldAttemptHours } from '../../channels/attempt-stats/attempt-stats.ts';
import { removeOldTests } from '../../channels/channel-tests/channel-tests.ts';
import type { Context } from '../../context.ts';
import { createRecordMonths } from '../../db/record-partitions.ts';
import { removeExpiredKeys } from '../../idempotency/idempotency.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { removeStaleConversations } from '../../playground/playground.ts';
import { removeExpiredResponses } from '../../stored-responses/stored-responses.ts';
import { removeOldTasks } from '../../tasks/tasks.ts';
import { removeRecordsBefore } from '../../usage/usage-records/usage-records.ts';
import { removeOldMail } from '../mail/mail.ts';
import { removeOldDeliveries } from '../notifications/notifications.ts';
import type { Job } from '../scheduler/scheduler.ts';

interface RetentionRule extends Pick<Job, 'name' | 'atStart'> {
  /** Name of the rows in the log. */
  rows: string;
  everyMinutes: number;
  /** @returns the number of removed rows */
  remove: (ctx: Context, stopping: AbortSignal) => Promise<number>;
}

const rules: readonly RetentionRule[] = [
  {
    name: 'remove-old-channel-hours',
    rows: 'hours of channels',
    everyMinutes: 60,
    atStart: true,
    remove: removeOldAttemptHours,
  },
  { name: 'remove-old-idempotency-keys', rows: 'idempotency keys', everyMinutes: 60, remove: removeExpiredKeys },
  { name: 'remove-old-responses', rows: 'responses', everyMinutes: 10, remove: removeExpiredResponses },
  {
    name: 'remove-old-conversations',
    rows: 'conversations',
    everyMinutes: 60,
    atStart: true,
    remove: removeStaleConversations,
  },
  { name: 'remove-old-tasks', rows: 'tasks', everyMinutes: 60, atStart: true, remove: removeOldTasks },
  { name: 'remove-old-batches', rows: 'batches', everyMinutes: 60, atStart: true, remove: removeOldBatches },
  { name: 'remove-old-mail', rows: 'failed mails', everyMinutes: 60, remove: removeOldMail },
  { name: 'remove-old-sessions', rows: 'sessions', everyMinutes: 60, remove: removeExpiredSessions },
  { name: 'remove-expired-secrets', rows: 'one-time secrets', everyMinutes: 1, remove: removeExpiredSecrets },
  { name: 'remove-old-tests', rows: 'test results', everyMinutes: 60, atStart: true, remove: removeOldTests },
  { name: 'remove-old-deliveries', rows: 'deliveries', everyMinutes: 60, atStart: true, remove: removeOldDeliveries },
];

export const retentionJobs: readonly Job[] = rules.map(({ rows, everyMinutes, remove, ...job }) => ({
  ...job,
  everyMs: everyMinutes * 60_000,
  run: async (ctx, stopping) => {
    const removed = await remove(ctx, stopping);
    if (removed > 0) ctx.log.debug({ removed }, `removed expired ${rows}`);
  },
}));

const DAY = 86_400;

/**
 * Deletes old records, and creates the next partitions if records are partitioned by month. Records that can't be
 * archived, or weren't sent to ClickHouse, stay and are tried again.
 */
export async function removeOldRecords(ctx: Context, stopping: AbortSignal): Promise<void> {
  await createRecordMonths(ctx.db);
  const { recordDays } = ctx.settings;
  if (recordDays === 0) return;
  const now = nowSeconds(ctx.clock);
  const before = now - (now % DAY) - recordDays * DAY;
  const removed = await removeRecordsBefore(ctx, before, stopping);
  if (removed > 0) ctx.log.info({ removed, before }, 'removed expired usage records');
}
