import { type CreateChannel, channels } from '@switchyard/contract/channels';
import { createClient } from '@switchyard/contract/client';
import type { ChannelId } from '@switchyard/contract/ids';
import { setUp } from '@switchyard/contract/set-up';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../api.ts';

const api = createClient(setUp, send);
const channelApi = createClient(channels, send);

export const createRootAccount = api.createRoot;

/** Whether the code of the link is the server's; the code never enters a query key that could be stored. */
export function codeCheckQuery(code: string) {
  return queryOptions({
    queryKey: ['set-up', 'check'],
    queryFn: ({ signal }) => api.check({ body: { code } }, signal),
    enabled: code !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export const providersQuery = queryOptions({
  queryKey: ['set-up', 'providers'],
  queryFn: ({ signal }) => channelApi.providers({}, signal),
});

export const createFirstChannel = (body: CreateChannel) => channelApi.create({ body });
export const testChannel = (id: ChannelId) => channelApi.test({ params: { id }, query: {} });
/** What the vendor offers to this key, before the channel is saved. */
export const readVendorModels = ({ type, base_url, options, model_headers, proxy, key }: CreateChannel) =>
  channelApi.fetchModels({ body: { type, base_url, options, model_headers, proxy, key } });
