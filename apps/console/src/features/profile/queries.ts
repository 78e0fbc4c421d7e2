import { createClient } from '@switchyard/contract/client';
import { profile } from '@switchyard/contract/profile';
import type { RouteAnswer, RouteCall } from '@switchyard/contract/route';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../api.ts';
import { selfQuery } from '../session/queries.ts';

const api = createClient(profile, send);

export type OwnSession = RouteAnswer<typeof profile.listSessions>[number];
export type ProfileUpdate = RouteCall<typeof profile.update>['body'];

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api.listSessions({}, signal),
});

/** Changes own names or password; a new password ends the other sessions. */
export function useUpdateProfile() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ProfileUpdate) => api.update({ body }),
    onSuccess: async (self) => {
      client.setQueryData(selfQuery.queryKey, self);
      await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
}

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.endSession({ params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}
