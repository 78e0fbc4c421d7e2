import type { notices } from '@switchyard/contract/operations/notices';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/mount.ts';
import { dismissNotices, listNotices } from './notices.ts';

export const noticeRoutes = (ctx: Context): Handlers<typeof notices> => ({
  list: (_nothing, { caller }) => listNotices(ctx, caller),
  seen: async ({ body }, { caller }) => {
    await dismissNotices(ctx, caller, body);
    return null;
  },
});
