import type { ErrorDetail } from '../../../../model/dialect.ts';

/** Documented error type for each status. */
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

/** Encodes an error; another dialect's type is replaced by the type for the status. */
export function encodeAnthropicError(error: ErrorDetail): string {
  const { rawError, vendor } = error;
  if (rawError !== undefined) return JSON.stringify({ type: 'error', error: rawError, request_id: vendor?.requestId });
  const fallback = error.status >= 500 ? 'api_error' : 'invalid_request_error';
  const isOwn = error.type !== undefined && knownTypes.has(error.type);
  const type = isOwn ? error.type : (typeByStatus[error.status] ?? fallback);
  return JSON.stringify({ type: 'error', error: { type, message: error.message } });
}

/** Encodes a stream error. The official client ignores events without an `event:` line. */
export function encodeAnthropicStreamError(error: ErrorDetail): string {
  return `event: error\ndata: ${encodeAnthropicError(error)}\n\n`;
}
