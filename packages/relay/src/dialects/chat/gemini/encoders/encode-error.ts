import type { ErrorDetail } from '../../../../model/dialect.ts';

/** https://cloud.google.com/apis/design/errors: the status words of `google.rpc.Code` by HTTP status. */
const statusWords: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function encodeGeminiError({ rawError, status, message, code, param }: ErrorDetail): string {
  if (rawError !== undefined) return JSON.stringify({ error: rawError });
  const details = [
    ...(code === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code.toUpperCase() }]),
    ...(param === undefined
      ? []
      : [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: param, description: message }],
          },
        ]),
  ];
  const word = statusWords[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');
  return JSON.stringify({ error: { code: status, message, status: word, ...(details.length > 0 && { details }) } });
}

export function encodeGeminiStreamError(error: ErrorDetail): string {
  return `data: ${encodeGeminiError(error)}\r\n\r\n`;
}
