import { describe, expect, it } from 'vitest';
import { toDialectError } from './dialect-errors.ts';
import type { VendorError } from './upstream-error.ts';

const clients = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'suno'] as const;

describe('toDialectError', () => {
  it.each([
    ['openai-chat', 429, 'insufficient_quota'],
    ['openai-responses', 429, 'insufficient_quota'],
    ['openai-embeddings', 429, 'insufficient_quota'],
    ['openai-images', 429, 'insufficient_quota'],
    ['anthropic-messages', 402, 'billing_error'],
    ['gemini', 429, undefined],
    ['suno', 402, undefined],
  ] as const)('reports to %s a spent quota with %i and %s', (client, status, type) => {
    for (const code of ['insufficient_user_quota', 'insufficient_token_quota']) {
      const told = toDialectError(client, { status: 402, message: 'm', code });
      expect([told.status, told.type]).toEqual([status, type]);
    }
  });

  it('leaves errors unchanged that are the same in all dialects', () => {
    const error = { status: 400, message: 'm', code: 'invalid_request', param: 'model' };
    for (const client of clients) expect(toDialectError(client, error)).toEqual(error);
  });

  const vendor: VendorError = {
    shape: undefined,
    status: 404,
    message: 'model: claude-none',
    error: {},
    code: '404',
    param: undefined,
    requestId: undefined,
  };

  it.each([
    [{}, 'model_not_found'],
    [{ message: 'No such file' }, 'upstream_rejected'],
    [{ status: 400 }, 'upstream_rejected'],
    [{ code: 'InvalidParameter' }, 'InvalidParameter'],
  ])('finds a code for a refusal in another form: %j is %s', (more, code) => {
    const error = { status: 404, message: 'm', code: 'upstream_rejected', vendor: { ...vendor, ...more } };
    expect(toDialectError('openai-chat', error).code).toBe(code);
  });

  it.each([
    [
      { tokens: undefined, limit: undefined },
      'prompt is too long',
      'The input token count exceeds the maximum number of tokens allowed.',
    ],
    [
      { tokens: undefined, limit: 10 },
      'prompt is too long: the maximum is 10 tokens',
      'The input token count exceeds the maximum number of tokens allowed (10).',
    ],
    [
      { tokens: 12, limit: 10 },
      'prompt is too long: 12 tokens > 10 maximum',
      'The input token count (12) exceeds the maximum number of tokens allowed (10).',
    ],
  ])('writes an overflow of %j', (overflow, anthropic, google) => {
    const error = { status: 400, message: 'm', overflow };
    expect(toDialectError('anthropic-messages', error).message).toBe(anthropic);
    expect(toDialectError('gemini', error).message).toBe(google);
    expect(toDialectError('openai-chat', error)).toMatchObject({ code: 'context_length_exceeded', param: 'messages' });
    expect(toDialectError('openai-responses', error).param).toBe('input');
  });

  it('keeps only vendor messages that the dialect’s agents recognize', () => {
    const overflow = { tokens: undefined, limit: undefined };
    const told = (message: string) =>
      toDialectError('anthropic-messages', {
        status: 400,
        message,
        overflow,
        vendor: { ...vendor, shape: 'anthropic', error: { type: 'invalid_request_error', message } },
      });
    const known = 'input length and `max_tokens` exceed context limit: 9 + 3 > 10';
    expect(told(known).rawError).toMatchObject({ message: known });
    expect(told('Your request exceeded model token limit')).toMatchObject({
      rawError: undefined,
      message: 'prompt is too long',
    });
  });
});
