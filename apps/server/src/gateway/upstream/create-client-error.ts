/**
 * Creates the error that the client gets after a failed attempt. An upstream's 401 or 402 concerns the operator's
 * account and must not look like the client's.
 */
import {
  type ClientRequest,
  InvalidRequestError,
  type Target,
  toClientParam,
  type UpstreamError,
} from '@switchyard/relay';
import { formatRetryAdvice, REPORT_ADVICE } from '../../platform/http/app-error.ts';
import type { AttemptResult } from '../http/attempt-result-and-errors.ts';
import { RelayError, toRelayError } from '../http/relay-error.ts';

/** Refused request, and the account to which it was sent. */
interface RefusedRequest {
  request: ClientRequest;
  target: Omit<Target, 'model'>;
}

/** @param asked absent if the request contained nothing from a client */
export function createClientError(
  result: Exclude<AttemptResult, { outcome: 'answered' }>,
  asked?: RefusedRequest,
): RelayError {
  if (result.outcome === 'left') return new RelayError('client_left', 'The client closed the connection.');
  const { error } = result;
  const model = asked?.request.facts.model.slice(0, 80) ?? 'this model';
  if (error.isOverload) return createOverloadError(error, model);
  // Clients resend a request after a 5xx status.
  if (error.isTooLarge) return createUpstreamError(`${error.message} Request less in one response.`, 422, error);
  switch (error.kind) {
    case 'rejected':
      // The gateway refused the request: the upstream's dialect cannot express it.
      if (error.cause instanceof InvalidRequestError) return toRelayError(error.cause);
      return createRefusal(error, asked);
    case 'untranslatable':
      return toRelayError(error.cause);
    case 'rate-limited':
      return new RelayError(
        'upstream_saturated',
        `The providers of ${model} limit the rate of this gateway's requests. ${adviseRetry(error)}`,
        { retryAfterSeconds: retryAfterSeconds(error), cause: error },
      );
    case 'unauthorised':
    case 'out-of-credit': {
      const refusal = `The providers of ${model} refuse the accounts of this gateway; your own account is not the cause.`;
      return createUpstreamError(`${refusal} Send the request ID to the operator.`, 503, error);
    }
    case 'unreachable':
      return isTimeout(error.cause)
        ? createUpstreamError(describeTimeout(error, model), 504, error)
        : createUpstreamError(describeConnectionFailure(error.cause, `provider of ${model}`), 502, error);
    case 'overloaded':
    case 'garbled':
      return createUpstreamError(
        `The provider of ${model} did not return a valid response. Retry. ${REPORT_ADVICE}`,
        502,
        error,
      );
  }
}

function createUpstreamError(message: string, status: number, cause: UpstreamError): RelayError {
  return new RelayError('upstream_error', message, { status, cause });
}

function createOverloadError(error: UpstreamError, model: string): RelayError {
  return new RelayError('upstream_overloaded', `The provider of ${model} is overloaded. ${adviseRetry(error)}`, {
    retryAfterSeconds: retryAfterSeconds(error),
    cause: error,
  });
}

/** Returns the vendor's own message, because the vendor refused what the client wrote. */
function createRefusal(error: UpstreamError, asked: RefusedRequest | undefined): RelayError {
  const { vendor, overflow } = error;
  const param = asked === undefined ? vendor?.param : toClientParam(vendor?.param, asked.request, asked.target);
  return new RelayError(
    overflow === undefined ? 'upstream_rejected' : 'context_length_exceeded',
    vendor?.message ?? error.message,
    { status: toClientStatus(vendor?.status ?? error.status), param, vendor, overflow, cause: error },
  );
}

function describeTimeout({ timeout }: UpstreamError, model: string): string {
  if (timeout === undefined) return `The provider of ${model} did not respond in time. Retry. ${REPORT_ADVICE}`;
  const limit = `${Math.ceil(timeout.limitMs / 1000)} s`;
  switch (timeout.phase) {
    case 'connect':
      return `The connection to the provider of ${model} took more than ${limit}. Retry. ${REPORT_ADVICE}`;
    case 'first-byte':
    case 'first-content':
      return `The provider of ${model} did not respond within ${limit}. Retry, or send a shorter request. ${REPORT_ADVICE}`;
    case 'idle':
      return `The provider of ${model} sent nothing for ${limit}, so the response is incomplete. Retry. ${REPORT_ADVICE}`;
    case 'total':
      return `The response of the provider of ${model} took more than ${limit}. Request less output.`;
  }
}

function adviseRetry(error: UpstreamError): string {
  const seconds = retryAfterSeconds(error);
  return seconds === undefined ? `Retry in a minute. ${REPORT_ADVICE}` : formatRetryAdvice(seconds);
}

/**
 * Returns the time that the provider has named; undefined without one. Vendors' SDKs then retry with their own growing
 * delays: they would retry too early after `Retry-After: 1`, and would block their caller for a minute after 60.
 */
function retryAfterSeconds({ retryAfterMs }: UpstreamError): number | undefined {
  return retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1000));
}

function toClientStatus(status: number): number {
  return status >= 400 && status < 500 && status !== 401 && status !== 402 && status !== 403 ? status : 400;
}

/** Codes of Node and undici in the cause of an `unreachable` error. */
const unconnectedCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const timeoutCodes: ReadonlySet<unknown> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
/** A handshake fails before anything is sent. */
const handshakeCode = /^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|EPROTO$)/;

/** Returns whether the request cannot have reached the upstream. */
export function neverConnected(cause: unknown): boolean {
  return unconnectedCodes.has(errorCode(cause));
}

/** Returns whether the upstream took too long. The gateway's own deadlines have no cause. */
export function isTimeout(cause: unknown): boolean {
  return cause === undefined || timeoutCodes.has(errorCode(cause));
}

/** Returns the error message for the client, which must not reveal the upstream's address. */
export function describeConnectionFailure(cause: unknown, provider = 'provider'): string {
  const code = errorCode(cause);
  const isMade = !unconnectedCodes.has(code) && !(typeof code === 'string' && handshakeCode.test(code));
  return `The connection to the ${provider} ${isMade ? 'was lost' : 'could not be established'}. Retry. ${REPORT_ADVICE}`;
}

function errorCode(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
