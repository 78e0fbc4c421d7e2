/** Decides whether an inviter is rewarded for a new user, and records rewards. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import type { InvitationRewardTable } from './table.ts';

const MONTH_SECONDS = 30 * 86_400;

/**
 * Returns whether an invitation accepted now earns the inviter a reward, by the current settings.
 * @param isProven whether the new user's identity is verified: by a confirmed mail address or a third-party account
 */
export async function shouldRewardInviter(
  { settings, clock }: Context,
  db: Kysely<Schema>,
  inviterId: number,
  isProven: boolean,
): Promise<boolean> {
  if (settings.invitationNeedsProof && !isProven) return false;
  if (settings.inviterRewardsPerMonth === 0) return true;
  const { rewarded } = await db
    .selectFrom('invitation_reward')
    .select(sql<number>`count(*)`.as('rewarded'))
    .where('inviter_id', '=', inviterId)
    .where('what', '=', 'invitation')
    .where('created_time', '>', nowSeconds(clock) - MONTH_SECONDS)
    .executeTakeFirstOrThrow();
  return rewarded < settings.inviterRewardsPerMonth;
}

/** Records a reward. Runs in the transaction of the gift. */
export async function recordReward(
  { clock }: Context,
  trx: Transaction<Schema>,
  reward: Pick<InvitationRewardTable, 'ref' | 'what' | 'inviter_id' | 'invitee_id' | 'points'>,
): Promise<void> {
  await trx
    .insertInto('invitation_reward')
    .values({ ...reward, changes: 0, created_time: nowSeconds(clock) })
    .execute();
}
