import type { moneyOverview } from '@switchyard/contract/billing/money-overview';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { readIncome } from './income.ts';
import { readOverview } from './money-overview.ts';
import { readSales } from './sales.ts';
import { timeOf } from './time.ts';

export const moneyOverviewRoutes = (ctx: Context): Handlers<typeof moneyOverview> => ({
  get: ({ query }) => readOverview(ctx, timeOf(query)),
  sales: ({ query }) => readSales(ctx, timeOf(query), query.by),
  income: ({ query }) => readIncome(ctx, timeOf(query), query.by),
});
