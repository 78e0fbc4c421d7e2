import { type PaymentProvider, paymentProviders } from '@switchyard/contract/billing/payment-providers';
import { createClient } from '@switchyard/contract/client';
import type { PaymentProviderId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { queryKeepingPrevious, useListChange, useQuickListChange } from '../../../list-queries.ts';
import type { Option } from '../../../ui/inputs/select-options.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';

const api = createClient(paymentProviders, send);
const all = ['processors'] as const;
const MOST_PROCESSORS = 100;

export type PaymentProviderListQuery = NonNullable<RouteCall<typeof paymentProviders.list>['query']>;
type CreateProcessor = RouteCall<typeof paymentProviders.create>['body'];
export type UpdatePaymentProvider = RouteCall<typeof paymentProviders.update>['body'];
/** Change that the list itself offers. */
export type QuickPaymentProviderChange = { id: PaymentProviderId } & ({ enable: boolean } | { sort: number });

const listProcessors = (query: PaymentProviderListQuery, signal?: AbortSignal) => api.list({ query }, signal);

export const paymentProviderListQuery = (query: PaymentProviderListQuery) =>
  queryKeepingPrevious([...all, 'list', query], (signal) => listProcessors(query, signal));

export const paymentProviderQuery = (id: PaymentProviderId) =>
  queryOptions({ queryKey: [...all, 'one', id], queryFn: ({ signal }) => api.get({ params: { id } }, signal) });

const everyProcessorQuery = queryOptions({
  queryKey: [...all, 'every'],
  queryFn: async ({ signal }) => (await listProcessors({ size: MOST_PROCESSORS, order: '-sort' }, signal)).data,
  staleTime: 60_000,
});

const noOptions: Option[] = [];
const toOptions = (list: readonly PaymentProvider[]): Option[] =>
  list.map(({ id, name }) => ({ value: String(id), label: name }));

/** Returns the payment providers as filter options; empty for users who may not see them. */
export function usePaymentProviderOptions(): readonly Option[] {
  const enabled = useHasAccess('processors.read');
  return useQuery({ ...everyProcessorQuery, enabled, select: toOptions }).data ?? noOptions;
}

export const useCreatePaymentProvider = () =>
  useListChange(all, (body: CreateProcessor) => withStepUp(() => api.create({ body })));
export const useUpdatePaymentProvider = () =>
  useListChange(all, (body: UpdatePaymentProvider) => withStepUp(() => api.update({ body })));
export const useRemovePaymentProvider = () =>
  useListChange(all, (id: PaymentProviderId) => withStepUp(() => api.remove({ params: { id } })));

/** Sends a change of the list and shows it before the server responds. */
export const useQuickPaymentProviderChange = () =>
  useQuickListChange(
    all,
    (body: QuickPaymentProviderChange) => withStepUp(() => api.update({ body })),
    (processor: PaymentProvider, { id, ...change }) => (processor.id === id ? { ...processor, ...change } : processor),
  );

/** Has the server test the stored configuration with a harmless call to the payment provider. */
export function useTestPaymentProvider() {
  return useMutation({ mutationFn: (id: PaymentProviderId) => api.test({ params: { id } }) });
}
