import type { JsonObject } from '../../json/json.ts';
import type { ErrorDetail } from '../../model/dialect.ts';

/** Returns OpenAI's error type for a status, for errors without their own. */
function errorType(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  if (status === 402) return 'insufficient_quota';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export function buildOpenaiError({ rawError, status, message, type, param, code }: ErrorDetail): JsonObject {
  return rawError ?? { message, type: type ?? errorType(status), param: param ?? null, code: code ?? null };
}

export function encodeOpenaiError(error: ErrorDetail): string {
  return JSON.stringify({ error: buildOpenaiError(error) });
}

/** Encodes a stream error. `[DONE]` must not follow, because it would mark the response as complete. */
export function encodeOpenaiStreamError(error: ErrorDetail): string {
  return `data: ${encodeOpenaiError(error)}\n\n`;
}
