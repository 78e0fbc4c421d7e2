import type { notices } from '@switchyard/contract/operations/bell';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { dismissNotices, listNotices } from './bell.ts';

export const noticeRoutes = (ctx: Context): Handlers<typeof notices> => ({
  list: (_nothing, { caller }) => listNotices(ctx, caller),
  seen: async ({ body }, { caller }) => {
    await dismissNotices(ctx, caller, body);
    return null;
  },
});
