import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from './app-error.ts';
import type { Caller } from './caller.ts';

/**
 * Refuses writes that another site's page may have caused. Browsers tell through `Sec-Fetch-Site`, older ones through
 * `Origin`; a call with an access token carries no ambient right and needs no proof.
 * @throws AppError `cross-site`
 */
export function checkSameOrigin(
  headers: IncomingHttpHeaders,
  caller: Caller | undefined,
  publicUrl: string | undefined,
): void {
  if (caller !== undefined && caller.sessionIdHash === undefined) return;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    // A link in a mail program is `none`, too; nobody has a reason to navigate to a call that changes something.
    if (site === 'same-origin' || (site === 'none' && headers['sec-fetch-mode'] !== 'navigate')) return;
    throw refused();
  }
  const { origin } = headers;
  if (origin !== undefined) {
    if (sameHost(origin, headers.host) || (publicUrl !== undefined && origin === new URL(publicUrl).origin))
      return;
    throw refused();
  }
  if (caller !== undefined) throw refused();
}

function sameHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

function refused(): AppError {
  return new AppError('cross-site', 'This call must come from the console itself');
}
