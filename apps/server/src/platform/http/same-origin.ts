import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from './app-error.ts';
import type { Caller } from './caller.ts';

/**
 * Refuses writes that another site's page may have caused, or a link or an image in the console's own page. Browsers
 * send `Sec-Fetch-Site`, older ones `Origin`. Browsers never send an access token on their own, so its calls need no
 * check.
 * @throws AppError `cross-site`
 */
export function checkSameOrigin(
  headers: IncomingHttpHeaders,
  caller: Caller | undefined,
  publicUrl: string | undefined,
): void {
  if (caller !== undefined && caller.sessionIdHash === undefined) return;
  if (!isFetch(headers)) throw crossOriginError();
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return;
    throw crossOriginError();
  }
  const { origin } = headers;
  if (origin !== undefined) {
    if (isSameHost(origin, headers.host) || (publicUrl !== undefined && origin === new URL(publicUrl).origin)) return;
    throw crossOriginError();
  }
  if (caller !== undefined) throw crossOriginError();
}

/**
 * Returns whether a script's `fetch` sent the request, according to the browser. Links, images, pings and forms in
 * the console may come from a model's response or an operator's text, and must not change anything.
 * https://www.w3.org/TR/fetch-metadata/
 */
function isFetch(headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode'] ?? 'cors';
  const destination = headers['sec-fetch-dest'] ?? 'empty';
  return (mode === 'cors' || mode === 'same-origin') && destination === 'empty';
}

function isSameHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

function crossOriginError(): AppError {
  return new AppError('cross-site', 'This request must come from the console');
}
