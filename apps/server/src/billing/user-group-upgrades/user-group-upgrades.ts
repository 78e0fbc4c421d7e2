/** Promotes users to groups by their top-ups; a refund never demotes them. */
import { sql, type Transaction } from 'kysely';
import { mailOwner } from '../../accounts/security-mails/security-mails.ts';
import type { Context } from '../../context.ts';
import { emptyRecord } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import type { Schema } from '../../schema.ts';

export interface Promotion {
  userId: number;
  /** Group name shown to members. */
  groupName: string;
}

/**
 * Promotes a user to the group with the highest minimum that all top-ups, less refunds, reach. Only from the default
 * group or a group that was reached the same way: a manually assigned group stays.
 */
export async function promoteUser(
  { settings }: Context,
  trx: Transaction<Schema>,
  userId: number,
): Promise<Promotion | undefined> {
  const groups = await trx
    .selectFrom('user_group')
    .select(['symbol', 'name', 'min_usd', 'max_usd'])
    .where('promotion', '=', 1)
    .where('enable', '=', 1)
    .orderBy('min_usd', 'desc')
    .execute();
  if (groups.length === 0) return undefined;
  const total = (await sumTopUps(trx, userId)) / settings.quotaPerUnit;
  const reached = groups.find(({ min_usd, max_usd }) => min_usd <= total && (max_usd === 0 || total <= max_usd));
  const { group_symbol } = await trx
    .selectFrom('user')
    .select('group_symbol')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const present = groups.find(({ symbol }) => symbol === group_symbol);
  const mayLeave = group_symbol === 'default' || present !== undefined;
  if (reached === undefined || !mayLeave || reached.min_usd <= (present?.min_usd ?? -1)) return undefined;
  await trx.updateTable('user').set({ group_symbol: reached.symbol }).where('id', '=', userId).execute();
  return { userId, groupName: reached.name };
}

/** Publishes a committed promotion: updates memory, and notifies the user by a record and by mail. */
export async function notifyPromotion(ctx: Context, { userId, groupName }: Promotion): Promise<void> {
  await ctx.changes.publish({ topic: 'users', ids: [userId] });
  ctx.ledger.record({
    ...emptyRecord,
    request_id: newRequestId(),
    created_at: nowSeconds(ctx.clock),
    type: 'system',
    user_id: userId,
    content: `Moved to the group ${groupName}`,
  });
  await mailOwner(ctx, userId, 'group-reached', { group: groupName });
}

/** Sums points. The kinds are literals, because parameters would prevent the use of the partial index. */
async function sumTopUps(trx: Transaction<Schema>, userId: number): Promise<number> {
  const { sum } = await trx
    .selectFrom('ledger_entry')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('user_amount'), eb.lit(0)).as('sum'))
    .where('user_id', '=', userId)
    .where(sql<boolean>`kind in ('top-up', 'refund')`)
    .executeTakeFirstOrThrow();
  return sum;
}
