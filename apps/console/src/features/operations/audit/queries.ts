import { createClient, routeUrl } from '@switchyard/contract/client';
import { audit } from '@switchyard/contract/operations/audit';
import type { RouteCall } from '@switchyard/contract/route';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';

const api = createClient(audit, send);

type EntryListQuery = NonNullable<RouteCall<typeof audit.list>['query']>;
export type EntryFilter = NonNullable<RouteCall<typeof audit.export>['query']>;

/** @param key names the filter; relative times stay words in it, so that the key does not change every second */
export function entryListQuery(key: unknown, query: () => EntryListQuery) {
  return queryOptions({
    queryKey: ['audit', 'list', key],
    queryFn: ({ signal }) => api.list({ query: query() }, signal),
    placeholderData: keepPreviousData,
  });
}

export const auditStateQuery = queryOptions({
  queryKey: ['audit', 'state'],
  queryFn: ({ signal }) => api.verify({}, signal),
});

/** Returns the address at which the browser downloads the entries that match. */
export function exportUrl(filter: EntryFilter): string {
  return routeUrl(audit.export, { query: filter });
}
