/** Checks conditions that no event reports, and notifies of each once. */

import { sql, type Transaction } from 'kysely';
import { queryExhaustedKeys } from '../../accounts/api-keys/api-keys.ts';
import type { Context } from '../../context.ts';
import { processItemsInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import {
  NOTIFICATIONS_PER_CHUNK,
  notifySite,
  notifyStateChanges,
  notifyUser,
  selectSubjects,
} from '../notifications/notifications.ts';
import { failedJobs } from '../scheduler/scheduler.ts';
import { readNewestVersion } from '../system-info/system-info.ts';

const MINUTE_SECONDS = 60;
/** Quiet time of conditions that are notified once only. */
const CENTURY_SECONDS = 100 * 365 * 86_400;
/** Subject of conditions of the whole site. */
const SITE = 'site';

export async function checkNotificationConditions(ctx: Context, stopping?: AbortSignal): Promise<void> {
  await notifyExhaustedKeys(ctx, stopping);
  await notifyFailedJobs(ctx, stopping);
  await notifyNewVersion(ctx, stopping);
  await notifySpending(ctx, stopping);
  await notifyErrors(ctx, stopping);
}

async function notifyExhaustedKeys(ctx: Context, stopping: AbortSignal | undefined): Promise<void> {
  const subjects = queryExhaustedKeys(ctx).select(sql<string>`cast(api_key.id as text)`.as('subject'));
  const notify = async (subject: string, trx: Transaction<Schema>): Promise<void> => {
    const key = await trx
      .selectFrom('api_key')
      .select(['user_id', 'name'])
      .where('id', '=', Number(subject))
      .executeTakeFirstOrThrow();
    await notifyUser(ctx, key.user_id, 'key-spent', { key: key.name }, trx);
  };
  await notifyStateChanges(ctx, { event: 'key-spent', subjects, quietSeconds: 0 }, notify, stopping);
}

async function notifyFailedJobs(ctx: Context, stopping: AbortSignal | undefined): Promise<void> {
  const failed = await failedJobs(ctx);
  const reasons = new Map<string, string>(failed.map(({ name, last }) => [name, last?.message ?? '']));
  await notifyStateChanges(
    ctx,
    { event: 'job-failed', subjects: selectSubjects(reasons.keys()), quietSeconds: 0 },
    (job, trx) => notifySite(ctx, 'job-failed', { job, reason: reasons.get(job) ?? '' }, trx),
    stopping,
  );
}

async function notifyNewVersion(ctx: Context, stopping: AbortSignal | undefined): Promise<void> {
  const newest = readNewestVersion(ctx);
  // This process has no result yet, so recorded notifications must stay.
  if (newest === null) return;
  const subjects = selectSubjects(newest.is_newer ? [newest.version] : []);
  await notifyStateChanges(
    ctx,
    // While nodes are updated, some run an older version, or have an older result: the condition begins and ends with
    // each node that checks it.
    { event: 'new-version', subjects, quietSeconds: CENTURY_SECONDS },
    (version, trx) => notifySite(ctx, 'new-version', { version }, trx),
    stopping,
  );
}

async function notifySpending(ctx: Context, stopping: AbortSignal | undefined): Promise<void> {
  const { alertSpendLimit: limit, alertSpendMinutes: minutes } = ctx.settings;
  const seconds = minutes * MINUTE_SECONDS;
  const spent = limit === 0 ? 0 : await sumSpentSince(ctx, nowSeconds(ctx.clock) - seconds);
  const isOver = limit > 0 && spent > limit;
  const values = { spent: formatPoints(ctx, spent), limit: formatPoints(ctx, limit), minutes };
  await notifyStateChanges(
    ctx,
    { event: 'spend-in-window', subjects: selectSubjects(isOver ? [SITE] : []), quietSeconds: seconds },
    (_subject, trx) => notifySite(ctx, 'spend-in-window', values, trx),
    stopping,
  );
}

async function sumSpentSince({ db }: Context, since: number): Promise<number> {
  const { spent } = await db.reader
    .selectFrom('usage_record')
    .select(sql<number>`coalesce(sum(quota), 0)`.as('spent'))
    .where('created_at', '>', since)
    .where('type', '=', 'consume')
    .executeTakeFirstOrThrow();
  return spent;
}

interface ErrorCounts {
  channel: string;
  requests: number;
  failed: number;
}

/** Notifies of high error rates of the whole site and of each channel. */
async function notifyErrors(ctx: Context, stopping: AbortSignal | undefined): Promise<void> {
  const { alertErrorPercent: percent, alertErrorMinutes: minutes, alertErrorMinimum: minimum } = ctx.settings;
  const seconds = minutes * MINUTE_SECONDS;
  const counts = percent === 0 ? [] : await countErrorsSince(ctx, nowSeconds(ctx.clock) - seconds);
  const failing = new Map(
    counts
      .filter(([, { requests, failed }]) => requests >= minimum && failed * 100 >= requests * percent)
      .map(([subject, errors]) => [subject, errors]),
  );
  await notifyStateChanges(
    ctx,
    { event: 'error-rate', subjects: selectSubjects(failing.keys()), quietSeconds: seconds },
    async (subject, trx) => {
      const errors = failing.get(subject);
      if (errors !== undefined) await notifySite(ctx, 'error-rate', { ...errors, minutes }, trx);
    },
    stopping,
  );
}

async function countErrorsSince({ db }: Context, since: number): Promise<[string, ErrorCounts][]> {
  const rows = await db.reader
    .selectFrom('usage_record')
    .leftJoin('channel', 'channel.id', 'usage_record.channel_id')
    .select(['usage_record.channel_id', 'channel.name'])
    .select(sql<number>`count(*)`.as('requests'))
    .select(sql<number>`sum(usage_record.type = 'error')`.as('failed'))
    .where('usage_record.created_at', '>', since)
    .where('usage_record.type', 'in', ['consume', 'error'])
    .groupBy(['usage_record.channel_id', 'channel.name'])
    .execute();
  const sumOf = (field: 'requests' | 'failed') => rows.reduce((sum, row) => sum + row[field], 0);
  const site = { channel: '', requests: sumOf('requests'), failed: sumOf('failed') };
  const channels = rows.flatMap(({ channel_id, name, requests, failed }): [string, ErrorCounts][] =>
    channel_id === null ? [] : [[`channel:${channel_id}`, { channel: name ?? '', requests, failed }]],
  );
  return [[SITE, site], ...channels];
}

const PER_RUN = 500;

/**
 * Notifies a user once when the balance falls below the user's or the site's limit, and again only after it was
 * above.
 */
export async function notifyLowBalances(ctx: Context, stopping?: AbortSignal): Promise<void> {
  const { machine, writer } = ctx.db;
  const notify = async (crossings: readonly BalanceCrossing[]): Promise<void> => {
    for (const { id, available, low } of crossings) {
      await writer.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('user')
          .set({ low_balance_told: low })
          .where('id', '=', id)
          // Another node may have done the same meanwhile.
          .where('low_balance_told', '<>', low)
          .executeTakeFirst();
        if (low === 1 && numUpdatedRows === 1n)
          await notifyUser(ctx, id, 'low-balance', { balance: formatPoints(ctx, available) }, trx);
      });
    }
  };
  await processItemsInChunks(machine, await findBalanceCrossings(ctx), NOTIFICATIONS_PER_CHUNK, notify, stopping);
}

interface BalanceCrossing {
  id: number;
  /** Points. */
  available: number;
  low: number;
}

/** Finds users whose balance has crossed its limit, in either direction, since the last check. */
function findBalanceCrossings({ db, settings }: Context): Promise<BalanceCrossing[]> {
  const available = sql<number>`user_account.balance - user_account.held`;
  const limit = sql`coalesce(cast(json_extract("user".notices, '$.low_balance_below') as bigint), ${settings.quotaRemindThreshold})`;
  const low = sql<number>`iif(${available} < ${limit}, 1, 0)`;
  return db.reader
    .selectFrom('user')
    .innerJoin('user_account', 'user_account.user_id', 'user.id')
    .select(['user.id', available.as('available'), low.as('low')])
    .where('user.status', '=', 'enabled')
    .where('user.deleted_time', 'is', null)
    .where('user.low_balance_told', '<>', low)
    .limit(PER_RUN)
    .execute();
}

/** Formats points as the site shows them: in dollars, or as a number. */
function formatPoints({ settings }: Context, points: number): string {
  const { displayInCurrency, quotaPerUnit } = settings;
  return displayInCurrency ? `$${(points / quotaPerUnit).toFixed(2)}` : String(points);
}
