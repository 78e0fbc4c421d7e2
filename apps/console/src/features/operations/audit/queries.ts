import { createClient, routeUrl } from '@switchyard/contract/client';
import { audit } from '@switchyard/contract/operations/audit';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { queryKeepingPrevious } from '../../../list-queries.ts';

const api = createClient(audit, send);

type EntryListQuery = NonNullable<RouteCall<typeof audit.list>['query']>;
export type EntryFilter = NonNullable<RouteCall<typeof audit.export>['query']>;

/**
 * @param key identifies the filter by its texts; resolved relative times would change the key every second
 */
export const entryListQuery = (key: unknown, query: () => EntryListQuery) =>
  queryKeepingPrevious(['audit', 'list', key], (signal) => api.list({ query: query() }, signal));

export const auditStateQuery = queryOptions({
  queryKey: ['audit', 'state'],
  queryFn: ({ signal }) => api.verify({}, signal),
});

/** Returns the URL at which the browser downloads the matching entries. */
export function exportUrl(filter: EntryFilter): string {
  return routeUrl(audit.export, { query: filter });
}
