/** Checks that find causes of notifications. SQL conditions are literally those of the partial indexes. */

import type { Right } from '@switchyard/contract/accounts/permissions';
import type { BellNotificationKind } from '@switchyard/contract/operations/bell';
import { sql } from 'kysely';
import { listKeysNeedingAttention } from '../../accounts/api-keys/api-keys.ts';
import { readCatalogueNotices } from '../../catalog/catalog-updates/catalog-updates.ts';
import { listMissingRates } from '../../catalog/prices/prices.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { listAutoDisabledTargets } from '../notifications/notifications.ts';
import { failedJobs } from '../scheduler/scheduler.ts';
import { filterExpiring, readNewestVersion } from '../system-info/system-info.ts';

const REFUND_SECONDS = 30 * 86_400;
const ROWS_MAX = 1_000;
const PAYMENT_SECONDS = 7 * 86_400;

/** Finding of a check, before dismissals of the caller are considered. */
export interface BellFinding {
  kind: BellNotificationKind;
  /** Text whose change makes a dismissed finding appear again. */
  state: string;
  count: number;
  /** Names of the affected objects; only the first few are shown. */
  names: readonly string[];
  /** UTC seconds; null if unknown. */
  since: number | null;
}

type BellCheck = (ctx: Context, caller: Caller) => Promise<readonly BellFinding[]>;

/** Checks with their required right; checks without the caller's right aren't run. */
export const bellChecks: readonly (readonly [Right, BellCheck])[] = [
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

async function checkDisabledTargets(ctx: Context, { userId }: Caller): Promise<BellFinding[]> {
  return createFindings('destination-off', await listAutoDisabledTargets(ctx, userId));
}

async function checkOverload({ overload }: Context): Promise<BellFinding[]> {
  return createFindings('overload', overload.shedding ? ['now'] : []);
}

/** Returns the automatically disabled channels. */
async function checkDisabledChannels({ db }: Context): Promise<BellFinding[]> {
  const rows = await db.reader
    .selectFrom('channel')
    .select(['id', 'name'])
    .where(sql<boolean>`status = 'auto-disabled'`)
    .where('deleted_time', 'is', null)
    .orderBy('id')
    .limit(ROWS_MAX)
    .execute();
  return createFindings(
    'channels-disabled',
    rows.map(({ name }) => name),
    { state: rows.map(({ id }) => id).join() },
  );
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

async function checkPaymentsToReview({ db }: Context): Promise<BellFinding[]> {
  const rows = await db.reader
    .selectFrom('payment_order')
    .select(['trade_no', 'created_time'])
    .where(sql<boolean>`review <> ''`)
    .orderBy('id', 'desc')
    .limit(ROWS_MAX)
    .execute();
  return createFindings(
    'payments-review',
    rows.map(({ trade_no }) => trade_no),
    { since: rows[0]?.created_time ?? null },
  );
}

/** Returns the failed refunds of the last month, unless another one of the same order was begun since. */
async function checkFailedRefunds({ db, clock }: Context): Promise<BellFinding[]> {
  const rows = await db.reader
    .selectFrom('order_refund')
    .innerJoin('payment_order', 'payment_order.id', 'order_refund.order_id')
    .select(['payment_order.trade_no', 'order_refund.id', 'order_refund.created_time'])
    .where(sql<boolean>`order_refund.state = 'failed'`)
    // A dispute that was won is also a failed refund.
    .where('order_refund.is_dispute', '=', 0)
    .where('order_refund.created_time', '>', nowSeconds(clock) - REFUND_SECONDS)
    .where(
      sql<boolean>`not exists (select 1 from order_refund as later where later.order_id = order_refund.order_id
        and later.state <> 'failed' and later.created_time >= order_refund.created_time)`,
    )
    .orderBy('order_refund.created_time', 'desc')
    .limit(ROWS_MAX)
    .execute();
  return createFindings(
    'refunds-failed',
    rows.map(({ trade_no }) => trade_no),
    { state: rows.map(({ id }) => id).join(), since: rows[0]?.created_time ?? null },
  );
}

/** Returns the users who are locked by an unacknowledged ledger discrepancy. */
async function checkLedgerDiscrepancies({ db }: Context): Promise<BellFinding[]> {
  const rows = await db.reader
    .selectFrom('ledger_alarm')
    .innerJoin('user', 'user.id', 'ledger_alarm.user_id')
    .select(['user.username', 'ledger_alarm.problem', 'ledger_alarm.found_at'])
    .where('ledger_alarm.acknowledged_at', 'is', null)
    .orderBy('ledger_alarm.found_at', 'desc')
    .limit(ROWS_MAX)
    .execute();
  return createFindings('books-differ', [...new Set(rows.map(({ username }) => username))], {
    state: rows.map(({ problem }) => problem).join('\n'),
    since: rows[0]?.found_at ?? null,
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

async function checkFailedMails({ db }: Context): Promise<BellFinding[]> {
  const rows = await db.reader
    .selectFrom('mail')
    .select(['id', 'recipient', 'created_time'])
    .where('state', '=', 'failed')
    .orderBy('created_time', 'desc')
    .limit(ROWS_MAX)
    .execute();
  return createFindings(
    'mail-failed',
    rows.map(({ recipient }) => recipient),
    { state: rows[0]?.id ?? '', since: rows[0]?.created_time ?? null },
  );
}

async function checkDisabledSiteTargets(ctx: Context): Promise<BellFinding[]> {
  return createFindings('site-destination-off', await listAutoDisabledTargets(ctx, null));
}

async function checkNewerVersion(ctx: Context): Promise<BellFinding[]> {
  const newest = readNewestVersion(ctx);
  return createFindings('new-version', newest?.is_newer === true ? [newest.version] : []);
}

/** Returns no finding without names. @param more its state, if not the names */
function createFindings(
  kind: BellNotificationKind,
  names: readonly string[],
  more: { state?: string; since?: number | null } = {},
): BellFinding[] {
  if (names.length === 0) return [];
  return [{ kind, state: names.join('\n'), count: names.length, names, since: null, ...more }];
}
