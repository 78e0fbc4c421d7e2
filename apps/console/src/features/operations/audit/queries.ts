import { createClient, routeUrl } from '@switchyard/contract/client';
import { audit } from '@switchyard/contract/operations/audit';
import type { RouteCall } from '@switchyard/contract/route';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';

const api = createClient(audit, send);

type EntryListQuery = NonNullable<RouteCall<typeof audit.list>['query']>;
export type EntryFilter = NonNullable<RouteCall<typeof audit.export>['query']>;

/**
 * @param key identifies the filter by its texts; resolved relative times would change the key every second
 */
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

/** Returns the URL at which the browser downloads the matching entries. */
export function exportUrl(filter: EntryFilter): string {
  return routeUrl(audit.export, { query: filter });
}
