/** Announcements that the present state gives rise to; only dismissals are stored. */

import type { Right } from '@switchyard/contract/accounts/permissions';
import {
  type BellNotification,
  type BellNotificationKind,
  DISMISSED_DAYS,
} from '@switchyard/contract/operations/bell';
import { sql } from 'kysely';
import { keysNeedingCare } from '../../accounts/api-keys/api-keys.ts';
import { catalogueNotices } from '../../catalog/catalogue/catalogue.ts';
import { listMissingRates } from '../../catalog/prices/prices.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { type Caller, may } from '../../platform/http/caller.ts';
import { switchedOff } from '../alerts/alerts.ts';
import { failedJobs } from '../scheduler/scheduler.ts';
import { endingCertificates, newestVersion } from '../system-info/system-info.ts';
import { about, type Finding } from './finding.ts';
import {
  disabledChannels,
  failedMails,
  failedRefunds,
  openAlarms,
  paymentsToReview,
  siteDestinationsOff,
} from './site.ts';

/** Checks of the caller's own account. */

const PAYMENT_SECONDS = 7 * 86_400;

async function announcement({ settings }: Context): Promise<Finding[]> {
  return about(
    'announcement',
    [settings.notice.trim()].filter((text) => text !== ''),
  ).map((finding) => ({
    ...finding,
    // Its text is everybody's, and may be long.
    names: [],
  }));
}

/**
 * Returns a finding when the balance is below the limit at which mails are sent, too. The finding changes once nothing
 * is left.
 */
async function lowBalance({ db, settings }: Context, { userId }: Caller): Promise<Finding[]> {
  const row = await db.writer
    .selectFrom('user')
    .innerJoin('user_account', 'user_account.user_id', 'user.id')
    .select(sql<number>`user_account.balance - user_account.held`.as('available'))
    .select(
      sql<number>`coalesce(cast(json_extract("user".notices, '$.low_balance_below') as bigint), ${settings.quotaRemindThreshold})`.as(
        'limit',
      ),
    )
    .where('user.id', '=', userId)
    .executeTakeFirst();
  if (row === undefined || row.available >= row.limit) return [];
  return about('low-balance', [row.available > 0 ? 'low' : 'empty']);
}

async function destinationsOff(ctx: Context, { userId }: Caller): Promise<Finding[]> {
  return about('destination-off', await switchedOff(ctx, userId));
}

async function ownTokens(ctx: Context, { userId }: Caller): Promise<Finding[]> {
  const { spent, expiring } = await keysNeedingCare(ctx, userId);
  return [
    ...about(
      'token-spent',
      spent.map(({ name }) => name),
      { state: spent.map(({ id }) => id).join() },
    ),
    ...about(
      'token-expires',
      expiring.map(({ name }) => name),
      { state: expiring.map(({ id, at }) => `${id} ${at}`).join() },
    ),
  ];
}

/** Orders of the last days that failed, unless a later one was paid. */
async function failedPayments({ db, clock }: Context, { userId }: Caller): Promise<Finding[]> {
  const rows = await db.reader
    .selectFrom('payment_order')
    .select(['trade_no', 'created_time', 'status'])
    .where('user_id', '=', userId)
    .where('created_time', '>', nowSeconds(clock) - PAYMENT_SECONDS)
    .orderBy('id', 'desc')
    .limit(100)
    .execute();
  const paid = rows.findIndex(({ status }) => status === 'success');
  const failed = rows.slice(0, paid === -1 ? rows.length : paid).filter(({ status }) => status === 'failed');
  return about(
    'payment-failed',
    failed.map(({ trade_no }) => trade_no),
    { since: failed[0]?.created_time ?? null },
  );
}

type Source = (ctx: Context, caller: Caller) => Promise<readonly Finding[]>;

/** Checks with the right that they require; a caller's other checks aren't run. */
const sources: readonly (readonly [Right, Source])[] = [
  ['user', announcement],
  ['user', lowBalance],
  ['user', ownTokens],
  ['user', failedPayments],
  ['user', destinationsOff],
  ['overview.read', overloaded],
  ['channels.read', disabledChannels],
  ['prices.read', catalogueFindings],
  ['prices.read', missingRateFindings],
  ['orders.read', paymentsToReview],
  ['orders.read', failedRefunds],
  ['users.read', openAlarms],
  ['root', jobsThatFailed],
  ['root', certificatesToRenew],
  ['root', failedMails],
  ['root', siteDestinationsOff],
  ['root', newerVersion],
];

