import type { moneyOverview } from '@switchyard/contract/billing/money-overview';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { readMoneyOverview } from './money-overview.ts';
import { readIncome, readSales, toTimeRange } from './sales-and-income.ts';

export const moneyOverviewRoutes = (ctx: Context): Handlers<typeof moneyOverview> => ({
  get: ({ query }) => readMoneyOverview(ctx, toTimeRange(query)),
  sales: ({ query }) => readSales(ctx, toTimeRange(query), query.by),
  income: ({ query }) => readIncome(ctx, toTimeRange(query), query.by),
});
