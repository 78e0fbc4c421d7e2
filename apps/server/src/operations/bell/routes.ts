import type { notices } from '@switchyard/contract/operations/bell';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { dismissBellNotifications, listBellNotifications } from './bell.ts';

export const bellRoutes = (ctx: Context): Handlers<typeof notices> => ({
  list: (_nothing, { caller }) => listBellNotifications(ctx, caller),
  seen: ({ body }, { caller }) => dismissBellNotifications(ctx, caller, body),
});
