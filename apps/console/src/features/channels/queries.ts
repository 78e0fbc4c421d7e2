import { channelEdits } from '@switchyard/contract/channels/bulk-edits-and-import';
import { channelKeys } from '@switchyard/contract/channels/channel-keys';
import {
  channelTests,
  type TestEvent,
  type TestPlan,
  type TestSchedule,
} from '@switchyard/contract/channels/channel-tests';
import { type Channel, type CreateChannel, channels } from '@switchyard/contract/channels/channels';
import { createClient, readEvents } from '@switchyard/contract/client';
import type { Send } from '@switchyard/contract/http-exchange';
import type { ChannelId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import type { ChannelStatus } from '@switchyard/contract/wire-enums';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { send, sendForEventStream } from '../../api.ts';
import { queryKeepingPrevious, useListChange, useQuickListChange } from '../../list-queries.ts';
import { paths } from '../../paths.ts';
import type { PaletteSource } from '../../ui/overlays/command-palette-result.ts';

/** Longer than the half minute that the server allows the provider for a test. */
const VENDOR_DEADLINE_MS = 60_000;
const sendPatiently: Send = (request) => send(request, VENDOR_DEADLINE_MS);

const api = createClient(channels, send);
const keysApi = createClient(channelKeys, send);
const vendorApi = createClient(channels, sendPatiently);
const editApi = createClient(channelEdits, send);
const vendorKeysApi = createClient(channelKeys, sendPatiently);
const testsApi = createClient(channelTests, send);
const all = ['channels'] as const;

export type ChannelListQuery = NonNullable<RouteCall<typeof channels.list>['query']>;
export type ChannelUpdate = RouteCall<typeof channels.update>['body'];
export type ModelSource = RouteCall<typeof channels.fetchModels>['body'];
export type SettableStatus = Extract<ChannelStatus, 'enabled' | 'disabled'>;

export const listChannels = (query: ChannelListQuery, signal?: AbortSignal) => api.list({ query }, signal);
export const fetchModels = (body: ModelSource, signal?: AbortSignal) => vendorApi.fetchModels({ body }, signal);

/** Tests a channel with one short request; the server uses the channel's test model. */
export function testChannel(id: ChannelId) {
  return vendorApi.test({ params: { id }, query: {} });
}

/**
 * Streams the result of each test as it arrives.
 * @throws ApiError, or the error that ended the connection
 */
export function streamTests(plan: TestPlan, signal: AbortSignal): AsyncGenerator<TestEvent> {
  const { path } = channelTests.run;
  return readEvents(channelTests.run, sendForEventStream(path, JSON.stringify(plan), signal));
}

export const testEstimateQuery = (plan: TestPlan) =>
  queryKeepingPrevious([...all, 'estimate', plan], (signal) => testsApi.estimate({ body: plan }, signal));

export const scheduleEstimateQuery = (schedule: TestSchedule) =>
  queryKeepingPrevious([...all, 'schedule', schedule], (signal) =>
    testsApi.estimateSchedule({ body: schedule }, signal),
  );

const RUNS_MS = 30_000;

/** Query for the last runs of scheduled tests. */
export const testRunsQuery = queryOptions({
  queryKey: [...all, 'runs'],
  queryFn: ({ signal }) => testsApi.runs({}, signal),
  refetchInterval: RUNS_MS,
});

export function keptTestsQuery(id: ChannelId) {
  return queryOptions({
    queryKey: [...all, 'tests', id],
    queryFn: ({ signal }) => testsApi.results({ params: { id } }, signal),
  });
}

const HISTORY_MS = 60_000;

export function channelHistoryQuery(id: ChannelId) {
  return queryOptions({
    queryKey: [...all, 'history', id],
    queryFn: ({ signal }) => testsApi.history({ params: { id } }, signal),
    refetchInterval: HISTORY_MS,
  });
}

export const channelListQuery = (query: ChannelListQuery) =>
  queryKeepingPrevious([...all, 'list', query], (signal) => listChannels(query, signal));

export const channelQuery = (id: ChannelId) =>
  queryOptions({ queryKey: [...all, 'one', id], queryFn: ({ signal }) => api.get({ params: { id } }, signal) });

export function testKey(id: ChannelId, key: string, signal?: AbortSignal) {
  return vendorKeysApi.test({ params: { id, key }, query: {} }, signal);
}

const HEALTH_MS = 5_000;

export function channelHealthQuery(id: ChannelId) {
  return queryOptions({
    queryKey: [...all, 'health', id],
    queryFn: ({ signal }) => api.health({ params: { id } }, signal),
    refetchInterval: HEALTH_MS,
  });
}

export function channelKeysQuery(id: ChannelId) {
  return queryOptions({
    queryKey: [...all, 'keys', id],
    queryFn: ({ signal }) => keysApi.list({ params: { id } }, signal),
    refetchInterval: HEALTH_MS,
  });
}

/** Query for the providers, which change only with the server's version. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => api.providers({}, signal),
  staleTime: Number.POSITIVE_INFINITY,
});

export function useProviders() {
  return useQuery(providersQuery).data ?? [];
}

/** Invalidates the lists, for instance after tests have changed response times and statuses. */
export function useRefreshChannels() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: all });
}

