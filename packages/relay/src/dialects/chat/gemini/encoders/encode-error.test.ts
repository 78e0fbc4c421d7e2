import { expect, it } from 'vitest';
import { encodeGeminiError, encodeGeminiStreamError } from './encode-error.ts';

it('writes the status in Google’s words, the reason and the field', () => {
  expect(
    JSON.parse(encodeGeminiError({ status: 400, message: 'No.', code: 'invalid_request', param: 'contents' })),
  ).toEqual({
    error: {
      code: 400,
      message: 'No.',
      status: 'INVALID_ARGUMENT',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'INVALID_REQUEST' },
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'contents', description: 'No.' }],
        },
      ],
    },
  });
  expect(JSON.parse(encodeGeminiError({ status: 599, message: 'x' })).error).toEqual({
    code: 599,
    message: 'x',
    status: 'INTERNAL',
  });
});

it('encodes a stream error as its own event', () => {
  const detail = { status: 503, message: 'Busy.' };
  expect(encodeGeminiStreamError(detail)).toBe(`data: ${encodeGeminiError(detail)}\r\n\r\n`);
});
