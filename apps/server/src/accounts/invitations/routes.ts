import type { invitations } from '@switchyard/contract/accounts/invitations';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { listInvitations, readInvitationTerms } from './invitations.ts';

export const invitationRoutes = (ctx: Context): Handlers<typeof invitations> => ({
  list: ({ query }, { caller }) => listInvitations(ctx, caller.userId, query),
  terms: (_input, { caller }) => readInvitationTerms(ctx, caller.userId),
});
