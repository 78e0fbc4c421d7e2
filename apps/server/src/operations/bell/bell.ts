/** Notifications in the console's bell, derived from the current state; only dismissals are stored. */
import type { Right } from '@switchyard/contract/accounts/permissions';
import { type BellNotification, type BellNotificationKind, DISMISSED_DAYS } from '@switchyard/contract/operations/bell';
import { sql } from 'kysely';
import { listKeysNeedingAttention } from '../../accounts/api-keys/api-keys.ts';
import { readCatalogueNotices } from '../../catalog/catalog-updates/catalog-updates.ts';
import { listMissingRates } from '../../catalog/prices/prices.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';
import { listAutoDisabledTargets } from '../alerts/alerts.ts';
import { failedJobs } from '../scheduler/scheduler.ts';
import { filterExpiring, readNewestVersion } from '../system-info/system-info.ts';
import {
  type BellFinding,
  checkDisabledChannels,
  checkDisabledSiteTargets,
  checkFailedMails,
  checkFailedRefunds,
  checkLedgerDiscrepancies,
  checkPaymentsToReview,
  createFindings,
} from './site-checks.ts';

/** Checks of the caller's own account. */

const PAYMENT_SECONDS = 7 * 86_400;

async function checkAnnouncement({ settings }: Context): Promise<BellFinding[]> {
  return createFindings(
    'announcement',
    [settings.notice.trim()].filter((text) => text !== ''),
  ).map((finding) => ({
    ...finding,
    // The text is public, and may be long.
    names: [],
  }));
}

/**
 * Returns a finding when the balance is below the limit that also triggers mails. The finding changes when nothing is
 * left.
 */
async function checkLowBalance({ db, settings }: Context, { userId }: Caller): Promise<BellFinding[]> {
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
  return createFindings('low-balance', [row.available > 0 ? 'low' : 'empty']);
}

async function checkDisabledTargets(ctx: Context, { userId }: Caller): Promise<BellFinding[]> {
  return createFindings('destination-off', await listAutoDisabledTargets(ctx, userId));
}

async function checkOwnTokens(ctx: Context, { userId }: Caller): Promise<BellFinding[]> {
  const { spent, expiring } = await listKeysNeedingAttention(ctx, userId);
  return [
    ...createFindings(
      'token-spent',
      spent.map(({ name }) => name),
      { state: spent.map(({ id }) => id).join() },
    ),
    ...createFindings(
      'token-expires',
      expiring.map(({ name }) => name),
      { state: expiring.map(({ id, at }) => `${id} ${at}`).join() },
    ),
  ];
}

/** Returns orders of the last days that failed, unless a later one was paid. */
async function checkFailedPayments({ db, clock }: Context, { userId }: Caller): Promise<BellFinding[]> {
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
  return createFindings(
    'payment-failed',
    failed.map(({ trade_no }) => trade_no),
    { since: failed[0]?.created_time ?? null },
  );
}

type BellCheck = (ctx: Context, caller: Caller) => Promise<readonly BellFinding[]>;

/** Checks with their required right; checks without the caller's right aren't run. */
const checks: readonly (readonly [Right, BellCheck])[] = [
  ['user', checkAnnouncement],
  ['user', checkLowBalance],
  ['user', checkOwnTokens],
  ['user', checkFailedPayments],
  ['user', checkDisabledTargets],
  ['overview.read', checkOverload],
  ['channels.read', checkDisabledChannels],
  ['prices.read', checkCatalogue],
  ['prices.read', checkMissingRates],
  ['orders.read', checkPaymentsToReview],
  ['orders.read', checkFailedRefunds],
  ['users.read', checkLedgerDiscrepancies],
  ['root', checkFailedJobs],
  ['root', checkCertificateExpiry],
  ['root', checkFailedMails],
  ['root', checkDisabledSiteTargets],
  ['root', checkNewerVersion],
];

const NAMES_MAX = 3;
const DISMISSAL_KEY_LENGTH = 32;
const SECONDS_PER_DAY = 86_400;

export async function listBellNotifications(ctx: Context, caller: Caller): Promise<BellNotification[]> {
  const findings = await Promise.all(
    checks.filter(([right]) => hasAccess(caller, right)).map(([, source]) => source(ctx, caller)),
  );
  const dismissed = await readDismissals(ctx, caller);
  return findings.flat().map(({ kind, state, count, names, since }) => {
    const mark = ctx.vault.fingerprint(`notice ${kind} ${state}`).slice(0, DISMISSAL_KEY_LENGTH);
    const seen = dismissed.get(kind) === mark;
    return { kind, mark, seen, count, names: names.slice(0, NAMES_MAX), since };
  });
}

/** Reads the active dismissals; that of an announcement lasts while its text is the same. */
async function readDismissals(ctx: Context, { userId }: Caller): Promise<Map<BellNotificationKind, string>> {
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

export async function dismissBellNotifications(
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

async function checkOverload({ overload }: Context): Promise<BellFinding[]> {
  return createFindings('overload', overload.shedding ? ['now'] : []);
}

async function checkCatalogue(ctx: Context): Promise<BellFinding[]> {
  const { unpriced, retiring } = await readCatalogueNotices(ctx);
  const retired = retiring.filter((model) => model.retired);
  return [
    ...createFindings(
      'models-unpriced',
      unpriced.map(({ model }) => model),
    ),
    ...createFindings(
      'models-retired',
      retired.map(({ model }) => model),
    ),
  ];
}

async function checkMissingRates(ctx: Context): Promise<BellFinding[]> {
  const missing = await listMissingRates(ctx);
  return createFindings('rates-missing', [...new Set(missing.map(({ model }) => model))], {
    state: missing.map(({ model, counter }) => `${model} ${counter}`).join('\n'),
  });
}

async function checkFailedJobs(ctx: Context): Promise<BellFinding[]> {
  const failed = await failedJobs(ctx);
  const state = failed.map(({ name, last }) => `${name} ${last?.message}`).join('\n');
  const since = Math.max(...failed.map(({ last }) => last?.started_at ?? 0));
  return createFindings(
    'jobs-failed',
    failed.map(({ name }) => name),
    { state, since },
  );
}

async function checkCertificateExpiry(ctx: Context): Promise<BellFinding[]> {
  const ending = await filterExpiring(ctx);
  return createFindings(
    'certificates-end',
    ending.map(({ host }) => host),
    { state: ending.map(({ host, valid_until }) => `${host} ${valid_until}`).join('\n') },
  );
}

async function checkNewerVersion(ctx: Context): Promise<BellFinding[]> {
  const newest = readNewestVersion(ctx);
  return createFindings('new-version', newest?.is_newer === true ? [newest.version] : []);
}