export const useCreateChannel = () => useListChange(all, (body: CreateChannel) => api.create({ body }));
export const useUpdateChannel = () => useListChange(all, (body: ChannelUpdate) => api.update({ body }));
export const useResumeChannel = () => useListChange(all, (id: ChannelId) => api.resume({ params: { id } }));
export const useAddKeys = () =>
  useListChange(all, ({ id, key }: { id: ChannelId; key: string }) => keysApi.add({ params: { id }, body: { key } }));
export const useRemoveKey = () =>
  useListChange(all, (params: { id: ChannelId; key: string }) => keysApi.remove({ params }));

/** Enables or disables a key and shows the change before the server responds. */
export function useSwitchKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, key, inUse }: { id: ChannelId; key: string; inUse: boolean }) =>
      keysApi.switch({ params: { id, key }, body: { in_use: inUse } }),
    onMutate: ({ id, key, inUse }) => {
      client.setQueryData(channelKeysQuery(id).queryKey, (keys) =>
        keys?.map((known) => (known.id === key ? { ...known, status: inUse ? 'enabled' : 'disabled' } : known)),
      );
    },
    onSettled: () => client.invalidateQueries({ queryKey: all }),
  });
}
export const useRemoveChannels = () =>
  useListChange(all, (ids: readonly ChannelId[]) => api.removeMany({ body: { ids: [...ids] } }));
export const useRemoveDisabledChannels = () => useListChange(all, () => api.removeDisabled());
export const useUpdateBalance = () =>
  useListChange(all, (id: ChannelId) => vendorApi.updateBalance({ params: { id } }));

type QuickChange = Pick<ChannelUpdate, 'status' | 'priority' | 'weight'>;

/** Changes one or more channels and shows the change before the server responds. */
export const useQuickChange = () =>
  useQuickListChange(
    all,
    async ({ ids, change }: { ids: readonly ChannelId[]; change: QuickChange }) => {
      const [only] = ids;
      if (only !== undefined && ids.length === 1) await api.update({ body: { id: only, ...change } });
      else if (ids.length > 1) await editApi.edit({ body: { where: { ids: [...ids] }, change } });
    },
    (channel: Channel, { ids, change: { status, priority, weight } }) =>
      ids.includes(channel.id)
        ? {
            ...channel,
            status: status ?? channel.status,
            priority: priority ?? channel.priority,
            weight: weight ?? channel.weight,
          }
        : channel,
  );

export const channelPaletteSource: PaletteSource = {
  heading: 'channels',
  access: 'channels.read',
  find: async (text, signal) => {
    const { data } = await listChannels({ keyword: text, size: 5 }, signal);
    return data.map((channel) => ({
      id: `channel-${channel.id}`,
      title: channel.name,
      detail: channel.provider,
      to: paths.channels,
      search: { open: String(channel.id) },
    }));
  },
};
