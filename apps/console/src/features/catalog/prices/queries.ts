import { type Price, prices } from '@switchyard/contract/catalog/prices';
import { createClient } from '@switchyard/contract/client';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { queryKeepingPrevious } from '../../../list-queries.ts';

const api = createClient(prices, send);
const all = ['prices'] as const;
const MOST_ROWS = 100;

export type PriceListQuery = NonNullable<RouteCall<typeof prices.list>['query']>;
export type SavePrice = RouteCall<typeof prices.create>['body'];

export const listPrices = (query: PriceListQuery, signal?: AbortSignal) => api.list({ query }, signal);

export const priceListQuery = (query: PriceListQuery) =>
  queryKeepingPrevious([...all, 'list', query], (signal) => listPrices(query, signal));

/** Query for all prices, which wildcard matching needs; the list is long. */
export const everyPriceQuery = queryOptions({
  queryKey: [...all, 'every'],
  queryFn: ({ signal }) => api.all({}, signal),
  staleTime: 5 * 60_000,
});

/** Query for the price of exactly this model; null when there is none. */
export function priceQuery(model: string) {
  return queryOptions({
    queryKey: [...all, 'one', model],
    queryFn: async ({ signal }): Promise<Price | null> => {
      const isIt = (price: Price) => price.model === model;
      const found = await listPrices({ keyword: model, order: 'model', size: MOST_ROWS }, signal);
      // A short name can occur in more names than one page holds.
      return found.data.find(isIt) ?? (await api.all({}, signal)).find(isIt) ?? null;
    },
  });
}

/** Query for the versions of a model's price, newest first. */
export function versionsQuery(model: string) {
  return queryOptions({
    queryKey: [...all, 'versions', model],
    queryFn: ({ signal }) => api.versions({ params: { model } }, signal),
  });
}

export const unpricedQuery = queryOptions({
  queryKey: [...all, 'unpriced'],
  queryFn: ({ signal }) => api.unpriced({}, signal),
});

export const missingRatesQuery = queryOptions({
  queryKey: [...all, 'missing-rates'],
  queryFn: ({ signal }) => api.missingRates({}, signal),
});

/** Sends a change and invalidates the queries of prices and models. */
function usePriceMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: all });
      await client.invalidateQueries({ queryKey: ['models'] });
    },
  });
}

/** Versions of shown prices, so that no change of another user is overwritten. */
export const versionsOf = (shown: readonly Price[]): Record<string, number> =>
  Object.fromEntries(shown.map(({ model, version }) => [model, version]));

export const useCreatePrice = () => usePriceMutation((body: SavePrice) => api.create({ body }));

export const useUpdatePrice = () =>
  usePriceMutation(({ model, body }: { model: string; body: RouteCall<typeof prices.update>['body'] }) =>
    api.update({ params: { model }, body }),
  );

export const useRemovePrices = () =>
  usePriceMutation((shown: readonly Price[]) =>
    api.removeMany({ body: { models: shown.map(({ model }) => model), versions: versionsOf(shown) } }),
  );

export const useSavePriceGroup = () =>
  usePriceMutation((body: RouteCall<typeof prices.saveGroup>['body']) => api.saveGroup({ body }));
