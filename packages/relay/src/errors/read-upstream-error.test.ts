import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { fixture, sampleTarget } from '../testing/sample-requests.ts';
import { readError } from './read-upstream-error.ts';
import type { UpstreamError } from './upstream-error.ts';

function read(status: number, body: unknown, headers: Record<string, string> = {}): UpstreamError {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return readError(sampleTarget('custom'), status, headers, bytes);
}

describe('readError', () => {
  it.each([
    [429, { error: { message: 'slow down', type: 'requests', code: 'rate_limit_exceeded' } }, 'rate-limited'],
    [429, fixture('openai/error-quota.json'), 'out-of-credit'],
    [408, '', 'rate-limited'],
    [401, fixture('openai/error-key.json'), 'unauthorised'],
    [403, { error: { message: 'no', type: 'permission_error' } }, 'unauthorised'],
    [402, '', 'out-of-credit'],
    [400, fixture('anthropic/error-credit.json'), 'out-of-credit'],
    [400, fixture('gemini/error-key.json'), 'unauthorised'],
    [429, fixture('gemini/error-quota.json'), 'rate-limited'],
    [400, { code: 'invalid-argument', error: 'Incorrect API key provided: xx' }, 'unauthorised'],
    [400, { error: { message: 'too long', code: 'context_length_exceeded' } }, 'rejected'],
    [422, { detail: [{ msg: 'field required' }] }, 'rejected'],
    [404, { error: { message: 'no such model', code: 'model_not_found' } }, 'rejected'],
    [404, '<html>nginx</html>', 'garbled'],
    [404, fixture('azure/error-deployment.json'), 'garbled'],
    [500, '', 'overloaded'],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    [302, '', 'garbled'],
  ])('classifies %i %o as %s', (status, body, kind) => {
    expect(read(status, body)).toMatchObject({ kind, status });
  });

  it.each([
    ['xai', 403, 'Content violates usage guidelines.', 'fee'],
    ['xai', 400, 'Generated image rejected by content moderation.', 'result'],
    ['replicate', 200, 'NSFW content detected.', 'fee'],
    ['replicate', 200, 'Out of memory', undefined],
    ['replicate', 422, 'NSFW is no option', undefined],
  ])('reads what %s bills with %i and "%s"', (provider, status, error, billing) => {
    const body = Buffer.from(JSON.stringify({ error }));
    expect(readError(sampleTarget(provider), status, {}, body).billing).toBe(billing);
  });

  it('searches for messages where they may be, within bounded time', () => {
    const readCpuMs = startCpuTimer();
    expect(read(500, `{"error":[${'1,'.repeat(1_000_000)}{"msg":"x"}]}`).message).toBe('x');
    expect(readCpuMs()).toBeLessThan(2_000);
  });

  const tooLarge =
    'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 60000. ' +
    'The input or output tokens must be reduced in order to run successfully.';
  const flagged = 'Your chosen model requires moderation and your input was flagged';
  it.each([
    [
      'OpenAI’s limit by the minute',
      429,
      { error: { message: tooLarge, type: 'tokens', code: 'rate_limit_exceeded' } },
    ],
    [
      'Groq’s',
      413,
      { error: { message: 'Request too large for model `l`', type: 'tokens', code: 'rate_limit_exceeded' } },
    ],
    ['OpenRouter’s moderation', 403, { error: { code: 403, message: flagged, metadata: { reasons: ['violence'] } } }],
    [
      'xAI’s moderation',
      403,
      { code: 'permission-denied', error: 'Content violates usage guidelines. Failed check: X' },
    ],
    ['a refusal that xAI bills', 403, { code: 'forbidden', error: 'No.', usage: { cost_in_usd_ticks: 1 } }],
    ['OpenRouter’s moderation', 403, { error: { code: 403, message: flagged, metadata: { flagged_input: '…' } } }],
    ['Azure’s content filter', 400, { error: { code: 'content_filter', message: 'filtered', status: 400 } }],
    [
      'OpenAI’s policy',
      403,
      { error: { code: 'content_policy_violation', message: 'no', type: 'image_generation_user_error' } },
    ],
    [
      'Anthropic’s size',
      413,
      { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    ],
  ])('blames the client for %s, under %i', (_, status, body) => {
    expect(read(status, body).kind).toBe('rejected');
  });

  it('gives an oversized request no status that clients would retry', () => {
    expect(read(429, { error: { message: tooLarge, code: 'rate_limit_exceeded' } }).status).toBe(413);
    expect(read(429, { error: { message: 'slow down' } }).status).toBe(429);
  });

  it.each([
    [
      'OpenAI',
      {
        error: {
          message: 'Invalid value: %. Supported values are: low',
          type: 'invalid_request_error',
          param: 'reasoning_effort',
          code: 'invalid_value',
        },
      },
    ],
    [
      'OpenAI, without param',
      { error: { message: 'Invalid value: %', type: 'invalid_request_error', param: null, code: null } },
    ],
    [
      'Anthropic',
      { type: 'error', error: { type: 'invalid_request_error', message: 'tools.0.custom.name: % is not a name' } },
    ],
    ['xAI', { code: 'invalid-argument', error: 'Unknown model: %' }],
    ['Mistral', { detail: [{ msg: 'Input should be a number, not %' }] }],
    ['a vendor that begins with it', { error: { message: '%', type: 'invalid_request_error', param: 'user' } }],
  ])('does not blame the account for %s, regardless of repeated client values', (_, body) => {
    const words = [
      'invalid api key',
      'insufficient balance',
      'Incorrect API key provided: x',
      'Your credit balance is too low to access the Anthropic API.',
      'You exceeded your current quota',
    ];
    for (const status of [400, 404, 413, 422]) {
      for (const word of words) {
        const text = JSON.stringify(body).replaceAll('%', `'${word}'`);
        expect(read(status, text).kind).toBe('rejected');
        expect(read(status, JSON.stringify(body).replaceAll('%', word)).kind).toBe('rejected');
      }
    }
  });

  it.each([
    [
      'Moonshot',
      429,
      { error: { message: 'Your account is suspended', type: 'exceeded_current_quota_error' } },
      'out-of-credit',
    ],
    ['DeepSeek', 402, { error: { message: 'Insufficient Balance', code: 'invalid_request_error' } }, 'out-of-credit'],
    ['Mistral', 401, { detail: 'Invalid API Key' }, 'unauthorised'],
    [
      'Gemini',
      400,
      [
        {
          error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
        },
      ],
      'unauthorised',
    ],
    [
      'Gemini',
      429,
      [{ error: { code: 429, message: 'You exceeded your current quota', status: 'RESOURCE_EXHAUSTED' } }],
      'rate-limited',
    ],
    [
      'OpenAI',
      403,
      { error: { code: 'unsupported_country_region_territory', message: 'no', type: 'request_forbidden' } },
      'unauthorised',
    ],
    ['Azure', 429, { error: { code: 'RateLimitReached', message: 'retry after 5 seconds' } }, 'rate-limited'],
  ])('classifies by %s the code %i', (_, status, body, kind) => {
    expect(read(status, body).kind).toBe(kind);
  });

  it.each([
    [{ error: { message: 'one' } }, 'one'],
    [[{ error: { message: 'in a list' } }], 'in a list'],
    [{ error: 'two' }, 'two'],
    [{ message: 'three' }, 'three'],
    [{ detail: 'four' }, 'four'],
    [{ detail: [{ msg: 'five' }] }, 'five'],
    [{ success: false, errors: [{ code: 7003, message: 'six' }] }, 'six'],
    ['seven', 'seven'],
  ])('finds the message in %o', (body, message) => {
    expect(read(400, body).message).toBe(message);
  });

  it.each([
    ['', ''],
    ['<html>\n<head><title>413 Request Entity Too Large</title></head>', ' (Request Entity Too Large)'],
    ['<!DOCTYPE html><p>Sorry', ''],
  ])('does not show clients a page as the vendor’s reason: %s', (body, title) => {
    const error = read(413, body);
    expect(error.vendor).toBeUndefined();
    expect(error.message).toBe(
      `The upstream returned status 413${title}. Check the fields of the request. If they are right, send the request ID to the operator.`,
    );
    expect(read(502, body).message).toBe(`The upstream returned status 502${title}.`);
  });

  it('leaves texts about keys unchanged', () => {
    const message = 'Incorrect API key provided: see key-management or key_not_found';
    expect(read(401, { error: { message } }).message).toBe(message);
  });

  it('never repeats a key', () => {
    const message = 'bad keys: sample-secret-key, sk-proj-abcdef123456, Bearer abcdefghij, sk-abcd****wxyz';
    expect(read(401, { error: { message } }).message).toBe('bad keys: [key], [key], [key], [key]');
  });

  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '7', 'retry-after-ms': '150' }, 150],
    [{ 'retry-after': new Date(Date.now() - 5_000).toUTCString() }, 0],
    [{ 'retry-after': '99999999' }, 86_400_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads the wait from %o', (headers, milliseconds) => {
    expect(read(429, '', headers).retryAfterMs).toBe(milliseconds);
  });

  it('reads the retry delay from Google’s error body', () => {
    expect(read(429, fixture('gemini/error-quota.json')).retryAfterMs).toBe(34_400);
    const odd = { error: { details: [{ retryDelay: 'soon' }, { retryDelay: 5 }, null] } };
    expect(read(429, odd).retryAfterMs).toBeUndefined();
  });

  it('prefers the vendor’s own classification', () => {
    const { provider } = sampleTarget('custom');
    const target = sampleTarget('custom', { provider: { ...provider, readError: () => 'rate-limited' } });
    expect(readError(target, 400, {}, Buffer.from('{}')).kind).toBe('rate-limited');
  });
});
