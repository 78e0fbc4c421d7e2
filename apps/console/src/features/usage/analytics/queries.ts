import { createClient, routeUrl } from '@switchyard/contract/client';
import type { SavedViewId } from '@switchyard/contract/ids';
import type { RouteCall, RouteResponse } from '@switchyard/contract/route';
import { analytics, type Dimension } from '@switchyard/contract/usage/analytics';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-queries.ts';

const api = createClient(analytics, send);
const views = ['analytics', 'views'] as const;

export type Question = RouteCall<typeof analytics.ask>['query'];
export type Statistics = RouteResponse<typeof analytics.statistics>;

/** The server sums many calls for these, so they stay fresh for a minute. */
const STALE_MS = 60_000;

/** @param key identifies the question by its texts; resolved times would change the key every second */
export function analysisQuery(key: unknown, question: () => Question) {
  return queryOptions({
    queryKey: ['analytics', 'analysis', key],
    queryFn: async ({ signal }) => {
      const query = question();
      return { question: query, analysis: await api.ask({ query }, signal) };
    },
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
  });
}

/** Query for the charges and cost of each price. */
export const marginsQuery = queryOptions({
  queryKey: ['analytics', 'margins'],
  queryFn: ({ signal }) => api.margins({}, signal),
  staleTime: 5 * STALE_MS,
});

export const statisticsQuery = queryOptions({
  queryKey: ['analytics', 'statistics'],
  queryFn: ({ signal }) => api.statistics({}, signal),
  staleTime: STALE_MS,
});

export function valuesQuery(dimension: Dimension, keyword: string) {
  return queryOptions({
    queryKey: ['analytics', 'values', dimension, keyword],
    queryFn: ({ signal }) => api.values({ query: { dimension, keyword } }, signal),
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
  });
}

/** Returns the URL at which the browser downloads the table. */
export const exportUrl = (query: Question): string => routeUrl(analytics.export, { query });

export const viewsQuery = queryOptions({
  queryKey: views,
  queryFn: ({ signal }) => api.listViews({}, signal),
  staleTime: STALE_MS,
});

export const useCreateView = () =>
  useListChange(views, (body: RouteCall<typeof analytics.createView>['body']) => api.createView({ body }));

export const useRenameView = () =>
  useListChange(views, ({ id, name }: { id: SavedViewId; name: string }) =>
    api.renameView({ params: { id }, body: { name } }),
  );

export const useRemoveView = () => useListChange(views, (id: SavedViewId) => api.removeView({ params: { id } }));
