import { unwrapEnvelope } from '@switchyard/contract/http-exchange';
import type { SiteInfo } from '@switchyard/contract/operations/site-info';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { readPreference, writePreference } from '../../../ui/browser/stored-preference.ts';

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

const kinds: { [K in keyof SiteInfo]: Kind<SiteInfo[K]> } = {
  version: 'string',
  start_time: 'number',
  system_name: 'string',
  logo: 'string',
  language: 'string',
  footer_html: 'string',
  server_address: 'string',
  top_up_link: 'string',
  chat_link: 'string',
  chat_links: 'string',
  quota_per_unit: 'number',
  display_in_currency: 'boolean',
  set_up_needed: 'boolean',
  register_enabled: 'boolean',
  register_invite_only: 'boolean',
  password_login: 'boolean',
  passkey_login: 'boolean',
  email_verification: 'boolean',
  password_reset: 'boolean',
  github_oauth: 'boolean',
  github_client_id: 'string',
  oidc_auth: 'boolean',
  lark_login: 'boolean',
  lark_client_id: 'string',
  wechat_login: 'boolean',
  wechat_qrcode: 'string',
  turnstile_check: 'boolean',
  turnstile_site_key: 'string',
  telegram_bot: 'string',
  status_page: 'boolean',
  PaymentUSDRate: 'number',
  PaymentMinAmount: 'number',
  RechargeDiscount: 'string',
  top_up_terms: 'string',
};
type Kind<T> = T extends string ? 'string' : T extends number ? 'number' : 'boolean';

/**
 * Checks the site information without the schema library, which would add half to the first load.
 * queries.test.ts compares this check with the contract's `siteInfo`.
 */
export function siteFrom(data: unknown): SiteInfo | undefined {
  return isSite(data) ? data : undefined;
}

function isSite(data: unknown): data is SiteInfo {
  if (typeof data !== 'object' || data === null) return false;
  const fields: Record<string, unknown> = { ...data };
  return Object.entries(kinds).every(([name, kind]) => typeof fields[name] === kind);
}
