/** Invitations of a user, and their rewards. */
import { randomInt } from 'node:crypto';
import type { Invitation, invitations } from '@switchyard/contract/accounts/invitations';
import { MICROS } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { toPoints } from '@switchyard/contract/money';
import type { Page, RouteInput, RouteResponse } from '@switchyard/contract/route';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { PaymentOrderTable } from '../../billing/orders/table.ts';
import type { Context } from '../../context.ts';
import { readPage } from '../../db/paging.ts';
import type { Postings } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import type { InvitationRewardTable } from './table.ts';

const MONTH_SECONDS = 30 * 86_400;
/** Without similar characters. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 10;

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

/** Order of an invitee: the inviter receives a share of the first ones, and loses it again when one is refunded. */
type Order = Pick<Selectable<PaymentOrderTable>, 'trade_no' | 'user_id' | 'quota'>;

const formatShareRef = ({ trade_no }: Order): string => `invite-share:${trade_no}`;

/** Locks the accounts of a buyer and of the inviter before both are posted to. */
export async function lockBuyerAndInviter(
  trx: Transaction<Schema>,
  moves: Postings,
  { user_id }: Pick<Order, 'user_id'>,
): Promise<void> {
  const { inviter_id } = await trx
    .selectFrom('user')
    .select('inviter_id')
    .where('id', '=', user_id)
    .executeTakeFirstOrThrow();
  if (inviter_id !== null) await moves.lockUserAccounts([user_id, inviter_id]);
}

/**
 * Gives the inviter the configured share of the order's points, rounded down, if the order is among the user's first
 * paid ones. Runs once, in the transaction that credits the order.
 */
export async function payInviterShare(
  ctx: Context,
  trx: Transaction<Schema>,
  moves: Postings,
  order: Order,
): Promise<void> {
  const { inviterSharePercent, inviterShareTopUps } = ctx.settings;
  const points = computeProportion(order.quota, Math.round(inviterSharePercent * MICROS), 100 * MICROS);
  if (points === 0) return;
  const inviterId = await findRewardedInviter(trx, order.user_id);
  if (inviterId === undefined || (await countOtherPaid(trx, order)) >= inviterShareTopUps) return;
  const ref = formatShareRef(order);
  await moves.post({
    kind: 'gift',
    ref,
    userId: inviterId,
    amount: points,
    note: 'Share of a top-up by a user you invited',
  });
  await recordReward(ctx, trx, { ref, what: 'share', inviter_id: inviterId, invitee_id: order.user_id, points });
}

/**
 * Reduces the inviter's share in proportion to the remaining order, rounded down. Points that are already spent
 * become a debt. After a failed refund, the same call with fewer refunded points returns the difference.
 * @param refundedQuota points of all refunds of this order, not only of the last one
 */
export async function reverseInviterShare(
  trx: Transaction<Schema>,
  moves: Postings,
  order: Order,
  refundedQuota: number,
): Promise<void> {
  const ref = formatShareRef(order);
  const share = await trx
    .selectFrom('invitation_reward')
    .innerJoin('ledger_entry', (join) =>
      join.onRef('ledger_entry.ref', '=', 'invitation_reward.ref').on('ledger_entry.kind', '=', 'gift'),
    )
    .select(['inviter_id', 'points', 'changes', 'user_amount'])
    .where('invitation_reward.ref', '=', ref)
    .executeTakeFirst();
  if (share === undefined) return;
  const left = computeProportion(share.user_amount, Math.max(0, order.quota - refundedQuota), order.quota);
  if (left === share.points) return;
  const changes = share.changes + 1;
  await moves.post({
    kind: 'gift',
    ref: `${ref}:${changes}`,
    userId: share.inviter_id,
    amount: left - share.points,
    note: 'Correction of your share: the top-up was refunded',
    mayLeaveDebt: true,
  });
  await trx.updateTable('invitation_reward').set({ points: left, changes }).where('ref', '=', ref).execute();
}

/** Returns `whole × part ÷ of`, rounded down; the product may exceed the exact range of a number. */
function computeProportion(whole: number, part: number, of: number): number {
  return Number((BigInt(whole) * BigInt(part)) / BigInt(of));
}

