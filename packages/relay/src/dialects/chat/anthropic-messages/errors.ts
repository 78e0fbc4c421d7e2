import type { ErrorDetail } from '../../../model/format.ts';

/** The documented type for each status. */
const typeByStatus: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const knownTypes = new Set(['api_error', ...Object.values(typeByStatus)]);

/** A type of another dialect gives way to the one for the status. */
export function encodeAnthropicError(error: ErrorDetail): string {
  const { own, vendor } = error;
  if (own !== undefined) return JSON.stringify({ type: 'error', error: own, request_id: vendor?.requestId });
  const fallback = error.status >= 500 ? 'api_error' : 'invalid_request_error';
  const isOwn = error.type !== undefined && knownTypes.has(error.type);
  const type = isOwn ? error.type : (typeByStatus[error.status] ?? fallback);
  return JSON.stringify({ type: 'error', error: { type, message: error.message } });
}

/** The official client ignores events without their `event:` line. */
export function encodeAnthropicStreamError(error: ErrorDetail): string {
  return `event: error\ndata: ${encodeAnthropicError(error)}\n\n`;
}
