/** Authorizes callers of management routes, the playground and artifacts. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Right } from '@switchyard/contract/accounts/permissions';
import type { Route } from '@switchyard/contract/route';
import { AppError } from './app-error.ts';
import { type Caller, hasAccess } from './caller.ts';
import { readCookie } from './cookies.ts';
import { checkSameOrigin } from './same-origin.ts';

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
    throw new AppError('not-signed-in', 'Please sign in');
  }
  if (!caller.rights.has(right)) throw new AppError('not-allowed', 'Your role does not allow this');
  if (caller.readOnly && isMutation(demand)) throw new AppError('not-allowed', 'This access token is read-only');
  if (!hasAccess(caller, right))
    throw new AppError('second-factor-needed', 'Your role requires a second factor. Add one in your profile.');
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
  throw new AppError('step-up-required', 'Confirm your identity first');
}
