import type { playground } from '@switchyard/contract/playground';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/mount.ts';
import { costOf } from './playground.ts';

export const playgroundRoutes = (ctx: Context): Handlers<typeof playground> => ({
  record: ({ params }, { caller }) => costOf(ctx, caller, params.request_id),
});
