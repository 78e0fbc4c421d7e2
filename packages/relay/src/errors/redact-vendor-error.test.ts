import { describe, expect, it } from 'vitest';
import { createRedactor } from './redact-keys.ts';
import { readVendorError } from './redact-vendor-error.ts';

const none = createRedactor({ keys: [], locations: [] });
const facts = { status: 400, message: 'm', code: undefined, param: undefined };
const read = (body: unknown) => readVendorError(body, facts, none);
const openai = { message: 'm', type: 't', param: 'p', code: 'c', more: { deep: [1] } };
const google = { code: 400, message: 'm', status: 'INVALID_ARGUMENT', details: [{ reason: 'x' }] };

describe('readVendorError', () => {
  it.each([
    ['OpenAI', { error: openai }, 'openai', openai],
    ['OpenRouter', { error: { message: 'm', code: 400 }, user_id: 'u' }, 'openai', { message: 'm', code: 400 }],
    ['vLLM', { object: 'error', ...openai }, 'openai', { message: 'm', type: 't', param: 'p', code: 'c' }],
    [
      'a stream of Responses',
      { type: 'error', message: 'm', code: 'c', sequence_number: 3 },
      'openai',
      { type: 'invalid_request_error', message: 'm', param: null, code: 'c' },
    ],
    ['Anthropic', { type: 'error', error: { type: 't', message: 'm' } }, 'anthropic', { type: 't', message: 'm' }],
    ['Google', { error: google }, 'google', google],
    ['Google, in a list', [{ error: google }], 'google', google],
    ['Bedrock', { message: 'm' }, undefined, {}],
    ['xAI', { code: 'x', error: 'm' }, undefined, {}],
    ['nobody', 'm', undefined, {}],
  ])('reads the error of %s', (_vendor, body, shape, error) => {
    expect(read(body)).toMatchObject({ shape });
    expect(read(body).error).toEqual(error);
  });

  it('keeps only the essential fields of a huge, deep or wide error', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 50; level += 1) deep = [deep];
    const texts = Array.from({ length: 1_000 }, () => '');
    for (const more of [deep, 'x'.repeat(100_000), texts, Object.fromEntries(texts.map((_, nth) => [nth, nth]))])
      expect(read({ error: { ...openai, more } }).error).toEqual({ message: 'm', type: 't', param: 'p', code: 'c' });
  });

  it('removes keys and account data at any depth', () => {
    const redact = createRedactor({ keys: ['sk-1234567890abcdef'], locations: [] });
    const error = {
      ...openai,
      message: 'no sk-1234567890abcdef',
      more: [{ raw: 'org-77Abc91', 'sk-1234567890abcdef': 1 }],
    };
    const text = JSON.stringify(readVendorError({ error }, { ...facts, message: error.message }, redact).error);
    expect(text).not.toMatch(/1234567890|77Abc/);
  });
});
