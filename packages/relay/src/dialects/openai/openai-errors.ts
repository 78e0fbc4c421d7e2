import type { JsonObject } from '../../json/json.ts';
import type { ErrorDetail } from '../../model/dialect.ts';

/** The type that OpenAI gives by status when the cause has none of its own. */
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

/** Never followed by `[DONE]`, which would tell the client that the answer is complete. */
export function encodeOpenaiStreamError(error: ErrorDetail): string {
  return `data: ${encodeOpenaiError(error)}\n\n`;
}
