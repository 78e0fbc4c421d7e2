import { moneyOverview } from '@switchyard/contract/billing/money-overview';
import { createClient } from '@switchyard/contract/client';
import type { RouteResponse } from '@switchyard/contract/route';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { type Period, periodRange, previousRange } from './periods.ts';

const api = createClient(moneyOverview, send);
const all = ['money-overview'] as const;

export type Overview = RouteResponse<typeof moneyOverview.get>;
export type Sales = RouteResponse<typeof moneyOverview.sales>[number];
export type Income = RouteResponse<typeof moneyOverview.income>[number];

/** The server sums many rows for these, so they stay fresh for a minute. */
const shared = { placeholderData: keepPreviousData, staleTime: 60_000 };

export function overviewQuery(period: Period, which: 'current' | 'before') {
  const span = which === 'current' ? periodRange : previousRange;
  return queryOptions({
    queryKey: [...all, which, period],
    queryFn: ({ signal }) => api.get({ query: span(period, new Date()) }, signal),
    ...shared,
  });
}

export function salesQuery(period: Period, by: 'day' | 'group' | 'model') {
  return queryOptions({
    queryKey: [...all, 'sales', by, period],
    queryFn: ({ signal }) => api.sales({ query: { ...periodRange(period, new Date()), by } }, signal),
    ...shared,
  });
}

export function incomeQuery(period: Period, by: 'day' | 'processor') {
  return queryOptions({
    queryKey: [...all, 'income', by, period],
    queryFn: ({ signal }) => api.income({ query: { ...periodRange(period, new Date()), by } }, signal),
    ...shared,
  });
}
