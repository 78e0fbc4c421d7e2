import { createClient } from '@switchyard/contract/client';
import { type SiteInfo, siteInfo, status } from '@switchyard/contract/status';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { send } from '../../api.ts';
import { readStored, writeStored } from '../../ui/stored.ts';

const api = createClient(status, send);
const STORAGE_KEY = 'siteInfo';

/** What the last visit learned about the site; used until, or instead of, a fresh answer. */
export function storedSite(): SiteInfo | undefined {
  return siteInfo.safeParse(readStored(STORAGE_KEY)).data;
}

export const siteQuery = queryOptions({
  queryKey: ['site', 'info'],
  queryFn: async ({ signal }) => {
    const site = await api.get({}, signal);
    writeStored(STORAGE_KEY, site);
    return site;
  },
  staleTime: 5 * 60_000,
  refetchInterval: 10 * 60_000,
});

export const noticeQuery = queryOptions({
  queryKey: ['site', 'notice'],
  queryFn: ({ signal }) => api.notice({}, signal),
  staleTime: 5 * 60_000,
});

export const aboutQuery = queryOptions({
  queryKey: ['site', 'about'],
  queryFn: ({ signal }) => api.about({}, signal),
});

export const homePageQuery = queryOptions({
  queryKey: ['site', 'home'],
  queryFn: ({ signal }) => api.homePage({}, signal),
});

/** The site's facts, as fresh as they can be had. */
export function useSite(): SiteInfo | undefined {
  return useQuery(siteQuery).data ?? storedSite();
}

/** The address clients use: what the operator set, else where this page came from. */
export function useServerAddress(): string {
  const configured = useSite()?.server_address ?? '';
  return (configured === '' ? location.origin : configured).replace(/\/+$/, '');
}

export function useSystemName(): string {
  const name = useSite()?.system_name ?? '';
  return name === '' ? 'Switchyard' : name;
}
