/** Authorizes the callers of management routes, and watches their rights while a response runs. */
import type { Route } from '@switchyard/contract/route';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Timers } from '../clock.ts';
import { AppError } from './app-error.ts';
import { authorize } from './authorize.ts';
import type { Caller } from './caller.ts';

/** Interval at which the rights of the caller of a running download or event stream are checked. */
const RIGHTS_CHECK_MS = 500;

export interface AuthorizationOptions {
  timers: Timers;
  /** @param use `check` for a running response, which isn't another use of the session */
  identify(request: FastifyRequest, use?: 'request' | 'check'): Promise<Caller | undefined>;
  address(request: FastifyRequest): string;
  secure(request: FastifyRequest): boolean;
  /** Public origin of the console, besides the request's own host. */
  publicUrl: string | undefined;
  /** Counts a write of a user. @throws AppError `too-many-requests` */
  countWrite(route: Route, caller: Caller | undefined): Promise<void>;
  /** Counts a call of a user, or of an address without a session. @throws AppError `too-many-requests` */
  countCall(address: string, caller?: Caller): void;
}

/** @throws AppError when the caller is not authorized, or exceeds its rate limit */
export async function admitCaller(
  route: Route,
  options: AuthorizationOptions,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const caller = await options.identify(request);
  options.countCall(options.address(request), caller);
  authorizeCall(route, options, request, caller);
  await options.countWrite(route, caller);
  return caller;
}

/** @throws AppError when the caller is not authorized */
export async function authorizeRequest(
  route: Route,
  options: AuthorizationOptions,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const caller = await options.identify(request);
  authorizeCall(route, options, request, caller);
  return caller;
}

function authorizeCall(
  route: Route,
  options: AuthorizationOptions,
  request: FastifyRequest,
  caller: Caller | undefined,
): void {
  const { publicUrl } = options;
  authorize(route, caller, { headers: request.headers, secure: options.secure(request), publicUrl });
}

/**
 * Closes the connection of a running response when its caller loses the right to it. An expired step-up doesn't count.
 * @returns a function that throws if the right was lost before the response began
 */
export function watchRights(
  route: Route,
  options: AuthorizationOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): () => void {
  // A closed response emits no further event that would end the checks.
  if (reply.raw.closed) return () => {};
  const { stepUp: _stepUp, ...demand } = route;
  let isChecking = false;
  let refusal: AppError | undefined;
  const check = async (): Promise<void> => {
    const caller = await options.identify(request, 'check');
    try {
      authorizeCall(demand, options, request, caller);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusal = error;
      if (reply.raw.headersSent) reply.raw.destroy();
    }
  };
  const timer = options.timers.every(RIGHTS_CHECK_MS, () => {
    if (isChecking) return;
    isChecking = true;
    check()
      // The database is unavailable, and the next check decides.
      .catch(() => {})
      .finally(() => {
        isChecking = false;
      });
  });
  reply.raw.once('close', () => timer.close());
  return () => {
    if (refusal === undefined) return;
    timer.close();
    throw refusal;
  };
}
