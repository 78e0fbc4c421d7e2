import { createClient } from '@switchyard/contract/client';
import { playground } from '@switchyard/contract/playground/playground';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';

/** Client for conversations and usage records. */
export const api = createClient(playground, send);
const POLL_MS = 700;
/** A response without a cost after this many polls was refused before it cost anything. */
const MOST_POLLS = 12;
const LISTED_AT_ONCE = 50;

/** Query for the cost of a response; null until it is settled. */
export function answerCostQuery(requestId: string) {
  return queryOptions({
    queryKey: ['playground', 'cost', requestId],
    queryFn: ({ signal }) => api.record({ params: { request_id: requestId } }, signal),
    enabled: requestId !== '',
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      state.data == null && state.dataUpdateCount + state.errorUpdateCount < MOST_POLLS ? POLL_MS : false,
  });
}

export const conversationsKey = ['playground', 'conversations'];

/** Query for pages of the user's conversations, last saved first. */
export function conversationsQuery(keyword: string) {
  return infiniteQueryOptions({
    queryKey: [...conversationsKey, keyword],
    queryFn: ({ pageParam, signal }) =>
      api.listConversations({ query: { page: pageParam, size: LISTED_AT_ONCE, keyword } }, signal),
    initialPageParam: 1,
    getNextPageParam: ({ page, size, total_count }) => (page * size < total_count ? page + 1 : undefined),
    // Other tabs may have added conversations.
    staleTime: 0,
  });
}
