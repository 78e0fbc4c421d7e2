import { createClient } from '@switchyard/contract/client';
import { secrets } from '@switchyard/contract/operations/data-keys';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

const api = createClient(secrets, send);

/** Interval while secrets are being re-encrypted. */
const PENDING_MS = 5_000;

export const secretStateQuery = queryOptions({
  queryKey: ['secrets', 'state'],
  queryFn: ({ signal }) => api.state({}, signal),
  refetchInterval: ({ state }) => ((state.data?.pending ?? 0) > 0 ? PENDING_MS : false),
});

export function useRotateDataKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => withStepUp(() => api.rotate()),
    onSuccess: (state) => client.setQueryData(secretStateQuery.queryKey, state),
  });
}
