import { createClient } from '@switchyard/contract/client';
import { playground } from '@switchyard/contract/playground';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../api.ts';

const api = createClient(playground, send);
const POLL_MS = 700;
/** An answer that is not settled by then never will be: it was refused before it cost anything. */
const MOST_POLLS = 12;

/** What an answer cost; null until it is settled. */
export function answerCostQuery(requestId: string) {
  return queryOptions({
    queryKey: ['playground', 'cost', requestId],
    queryFn: ({ signal }) => api.record({ params: { request_id: requestId } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      state.data == null && state.dataUpdateCount + state.errorUpdateCount < MOST_POLLS ? POLL_MS : false,
  });
}
