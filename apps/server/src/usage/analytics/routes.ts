import type { analytics } from '@switchyard/contract/usage/analytics';
import type { Context } from '../../context.ts';
import { hasAccess } from '../../platform/http/caller.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { analyzeUsage, exportAnalysis, readMargins } from './analytics.ts';
import { findValues } from './dimension-value-names.ts';
import { readStatistics } from './installation-statistics.ts';
import { createView, listViews, removeView, renameView } from './saved-views.ts';

export const analyticsRoutes = (ctx: Context): Handlers<typeof analytics> => ({
  margins: () => readMargins(ctx),
  ask: ({ query }) => analyzeUsage(ctx, query),
  export: ({ query }, call) => {
    call.setFileName('analytics.csv');
    return exportAnalysis(ctx, query);
  },
  values: ({ query }) => findValues(ctx, query.dimension, query.keyword),
  statistics: (_input, { caller }) => readStatistics(ctx, hasAccess(caller, 'money.read')),
  listViews: (_input, { caller }) => listViews(ctx, caller.userId),
  createView: ({ body }, { caller }) => createView(ctx, caller.userId, body),
  renameView: ({ params, body }, { caller }) => renameView(ctx, caller.userId, params.id, body.name),
  removeView: ({ params }, { caller }) => removeView(ctx, caller.userId, params.id),
});
