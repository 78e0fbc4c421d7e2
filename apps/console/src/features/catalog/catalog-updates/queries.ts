import {
  type ApplyMode,
  type Comparison,
  catalogue,
  type ListSource,
} from '@switchyard/contract/catalog/catalog-updates';
import { createClient } from '@switchyard/contract/client';
import type { Send } from '@switchyard/contract/http-exchange';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { send } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import type { LinkAlertProps } from '../../../ui/feedback/error-panel-and-link-alert.tsx';
import { useHasAccess } from '../../accounts/session/queries.ts';

/**
 * Longer than the server's 30 seconds for fetching a list, so that its error arrives before this deadline.
 */
const LIST_DEADLINE_MS = 40_000;
const sendPatiently: Send = (request) => send(request, LIST_DEADLINE_MS);

const api = createClient(catalogue, send);
const patient = createClient(catalogue, sendPatiently);
const all = ['catalogue'] as const;

export const catalogueNoticesQuery = queryOptions({
  queryKey: [...all, 'notices'],
  queryFn: ({ signal }) => api.notices({}, signal),
  staleTime: 60_000,
});

/** Query for the comparison of a list with the current data; null without a list. */
export function comparisonQuery(id: number | undefined) {
  return queryOptions({
    queryKey: [...all, 'list', id ?? 0],
    queryFn: ({ signal }): Promise<Comparison> | null =>
      id === undefined ? null : api.get({ params: { id } }, signal),
  });
}

export function useCompare() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (source: ListSource) => patient.compare({ body: source }),
    onSuccess: (compared) => client.setQueryData(comparisonQuery(compared.id).queryKey, compared),
  });
}

/** Sends a change and invalidates the queries that it may affect. */
function useChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: async () => {
      await Promise.all(
        [all, ['prices'], ['models'], ['channels']].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
}

interface Approval {
  id: number;
  mode: ApplyMode;
  lines: { model: string; version: number }[];
  confirmed: boolean;
}

export function useApply() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: Approval) => api.apply({ params: { id }, body }),
    // The list itself is not invalidated, because its page closes after the decision.
    onSuccess: () =>
      Promise.all(
        [catalogueNoticesQuery.queryKey, ['prices'], ['models']].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export function useDismiss() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => api.dismiss({ params: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: catalogueNoticesQuery.queryKey }),
  });
}

export const useLock = () =>
  useChange(({ model, locked }: { model: string; locked: boolean }) => api.lock({ body: { model, locked } }));

export const useAdopt = () => useChange((models: string[]) => api.adopt({ body: { models } }));

export const useWithdraw = () =>
  useChange(({ model, as }: { model: string; as: 'offered' | 'upstream' }) =>
    api.withdraw({ body: { models: [model], as } }),
  );

export const useReplace = () =>
  useChange(({ model, by }: { model: string; by: string }) => api.replace({ body: { model, by } }));

/** Returns the alert about models that need attention for other screens; undefined when there is none. */
export function useCatalogueAlert(): LinkAlertProps | undefined {
  const { t } = useTranslation('catalogue');
  const mayRead = useHasAccess('prices.read');
  const { data } = useQuery({ ...catalogueNoticesQuery, enabled: mayRead });
  if (data === undefined) return undefined;
  const { unpriced, retiring, pending, refresh } = data;
  const failed = typeof refresh?.problem === 'string';
  const sentences = [
    ...(unpriced.length > 0 ? [t('alert.unpriced', { count: unpriced.length })] : []),
    ...(retiring.length > 0 ? [t('alert.retiring', { count: retiring.length })] : []),
    ...(failed ? [t('alert.unread')] : []),
    ...(pending === null ? [] : [t('pending', { count: pending.changes })]),
  ];
  if (sentences.length === 0) return undefined;
  const severity = failed || unpriced.length + retiring.length > 0 ? 'warning' : 'info';
  return { severity, text: sentences.join(' '), to: paths.catalogue, action: t('fix') };
}
