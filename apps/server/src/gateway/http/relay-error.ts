/**
 * Error of a refused or failed relayed request, with a message that is safe to show. Clients may rely on the code; it
 * is converted to the error format of the client's dialect.
 */
import { type ContextOverflow, InvalidRequestError, type VendorError } from '@switchyard/relay';
import { toUnavailable } from '../../ledger/ledger.ts';
import { AppError, REPORT_ADVICE } from '../../platform/http/app-error.ts';
import { isLocalResourceShortage } from '../../platform/outbound/system-resolver.ts';
import type { RateLimitState } from './rate-limit-headers.ts';

export type RelayErrorCode =
  | 'invalid_request'
  | 'invalid_api_key'
  | 'api_key_expired'
  | 'api_key_disabled'
  | 'address_not_allowed'
  | 'model_not_allowed'
  | 'model_not_found'
  | 'group_not_allowed'
  | 'channel_not_allowed'
  | 'insufficient_user_quota'
  | 'insufficient_token_quota'
  | 'account_blocked'
  | 'rate_limit_exceeded'
  | 'request_too_large'
  | 'unsupported_media_type'
  | 'not_found'
  | 'work_expired'
  | 'no_available_channel'
  | 'channel_cap_reached'
  | 'content_filter'
  | 'content_policy_violation'
  | 'upstream_rejected'
  | 'upstream_error'
  | 'upstream_overloaded'
  | 'context_length_exceeded'
  | 'upstream_saturated'
  | 'client_left'
  | 'previous_response_not_found'
  | 'idempotency_key_reused'
  | 'idempotency_conflict'
  | 'session_expired'
  | 'gateway_stopping'
  | 'overloaded'
  | 'storage_unavailable'
  | 'server_error';

/** HTTP statuses by code, for dialects that define none of their own. */
const statusByCode: Readonly<Record<RelayErrorCode, number>> = {
  invalid_request: 400,
  invalid_api_key: 401,
  api_key_expired: 401,
  api_key_disabled: 401,
  address_not_allowed: 403,
  model_not_allowed: 404,
  model_not_found: 404,
  group_not_allowed: 403,
  channel_not_allowed: 403,
  insufficient_user_quota: 402,
  insufficient_token_quota: 402,
  account_blocked: 403,
  rate_limit_exceeded: 429,
  request_too_large: 413,
  unsupported_media_type: 415,
  not_found: 404,
  work_expired: 410,
  no_available_channel: 503,
  channel_cap_reached: 503,
  content_filter: 400,
  /** Code of OpenAI's image models for a moderated request. */
  content_policy_violation: 400,
  upstream_rejected: 400,
  upstream_error: 502,
  upstream_overloaded: 503,
  context_length_exceeded: 400,
  upstream_saturated: 429,
  /** The client is gone; 499 is customary in logs. */
  client_left: 499,
  previous_response_not_found: 400,
  idempotency_key_reused: 422,
  idempotency_conflict: 409,
  session_expired: 408,
  gateway_stopping: 503,
  overloaded: 503,
  storage_unavailable: 503,
  server_error: 500,
};

const contentCodes: ReadonlySet<RelayErrorCode> = new Set(['content_filter', 'content_policy_violation']);

/** Returns whether the content policy of the gateway ended a request. */
export function isContentRefusal(error: RelayError | undefined): boolean {
  return error !== undefined && contentCodes.has(error.code);
}

/** Returns whether a request is free that the gateway ended with this error before any of its response was sent. */
export function isFreeRefusal(error: RelayError | undefined): boolean {
  return isContentRefusal(error) || error?.code === 'overloaded';
}

export class RelayError extends Error {
  readonly code: RelayErrorCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Limit that refused the request. */
  readonly rateLimitState: RateLimitState | undefined;
  /** Vendor's refusal of the request, for clients that parse the vendor's format. */
  readonly vendor: VendorError | undefined;
  /** Present when the prompt exceeds the model's context. */
  readonly overflow: ContextOverflow | undefined;

  constructor(
    code: RelayErrorCode,
    message: string,
    detail: {
      status?: number;
      param?: string | undefined;
      retryAfterSeconds?: number | undefined;
      rateLimitState?: RateLimitState | undefined;
      vendor?: VendorError | undefined;
      overflow?: ContextOverflow | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: detail.cause });
    this.name = 'RelayError';
    this.code = code;
    this.status = detail.status ?? statusByCode[code];
    this.param = detail.param;
    this.retryAfterSeconds = detail.retryAfterSeconds;
    this.rateLimitState = detail.rateLimitState;
    this.vendor = detail.vendor;
    this.overflow = detail.overflow;
  }
}

/** Ends the requests of a node that has lost its lease, except task submissions, which reserve again. */
export const leaseLostError = new RelayError(
  'gateway_stopping',
  'The gateway was interrupted and stopped this request. Retry.',
);

const RETRY_SECONDS = 5;

/**
 * Returns the error for a connection that failed for lack of the gateway's own resources, not by fault of the
 * upstream.
 */
export function localConnectionError(cause: unknown): RelayError {
  const message = `The gateway cannot open more connections at the moment. Retry in ${RETRY_SECONDS} seconds.`;
  return new RelayError('overloaded', message, { retryAfterSeconds: RETRY_SECONDS, cause });
}

/** Returns the error that a client may see for any thrown value; `server_error` if it was not foreseen. */
export function toRelayError(thrown: unknown): RelayError {
  if (isLocalResourceShortage(thrown)) return localConnectionError(thrown);
  const error = toUnavailable(thrown);
  if (error instanceof RelayError) return error;
  if (error instanceof InvalidRequestError)
    return new RelayError('invalid_request', error.message, { param: error.param });
  if (error instanceof AppError && error.code === 'unavailable')
    return new RelayError('storage_unavailable', error.message.replace(/[^.]$/, '$&.'), {
      retryAfterSeconds: error.retryAfterSeconds,
      cause: error,
    });
  return new RelayError('server_error', `The gateway failed because of an internal error. Retry. ${REPORT_ADVICE}`, {
    cause: error,
  });
}
