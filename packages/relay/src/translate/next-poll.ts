/** Polling of vendors that accept a task and deliver its result later. */

import type { PendingResponse } from '../model/dialect.ts';
import type { NextPoll } from '../model/exchange.ts';
import type { Target } from '../model/provider.ts';
import { buildAccountHeaders, buildUpstreamUrl } from '../provider-kit/upstream-call.ts';

/** Returns undefined if the URL is not the vendor's, because the request would send credentials to it. */
export function planNextPoll(target: Target, { at, waitMs }: PendingResponse): NextPoll | undefined {
  if (at === undefined) return { again: true, waitMs };
  const url = at.startsWith('/') ? buildUpstreamUrl(target, at) : resolvePollUrl(target, at);
  if (url === undefined) return undefined;
  const headers = { ...buildAccountHeaders(target, url), 'accept-encoding': 'identity' };
  return { url, headers: Object.entries(headers).flat(), waitMs };
}

/**
 * Returns the URL to poll: the vendor's own, including its other hosts (`api.us1.…`); with an operator's base URL,
 * the same path there. Undefined for any other host.
 */
function resolvePollUrl({ provider, baseUrl }: Target, at: string): string | undefined {
  if (!URL.canParse(at) || !URL.canParse(baseUrl)) return undefined;
  const [asked, base] = [new URL(at), new URL(baseUrl)];
  if (base.origin !== new URL(provider.baseUrl ?? baseUrl).origin) return base.origin + asked.pathname + asked.search;
  const domain = base.hostname.split('.').slice(-2).join('.');
  const isOwn = asked.hostname === base.hostname || asked.hostname.endsWith(`.${domain}`);
  const isPlain = asked.username === '' && asked.password === '' && asked.port === base.port;
  return isOwn && isPlain && asked.protocol === base.protocol ? asked.href : undefined;
}
