/** Authorizes callers of management routes, the playground and artifacts. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Right } from '@switchyard/contract/accounts/permissions';
import type { Route } from '@switchyard/contract/route';
import { parseUrl } from '@switchyard/relay/parse-url';
import { AppError, stepUpRequired } from './app-error.ts';
import { type Caller, hasAccess } from './caller.ts';
import { readCookie } from './cookies.ts';

/** Requirements on a caller; a route of the contract satisfies the type. */
export type AccessRequirements = Pick<Route, 'method' | 'access' | 'sameOrigin' | 'stepUp' | 'impersonated'>;

/** Properties of the request besides its caller. */
export interface RequestOrigin {
  headers: IncomingHttpHeaders;
  /** True if the connection is known to be encrypted. */
  secure: boolean;
  publicUrl: string | undefined;
}

/** @throws AppError that names the reason when the caller is not authorized */
export function authorize(demand: AccessRequirements, caller: Caller | undefined, visit: RequestOrigin): void {
  if (caller?.impersonator !== undefined) checkImpersonatedAccess(demand);
  if (demand.access !== 'anyone') checkRight(demand, demand.access, caller, visit);
  if (isMutation(demand)) checkSameOrigin(visit.headers, caller, visit.publicUrl);
  if (demand.stepUp === true) checkSteppedUp(caller);
}

function isMutation({ method, sameOrigin }: AccessRequirements): boolean {
  return method !== 'GET' || sameOrigin === true;
}

function checkRight(demand: AccessRequirements, right: Right, caller: Caller | undefined, visit: RequestOrigin): void {
  if (caller === undefined) {
    if (readCookie(visit.headers.cookie, 'impersonation', visit.secure) !== undefined)
      throw new AppError('impersonation-over', 'You are no longer impersonating this user');
    throw new AppError(
      'not-signed-in',
      'You are not signed in. Sign in, or send an access token as "Authorization: Bearer TOKEN".',
    );
  }
  if (!caller.rights.has(right)) throw missingRightError(right, caller);
  if (caller.readOnly && isMutation(demand))
    throw new AppError('not-allowed', 'This access token is read-only. Use one with write access.');
  if (!hasAccess(caller, right))
    throw new AppError('second-factor-needed', 'Your role requires a second factor. Add one in your profile.');
}

function missingRightError(right: Right, { sessionIdHash }: Caller): AppError {
  if (right === 'root') return new AppError('not-allowed', 'Only the root account may do this');
  const owner = sessionIdHash === undefined ? 'this access token does' : 'you do';
  const message = `This requires the permission ${right}, which ${owner} not have. Ask an administrator.`;
  return new AppError('not-allowed', message);
}

/** @throws AppError `impersonated` for writes, private data, and actions that require a step-up */
function checkImpersonatedAccess(demand: AccessRequirements): void {
  const looks = !isMutation(demand) && demand.stepUp !== true;
  if (!(demand.impersonated ?? looks))
    throw new AppError('impersonated', 'While impersonating a user, you cannot change anything or view private data');
}

function checkSteppedUp(caller: Caller | undefined): void {
  if (caller?.steppedUp === true) return;
  if (caller?.sessionIdHash === undefined)
    throw new AppError('not-allowed', 'This request requires a session. Sign in to the console.');
  throw stepUpRequired();
}

/**
 * Refuses writes that another site's page may have caused, or a link or an image in the console's own page. Browsers
 * send `Sec-Fetch-Site`, older ones `Origin`, and neither with a GET over plain HTTP: that needs a header that only a
 * script of the console can send, because other sites would need permission by CORS. Browsers never send an access
 * token on their own, so its calls need no check.
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
    throw crossOriginError(WRONG_HOST_ADVICE);
  }
  if (caller !== undefined && headers['x-requested-with'] === undefined) throw crossOriginError();
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
  return host !== undefined && parseUrl(origin)?.host === host;
}

const WRONG_HOST_ADVICE =
  ' If you are in the console, set PUBLIC_URL to its address, or let your proxy forward the header Host.';

function crossOriginError(advice = ''): AppError {
  return new AppError(
    'cross-site',
    `This request must come from the console. A program must send an access token as "Authorization: Bearer TOKEN".${advice}`,
  );
}