/** Finds the inviter, unless disabled or deleted. */
async function findRewardedInviter(trx: Transaction<Schema>, userId: number): Promise<number | undefined> {
  const inviter = await trx
    .selectFrom('user as invitee')
    .innerJoin('user as inviter', 'inviter.id', 'invitee.inviter_id')
    .select('inviter.id')
    .where('invitee.id', '=', userId)
    .where('inviter.status', '=', 'enabled')
    .where('inviter.deleted_time', 'is', null)
    .executeTakeFirst();
  return inviter?.id;
}

async function countOtherPaid(trx: Transaction<Schema>, { user_id, trade_no }: Order): Promise<number> {
  const { paid } = await trx
    .selectFrom('payment_order')
    .select(sql<number>`count(*)`.as('paid'))
    .where('user_id', '=', user_id)
    .where('trade_no', '<>', trade_no)
    .where('paid_time', 'is not', null)
    .executeTakeFirstOrThrow();
  return paid;
}

/** Returns the user's own code, which is created on first use. */
export async function readInviteCode(ctx: Context, userId: number): Promise<string> {
  const code = Array.from({ length: CODE_LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
  await ctx.db.writer
    .updateTable('user')
    .set({ aff_code: code })
    .where('id', '=', userId)
    .where('aff_code', 'is', null)
    .execute();
  const { aff_code } = await ctx.db.writer
    .selectFrom('user')
    .select('aff_code')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return aff_code ?? code;
}

/** Returns the user whose invitation code it is; undefined when there is none or the user is disabled or deleted. */
export async function findInviter(ctx: Context, code: string): Promise<number | undefined> {
  if (code === '') return undefined;
  const inviter = await ctx.db.writer
    .selectFrom('user')
    .select('id')
    .where('aff_code', '=', code)
    .where('status', '=', 'enabled')
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  return inviter?.id;
}

type ListQuery = RouteInput<(typeof invitations)['list']>['query'];

/** Lists invitations, newest first. */
export function listInvitations(ctx: Context, inviterId: number, query: ListQuery): Promise<Page<Invitation>> {
  const invited = ctx.db.reader
    .selectFrom('user')
    .where('inviter_id', '=', inviterId)
    .select(['user.id', 'username', 'created_time', 'deleted_time'])
    .select(
      sql<number>`(select coalesce(sum(points), 0) from invitation_reward r
        where r.inviter_id = ${inviterId} and r.invitee_id = "user".id)`.as('reward'),
    );
  return readPage(invited, query, {
    columns: {},
    fallback: '',
    tieBreak: 'user.id',
    present: (row) => ({
      name: row.deleted_time === null ? maskUsername(row.username) : '…',
      created_time: row.created_time,
      reward: toPoints(row.reward),
    }),
  });
}

export async function readInvitationTerms(
  { settings, db }: Context,
  inviterId: number,
): Promise<RouteResponse<(typeof invitations)['terms']>> {
  const { invited } = await db.reader
    .selectFrom('user')
    .select(sql<number>`count(*)`.as('invited'))
    .where('inviter_id', '=', inviterId)
    .executeTakeFirstOrThrow();
  const { earned } = await db.reader
    .selectFrom('invitation_reward')
    .select(sql<number>`coalesce(sum(points), 0)`.as('earned'))
    .where('inviter_id', '=', inviterId)
    .executeTakeFirstOrThrow();
  return {
    inviter_reward: toPoints(settings.quotaForInviter),
    invitee_reward: toPoints(settings.quotaForInvitee),
    share_percent: settings.inviterSharePercent,
    share_top_ups: settings.inviterShareTopUps,
    rewards_per_month: settings.inviterRewardsPerMonth,
    invited,
    earned: toPoints(earned),
  };
}

/** Masks a name, `anne` → `an…e`: acquaintances recognize it, others learn nothing. */
function maskUsername(username: string): string {
  const letters = Array.from(new Intl.Segmenter().segment(username), ({ segment }) => segment);
  if (letters.length < 4) return `${letters[0] ?? ''}…`;
  return `${letters.slice(0, 2).join('')}…${letters.at(-1) ?? ''}`;
}