const NAMES_MAX = 3;
const MARK_LENGTH = 32;
const SECONDS_PER_DAY = 86_400;

export async function listNotices(ctx: Context, caller: Caller): Promise<BellNotification[]> {
  const findings = await Promise.all(
    sources.filter(([right]) => may(caller, right)).map(([, source]) => source(ctx, caller)),
  );
  const dismissed = await dismissedBy(ctx, caller);
  return findings.flat().map(({ kind, state, count, names, since }) => {
    const mark = ctx.vault.fingerprint(`notice ${kind} ${state}`).slice(0, MARK_LENGTH);
    const seen = dismissed.get(kind) === mark;
    return { kind, mark, seen, count, names: names.slice(0, NAMES_MAX), since };
  });
}

/** The marks that still hide something; an announcement's does as long as its text is the same. */
async function dismissedBy(ctx: Context, { userId }: Caller): Promise<Map<BellNotificationKind, string>> {
  const rows = await ctx.db.writer
    .selectFrom('notice_seen')
    .select(['kind', 'mark', 'seen_time'])
    .where('user_id', '=', userId)
    .execute();
  const oldest = nowSeconds(ctx.clock) - DISMISSED_DAYS * SECONDS_PER_DAY;
  return new Map(
    rows
      .filter(({ kind, seen_time }) => kind === 'announcement' || seen_time > oldest)
      .map(({ kind, mark }) => [kind, mark]),
  );
}

export async function dismissNotices(
  ctx: Context,
  { userId }: Caller,
  dismissed: readonly Pick<BellNotification, 'kind' | 'mark'>[],
): Promise<void> {
  const seen_time = nowSeconds(ctx.clock);
  await ctx.db.writer.transaction().execute(async (trx) => {
    for (const { kind, mark } of dismissed)
      await trx
        .insertInto('notice_seen')
        .values({ user_id: userId, kind, mark, seen_time })
        .onConflict((conflict) => conflict.columns(['user_id', 'kind']).doUpdateSet({ mark, seen_time }))
        .execute();
  });
}

async function overloaded({ overload }: Context): Promise<Finding[]> {
  return about('overload', overload.shedding ? ['now'] : []);
}

async function catalogueFindings(ctx: Context): Promise<Finding[]> {
  const { unpriced, retiring } = await catalogueNotices(ctx);
  const retired = retiring.filter((model) => model.retired);
  return [
    ...about(
      'models-unpriced',
      unpriced.map(({ model }) => model),
    ),
    ...about(
      'models-retired',
      retired.map(({ model }) => model),
    ),
  ];
}

async function missingRateFindings(ctx: Context): Promise<Finding[]> {
  const missing = await listMissingRates(ctx);
  return about('rates-missing', [...new Set(missing.map(({ model }) => model))], {
    state: missing.map(({ model, counter }) => `${model} ${counter}`).join('\n'),
  });
}

async function jobsThatFailed(ctx: Context): Promise<Finding[]> {
  const failed = await failedJobs(ctx);
  const state = failed.map(({ name, last }) => `${name} ${last?.message}`).join('\n');
  const since = Math.max(...failed.map(({ last }) => last?.started_at ?? 0));
  return about(
    'jobs-failed',
    failed.map(({ name }) => name),
    { state, since },
  );
}

async function certificatesToRenew(ctx: Context): Promise<Finding[]> {
  const ending = await endingCertificates(ctx);
  return about(
    'certificates-end',
    ending.map(({ host }) => host),
    { state: ending.map(({ host, valid_until }) => `${host} ${valid_until}`).join('\n') },
  );
}

async function newerVersion(ctx: Context): Promise<Finding[]> {
  const newest = newestVersion(ctx);
  return about('new-version', newest?.is_newer === true ? [newest.version] : []);
}
