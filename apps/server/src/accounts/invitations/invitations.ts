/** Whom a user has invited, and what it brought. */
import type { Invitation, invitations } from '@switchyard/contract/accounts/invitations';
import { toPoints } from '@switchyard/contract/money';
import type { Page, RouteAnswer, RouteInput } from '@switchyard/contract/route';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { readPage } from '../../db/paging.ts';

export { findInviter, readInviteCode } from './invite-code.ts';
export { inviterIsRewarded, recordReward as noteReward } from './rewards.ts';
export { shareTopUp, takeBackShare } from './shares.ts';

type ListQuery = RouteInput<(typeof invitations)['list']>['query'];

/** The newest first. */
export function listInvitations(
  ctx: Context,
  inviterId: number,
  query: ListQuery,
): Promise<Page<Invitation>> {
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
      name: row.deleted_time === null ? shortName(row.username) : '…',
      created_time: row.created_time,
      reward: toPoints(row.reward),
    }),
  });
}

export async function readTerms(
  { settings, db }: Context,
  inviterId: number,
): Promise<RouteAnswer<(typeof invitations)['terms']>> {
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

/** `anne` → `an…e`: whoever knows the person recognises it, others learn no name. */
function shortName(username: string): string {
  const letters = Array.from(new Intl.Segmenter().segment(username), ({ segment }) => segment);
  if (letters.length < 4) return `${letters[0] ?? ''}…`;
  return `${letters.slice(0, 2).join('')}…${letters.at(-1) ?? ''}`;
}
