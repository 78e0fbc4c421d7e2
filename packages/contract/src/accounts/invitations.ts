/** Users whom a user has invited, and the rewards. */
import { z } from 'zod';
import { points } from '../money.ts';
import { listQuery, paged, routes } from '../route.ts';
import { seconds } from './account-fields.ts';

export const invitation = z.object({
  /** Masked name by which the inviter can recognize the user. */
  name: z.string(),
  created_time: seconds,
  /** Points that the inviter received for this user. */
  reward: points,
});
export type Invitation = z.output<typeof invitation>;

export const invitations = routes({
  list: {
    method: 'GET',
    path: '/api/user/invitations',
    access: 'user',
    summary: 'List your accepted invitations, newest first',
    query: listQuery([], {}),
    answer: paged(invitation),
  },
  terms: {
    method: 'GET',
    path: '/api/user/invitations/terms',
    access: 'user',
    summary: 'Retrieve the rewards of an invitation and the rewards that you have received',
    answer: z.object({
      inviter_reward: points,
      invitee_reward: points,
      share_percent: z.number(),
      share_top_ups: z.int(),
      /** Maximum rewarded invitations within 30 days; 0: no limit. */
      rewards_per_month: z.int(),
      invited: z.int(),
      earned: points,
    }),
  },
});
