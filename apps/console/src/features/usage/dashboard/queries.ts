import { createClient } from '@switchyard/contract/client';
import type { UserId } from '@switchyard/contract/ids';
import { dashboard } from '@switchyard/contract/usage/dashboard';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';

const api = createClient(dashboard, send);

/** Scope of the usage: the user's own, or all users' for administrators. */
export type Scope = 'mine' | 'everybody';

/** Query for another user's usage, for administrators. */
export function userUsageQuery(id: UserId, days: number) {
  const utcOffset = -new Date().getTimezoneOffset();
  return queryOptions({
    queryKey: ['dashboard', 'of', id, days, utcOffset],
    queryFn: ({ signal }) => api.of({ params: { id }, query: { days, utc_offset: utcOffset } }, signal),
  });
}

/** Query for the usage of the last days up to today in the browser's time zone. */
export function dashboardQuery(scope: Scope, days: number) {
  const utcOffset = -new Date().getTimezoneOffset();
  const query = { days, utc_offset: utcOffset };
  return queryOptions({
    queryKey: ['dashboard', scope, days, utcOffset],
    queryFn: ({ signal }) => (scope === 'everybody' ? api.everyone({ query }, signal) : api.own({ query }, signal)),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/** Query for the user's calls of the last minute. */
export const rateQuery = queryOptions({
  queryKey: ['dashboard', 'rate'],
  queryFn: ({ signal }) => api.rate({}, signal),
  refetchInterval: 15_000,
});
