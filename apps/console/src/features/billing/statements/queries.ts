import { statements } from '@switchyard/contract/billing/statements';
import { createClient, routeUrl } from '@switchyard/contract/client';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { queryKeepingPrevious, useListChange } from '../../../list-queries.ts';

const api = createClient(statements, send);
const all = ['statements'] as const;

type ListQuery = NonNullable<RouteCall<typeof statements.list>['query']>;

export const listMonths = (query: ListQuery, signal?: AbortSignal) => api.list({ query }, signal);

export const monthListQuery = (query: ListQuery) =>
  queryKeepingPrevious([...all, 'list', query], (signal) => listMonths(query, signal));

/** @param date first day of the month, `2026-11-01` */
export const statementQuery = (date: string) =>
  queryOptions({ queryKey: [...all, 'one', date], queryFn: ({ signal }) => api.get({ query: { date } }, signal) });

/** Returns the URL at which the browser downloads a statement. */
export const pdfUrl = (date: string): string => routeUrl(statements.pdf, { query: { date } });
export const csvUrl = (date: string): string => routeUrl(statements.csv, { query: { date } });

/** Creates a month's statements for all users: only the missing ones, or all of them again. */
export const useStoreStatements = () =>
  useListChange(all, ({ date, anew }: { date: string; anew: boolean }) =>
    anew ? api.regenerate({ params: { date } }) : api.generate({ params: { date } }),
  );
