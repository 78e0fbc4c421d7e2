import { userDetails } from '@switchyard/contract/accounts/user-details';
import { createClient } from '@switchyard/contract/client';
import type { UserId } from '@switchyard/contract/ids';
import type { RouteResponse } from '@switchyard/contract/route';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-queries.ts';

const api = createClient(userDetails, send);
const all = ['user-details'] as const;

export type UserSession = RouteResponse<typeof userDetails.sessions>[number];

export function balanceHistoryQuery(id: UserId, charges: boolean) {
  return infiniteQueryOptions({
    queryKey: [...all, 'balance', id, charges],
    queryFn: ({ pageParam, signal }) =>
      api.balanceHistory({ params: { id }, query: { before: pageParam, charges } }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ entries, more }) => (more ? entries.at(-1)?.id : undefined),
  });
}

export const signInMethodsQuery = (id: UserId) =>
  queryOptions({ queryKey: [...all, 'ways', id], queryFn: ({ signal }) => api.signInWays({ params: { id } }, signal) });

export function userSessionsQuery(id: UserId) {
  return queryOptions({
    queryKey: [...all, 'sessions', id],
    queryFn: ({ signal }) => api.sessions({ params: { id } }, signal),
  });
}

export const useEndUserSession = () =>
  useListChange(all, (params: { id: UserId; session: string }) => api.endSession({ params }));
export const useEndUserSessions = () => useListChange(all, (id: UserId) => api.endSessions({ params: { id } }));
