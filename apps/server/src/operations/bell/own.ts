/** Checks of the caller's own account. */
import { sql } from 'kysely';
import { keysNeedingCare } from '../../accounts/api-keys/api-keys.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { switchedOff } from '../alerts/alerts.ts';
import { about, type Finding } from './finding.ts';

const PAYMENT_SECONDS = 7 * 86_400;

export async function announcement({ settings }: Context): Promise<Finding[]> {
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
export async function lowBalance({ db, settings }: Context, { userId }: Caller): Promise<Finding[]> {
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

export async function destinationsOff(ctx: Context, { userId }: Caller): Promise<Finding[]> {
  return about('destination-off', await switchedOff(ctx, userId));
}

export async function ownTokens(ctx: Context, { userId }: Caller): Promise<Finding[]> {
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
export async function failedPayments({ db, clock }: Context, { userId }: Caller): Promise<Finding[]> {
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
