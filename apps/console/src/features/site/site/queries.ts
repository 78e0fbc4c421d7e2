import { unwrapEnvelope } from '@switchyard/contract/http-exchange';
import type { SiteInfo } from '@switchyard/contract/operations/site-info';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { readPreference, writePreference } from '../../../ui/browser/stored-preference.ts';
import { siteFrom } from './parse-site-info.ts';

const STORAGE_KEY = 'siteInfo';

/** Returns the site information of the last visit, for use until or instead of a fresh response. */
export function storedSite(): SiteInfo | undefined {
  return siteFrom(readPreference(STORAGE_KEY));
}

/**
 * Calls a public route without the contract's client, which would delay the first page by the schema library.
 */
async function read(path: string, signal: AbortSignal): Promise<unknown> {
  return unwrapEnvelope(await send({ method: 'GET', path, signal }));
}

async function readText(path: string, signal: AbortSignal): Promise<string> {
  const text = await read(path, signal);
  return typeof text === 'string' ? text : '';
}

export const siteQuery = queryOptions({
  queryKey: ['site', 'info'],
  queryFn: async ({ signal }) => {
    const site = siteFrom(await read('/api/status', signal));
    if (site === undefined) throw new Error('the response of /api/status does not match this console');
    writePreference(STORAGE_KEY, site);
    return site;
  },
  staleTime: 5 * 60_000,
  refetchInterval: 10 * 60_000,
});

export const noticeQuery = queryOptions({
  queryKey: ['site', 'notice'],
  queryFn: ({ signal }) => readText('/api/notice', signal),
  staleTime: 5 * 60_000,
});

export const aboutQuery = queryOptions({
  queryKey: ['site', 'about'],
  queryFn: ({ signal }) => readText('/api/about', signal),
});

export const homePageQuery = queryOptions({
  queryKey: ['site', 'home'],
  queryFn: ({ signal }) => readText('/api/home_page_content', signal),
});

/** Returns the latest known site information. */
export function useSite(): SiteInfo | undefined {
  return useQuery(siteQuery).data ?? storedSite();
}

/** Returns the server's URL for clients: the configured one, otherwise this page's origin. */
export function useServerAddress(): string {
  const configured = useSite()?.server_address ?? '';
  return (configured === '' ? location.origin : configured).replace(/\/+$/, '');
}

export function useSystemName(): string {
  const name = useSite()?.system_name ?? '';
  return name === '' ? 'Switchyard' : name;
}

/** Rate until the site information has loaded; One API's price lists use the same. */
const USUAL_YUAN_PER_USD = 7;

/** Returns the site's price in yuan for one dollar of points. */
export function useYuanPerUsd(): number {
  return useSite()?.PaymentUSDRate ?? USUAL_YUAN_PER_USD;
}
