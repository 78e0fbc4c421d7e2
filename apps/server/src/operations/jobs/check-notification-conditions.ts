/** Checks conditions that no event reports, and notifies of each once. */

import { sql } from 'kysely';
import { listExhaustedKeys } from '../../accounts/api-keys/api-keys.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { notifySite, notifyStateChanges, notifyUser } from '../alerts/alerts.ts';
import { failedJobs } from '../scheduler/scheduler.ts';
import { readNewestVersion } from '../system-info/system-info.ts';

const MINUTE_SECONDS = 60;
/** Subject of conditions of the whole site. */
const SITE = 'site';

export async function checkNotificationConditions(ctx: Context): Promise<void> {
  await notifyExhaustedKeys(ctx);
  await notifyFailedJobs(ctx);
  await notifyNewVersion(ctx);
  await notifySpending(ctx);
  await notifyErrors(ctx);
}

async function notifyExhaustedKeys(ctx: Context): Promise<void> {
  const keys = new Map((await listExhaustedKeys(ctx)).map((key) => [String(key.id), key]));
  await notifyStateChanges(ctx, 'key-spent', new Set(keys.keys()), 0, async (subject, trx) => {
    const key = keys.get(subject);
    if (key !== undefined) await notifyUser(ctx, key.user_id, 'key-spent', { key: key.name }, trx);
  });
}

async function notifyFailedJobs(ctx: Context): Promise<void> {
  const failed = await failedJobs(ctx);
  const reasons = new Map<string, string>(failed.map(({ name, last }) => [name, last?.message ?? '']));
  await notifyStateChanges(ctx, 'job-failed', new Set(reasons.keys()), 0, (job, trx) =>
    notifySite(ctx, 'job-failed', { job, reason: reasons.get(job) ?? '' }, trx),
  );
}

async function notifyNewVersion(ctx: Context): Promise<void> {
  const newest = readNewestVersion(ctx);
  // This process has no result yet, so recorded notifications must stay.
  if (newest === null) return;
  const newer = new Set(newest.is_newer ? [newest.version] : []);
  await notifyStateChanges(ctx, 'new-version', newer, 0, (version, trx) =>
    notifySite(ctx, 'new-version', { version }, trx),
  );
}

async function notifySpending(ctx: Context): Promise<void> {
  const { alertSpendLimit: limit, alertSpendMinutes: minutes } = ctx.settings;
  const seconds = minutes * MINUTE_SECONDS;
  const spent = limit === 0 ? 0 : await sumSpentSince(ctx, nowSeconds(ctx.clock) - seconds);
  const isOver = limit > 0 && spent > limit;
  await notifyStateChanges(ctx, 'spend-in-window', new Set(isOver ? [SITE] : []), seconds, (_subject, trx) =>
    notifySite(
      ctx,
      'spend-in-window',
      { spent: formatPoints(ctx, spent), limit: formatPoints(ctx, limit), minutes },
      trx,
    ),
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
async function notifyErrors(ctx: Context): Promise<void> {
  const { alertErrorPercent: percent, alertErrorMinutes: minutes, alertErrorMinimum: minimum } = ctx.settings;
  const seconds = minutes * MINUTE_SECONDS;
  const counts = percent === 0 ? [] : await countErrorsSince(ctx, nowSeconds(ctx.clock) - seconds);
  const failing = new Map(
    counts
      .filter(([, { requests, failed }]) => requests >= minimum && failed * 100 >= requests * percent)
      .map(([subject, errors]) => [subject, errors]),
  );
  await notifyStateChanges(ctx, 'error-rate', new Set(failing.keys()), seconds, async (subject, trx) => {
    const errors = failing.get(subject);
    if (errors !== undefined) await notifySite(ctx, 'error-rate', { ...errors, minutes }, trx);
  });
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
export async function notifyLowBalances(ctx: Context): Promise<void> {
  for (const { id, available, low } of await findBalanceCrossings(ctx)) {
    await ctx.db.writer.transaction().execute(async (trx) => {
      await trx.updateTable('user').set({ low_balance_told: low }).where('id', '=', id).execute();
      if (low === 1) await notifyUser(ctx, id, 'low-balance', { balance: formatPoints(ctx, available) }, trx);
    });
  }
}

/** Finds users whose balance has crossed its limit, in either direction, since the last check. */
function findBalanceCrossings({ db, settings }: Context) {
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
