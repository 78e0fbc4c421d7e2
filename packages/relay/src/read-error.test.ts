import { describe, expect, it } from 'vitest';
import { fixture } from './fixture.ts';
import { readError } from './read-error.ts';
import { sampleTarget } from './samples.ts';
import type { UpstreamError } from './upstream-error.ts';

function read(status: number, body: unknown, headers: Record<string, string> = {}): UpstreamError {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
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
    [400, { code: 'invalid-argument', error: 'Incorrect API key provided: xx' }, 'unauthorised'],
    [400, { error: { message: 'too long', code: 'context_length_exceeded' } }, 'rejected'],
    [422, { detail: [{ msg: 'field required' }] }, 'rejected'],
    [404, { error: { message: 'no such model', code: 'model_not_found' } }, 'rejected'],
    [404, '<html>nginx</html>', 'garbled'],
    [404, fixture('azure/error-deployment.json'), 'garbled'],
    [500, '', 'overloaded'],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    [302, '', 'garbled'],
  ])('%i %o is %s', (status, body, kind) => {
    expect(read(status, body)).toMatchObject({ kind, status });
  });

  it.each([
    [{ error: { message: 'one' } }, 'one'],
    [{ error: 'two' }, 'two'],
    [{ message: 'three' }, 'three'],
    [{ detail: 'four' }, 'four'],
    [{ detail: [{ msg: 'five' }] }, 'five'],
    [{ success: false, errors: [{ code: 7003, message: 'six' }] }, 'six'],
    ['seven', 'seven'],
    ['', 'The upstream answered 400.'],
  ])('finds the message in %o', (body, message) => {
    expect(read(400, body).message).toBe(message);
  });

  it('leaves words about keys alone', () => {
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
  ])('reads how long to wait from %o', (headers, milliseconds) => {
    expect(read(429, '', headers).retryAfterMs).toBe(milliseconds);
  });

  it('lets a vendor know better', () => {
    const { provider } = sampleTarget('custom');
    const target = sampleTarget('custom', { provider: { ...provider, readError: () => 'rate-limited' } });
    expect(readError(target, 400, {}, Buffer.from('{}')).kind).toBe('rate-limited');
  });
});
