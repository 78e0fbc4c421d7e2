import { channelTests } from '@switchyard/contract/channels/channel-tests';
import { createClient } from '@switchyard/contract/client';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';

const api = createClient(channelTests, send);
const PAGE_MS = 60_000;

/** The key starts with `site`, because this data is not the user's and survives the end of a session. */
export const statusPageQuery = queryOptions({
  queryKey: ['site', 'status-page'],
  queryFn: ({ signal }) => api.statusPage({}, signal),
  refetchInterval: PAGE_MS,
});
