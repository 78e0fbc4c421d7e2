import { createClient } from '@switchyard/contract/client';
import type { Send } from '@switchyard/contract/http-exchange';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../../api.ts';

/** Deleting millions of records in batches takes minutes. */
const REMOVAL_DEADLINE_MS = 10 * 60_000;
const sendPatiently: Send = (request) => send(request, REMOVAL_DEADLINE_MS);

const recordsApi = createClient(usageRecords, sendPatiently);

/**
 * Query for the number of call records older than a moment.
 * @param before UTC seconds
 */
export function oldRecordsQuery(before: number) {
  return queryOptions({
    queryKey: ['usage-records', 'older', before],
    queryFn: async ({ signal }) => {
      const filter = { end_timestamp: before - 1, size: 1 };
      const calls = await recordsApi.list({ query: { ...filter, log_type: 'consume' } }, signal);
      const errors = await recordsApi.list({ query: { ...filter, log_type: 'error' } }, signal);
      return calls.total_count + errors.total_count;
    },
  });
}

/** @returns the number of deleted records */
export function useRemoveOldRecords() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (before: number) => recordsApi.removeOld({ query: { target_timestamp: before } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['usage-records'] }),
  });
}
