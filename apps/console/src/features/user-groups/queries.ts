import { createClient } from '@switchyard/contract/client';
import { userGroups } from '@switchyard/contract/user-groups';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { send } from '../../api.ts';

const api = createClient(userGroups, send);

/** The groups that the signed-in user may choose, by symbol. */
const groupMapQuery = queryOptions({
  queryKey: ['user-groups', 'map'],
  queryFn: ({ signal }) => api.map({}, signal),
  staleTime: 60_000,
});

export function useGroups() {
  return useQuery(groupMapQuery).data;
}
