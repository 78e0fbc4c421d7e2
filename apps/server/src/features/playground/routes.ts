import type { playground } from '@switchyard/contract/playground';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/mount.ts';
import { costOfAnswer } from './playground.ts';

export const playgroundRoutes = (ctx: Context): Handlers<typeof playground> => ({
  record: ({ params }, { caller }) => costOfAnswer(ctx, caller, params.request_id),
});
