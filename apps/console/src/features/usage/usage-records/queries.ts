import { createClient, routeUrl } from '@switchyard/contract/client';
import type { UsageRecordId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import type { PaletteSource } from '../../../ui/overlays/command-palette-result.ts';

const api = createClient(usageRecords, send);
const all = ['usage-records'] as const;

export type RecordListQuery = NonNullable<RouteCall<typeof usageRecords.list>['query']>;
export type RecordFilter = NonNullable<RouteCall<typeof usageRecords.totals>['query']>;
/** Scope of the records: administrators see all users', others only their own. */
export type Scope = 'everybody' | 'own';

const LIVE_MS = 2_000;
/** Longer than for rows, because sums cost the server more than a page. */
const LIVE_TOTALS_MS = 10_000;

const listRecords = (scope: Scope, query: RecordListQuery, signal?: AbortSignal) =>
  scope === 'everybody' ? api.list({ query }, signal) : api.listOwn({ query }, signal);

interface ListInput {
  scope: Scope;
  /** Identifies the filter by its texts; resolved relative times would change the key every second. */
  key: unknown;
  query: () => RecordListQuery;
  live: boolean;
}

export function recordListQuery({ scope, key, query, live }: ListInput) {
  return queryOptions({
    queryKey: [...all, 'list', scope, key],
    queryFn: ({ signal }) => listRecords(scope, query(), signal),
    placeholderData: keepPreviousData,
    refetchInterval: live ? LIVE_MS : false,
  });
}

export function recordTotalsQuery({
  scope,
  key,
  filter,
  live,
}: Omit<ListInput, 'query'> & { filter: () => RecordFilter }) {
  return queryOptions({
    queryKey: [...all, 'totals', scope, key],
    queryFn: ({ signal }) =>
      scope === 'everybody' ? api.totals({ query: filter() }, signal) : api.totalsOwn({ query: filter() }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: live ? LIVE_TOTALS_MS : false,
  });
}

export function recordQuery(scope: Scope, id: UsageRecordId) {
  return queryOptions({
    queryKey: [...all, 'one', scope, id],
    queryFn: ({ signal }) =>
      scope === 'everybody' ? api.get({ params: { id } }, signal) : api.getOwn({ params: { id } }, signal),
    // Records are immutable.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns the URL at which the browser downloads the matching records. */
export function exportUrl(scope: Scope, filter: RecordFilter): string {
  const route = scope === 'everybody' ? usageRecords.export : usageRecords.exportOwn;
  return routeUrl(route, { query: filter });
}

/** Returns whether the text has the form of this server's request ids. */
export function looksLikeRequestId(text: string): boolean {
  return /^[0-9a-z]{18}$/.test(text) && /\d/.test(text);
}

export const recordPaletteSource: PaletteSource = {
  heading: 'usageRecords',
  access: 'user',
  find: (text) => {
    if (!looksLikeRequestId(text)) return Promise.resolve([]);
    return Promise.resolve([
      { id: `record-${text}`, title: text, to: paths.usageRecords, search: { request_id: text } },
    ]);
  },
};
