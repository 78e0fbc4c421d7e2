import type { dashboard } from '@switchyard/contract/usage/dashboard';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { readDashboard, readLegacyDays, readRate } from './dashboard.ts';

export const dashboardRoutes = (ctx: Context): Handlers<typeof dashboard> => ({
  own: ({ query }, { caller }) => readDashboard(ctx, caller.userId, query),
  everyone: ({ query }) => readDashboard(ctx, undefined, query),
  rate: (_input, { caller }) => readRate(ctx, caller),
  of: ({ params, query }) => readDashboard(ctx, params.id, query),
  legacy: (_input, { caller }) => readLegacyDays(ctx, caller.userId),
});
