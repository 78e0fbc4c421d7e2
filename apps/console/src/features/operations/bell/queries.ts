import type { BellNotification } from '@switchyard/contract/operations/bell';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { loadClient } from '../../../api.ts';

const load = () => loadClient(import('@switchyard/contract/operations/bell').then(({ notices }) => notices));

export const notificationsQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: async ({ signal }): Promise<BellNotification[]> => (await load()).list({}, signal),
  refetchInterval: 60_000,
  refetchOnWindowFocus: true,
});

/** Dismisses notifications until they change. They disappear at once and reappear if the call fails. */
export function useDismissNotification() {
  const client = useQueryClient();
  const { queryKey } = notificationsQuery;
  return useMutation({
    mutationFn: async (dismissed: readonly BellNotification[]) =>
      (await load()).seen({ body: dismissed.map(({ kind, mark }) => ({ kind, mark })) }),
    onMutate: async (dismissed) => {
      await client.cancelQueries({ queryKey });
      const marks = new Set(dismissed.map(({ mark }) => mark));
      client.setQueryData(queryKey, (before) =>
        before?.map((notice) => (marks.has(notice.mark) ? { ...notice, seen: true } : notice)),
      );
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
