import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sampleTarget } from '../testing/sample-requests.ts';
import { parseAccountReset } from './account-error-messages.ts';
import { readEmbeddedError, readError } from './read-upstream-error.ts';
import type { UpstreamError } from './upstream-error.ts';

const target = sampleTarget('custom');

function read(status: number, body: unknown): UpstreamError {
  return readError(target, status, {}, Buffer.from(JSON.stringify(body)));
}

function anthropic(message: string, fields: Record<string, unknown> = {}): unknown {
  return { type: 'error', error: { type: 'invalid_request_error', message, ...fields } };
}

const outOfCredit = [
  'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
  'You have reached your specified API usage limits. You will regain access on 2027-02-01 at 00:00 UTC.',
  'You have reached your specified workspace API usage limits. You will regain access on 2027-02-01 at 00:00 UTC.',
  'Billing hard limit has been reached.',
  'Your account is not active, please check your billing details on our website.',
  'Insufficient Balance',
  'insufficient balance (1008)',
  'Insufficient account balance. Please recharge.',
  'Insufficient credits. Add more using https://example.org',
  'This request requires more credits, or fewer max_tokens.',
  'Inactive subscription or usage limit reached. Please check your plan.',
  'Your team 5d0-ab has either used all available credits or reached its monthly spending limit.',
  'Your newly created team doesn’t have any credits yet.',
  'Your account org-a1 <ak-b2> is suspended, please check your plan and billing details',
  'Account acme is suspended, possibly due to reaching the monthly spending limit',
  'Sorry, your account balance is insufficient',
  'Access denied, please make sure your account is in good standing.',
  'The request failed because your account has an overdue balance.',
  'Credit limit exceeded, please add credits.',
  'You have exceeded your monthly included credits for Inference Providers.',
  'Gemini API free tier is not available in your country. Please enable billing on your project.',
  'This API method requires billing to be enabled. Please enable billing on project 12.',
  'Billing is disabled for this project.',
  '余额不足或无可用资源包,请充值。',
  '用户额度不足, 剩余额度: 0',
];
const refused = [
  'This organization has been disabled.',
  'Your organization has been disabled.',
  'This API key has been disabled.',
  'Incorrect API key provided: sk-…',
  'Operation not allowed',
  'Your account is not authorized to invoke this API operation.',
  'API key expired. Please renew the API key.',
  'API Key not found. Please pass a valid API key.',
  'API key not valid. Please pass a valid API key.',
  'Your API key was reported as leaked. Please use another API key.',
  'User location is not supported for the API use.',
  'Invalid API Key',
  'Organization has been restricted. Please reach out to support.',
  'Authentication Fails (no such user)',
  'Your account has been blocked.',
  'The security token included in the request is expired',
  '令牌已过期或验证不正确',
];

describe('a message about the account', () => {
  const rows = [
    ...outOfCredit.map((message) => [message, 'out-of-credit'] as const),
    ...refused.map((message) => [message, 'unauthorised'] as const),
  ];

  it.each(rows)('blames the account for the message: %s', (message, kind) => {
    for (const status of [400, 403, 429]) expect(read(status, anthropic(message)).kind).toBe(kind);
    expect(read(400, { code: 'invalid-argument', error: message }).kind).toBe(kind);
    expect(read(400, { error: { code: 400, message, status: 'FAILED_PRECONDITION' } }).kind).toBe(kind);
    expect(readEmbeddedError(anthropic(message), target).kind).toBe(kind);
  });

  it.each(rows)('never blames the account for a text that a client could have written: %s', (message) => {
    for (const status of [400, 404, 422]) {
      expect(read(status, anthropic(`tools.0.name: ${message}`)).kind).toBe('rejected');
      expect(read(status, anthropic(`'${message}' is not a model`)).kind).toBe('rejected');
      expect(read(status, anthropic(message, { param: 'user' })).kind).toBe('rejected');
      expect(read(status, anthropic(message, { code: 'invalid_value' })).kind).toBe('rejected');
    }
    for (const status of [404, 413, 422]) expect(read(status, anthropic(message)).kind).toBe('rejected');
    expect(readEmbeddedError(anthropic(message, { param: 'user' }), target).kind).toBe('rejected');
    expect(readEmbeddedError({ type: 'error', code: 'invalid_value', message, param: 'input' }, target).kind).toBe(
      'rejected',
    );
  });
});

describe('the date on which an account regains access', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 20, 12) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const limit = 'You have reached your specified API usage limits. You will regain access on';
  const day = 24 * 60 * 60 * 1000;

  it.each([
    [`${limit} 2026-11-21 at 12:00 UTC.`, day],
    [`${limit} 2026-12-01 at 00:00 UTC.`, 10.5 * day],
    [`${limit} 2026-12-01T06:30:00Z`, 10.5 * day + 6.5 * 60 * 60 * 1000],
    [`${limit} 2026-12-01.`, 10.5 * day],
    [`${limit} 2026-11-01 at 00:00 UTC.`, 0],
    [`${limit} 2099-01-01 at 00:00 UTC.`, 32 * day],
    [`${limit} 2026-13-41 at 00:00 UTC.`, undefined],
    [`${limit} 2026-12-01 at 00:00.`, undefined],
    [`${limit} Monday.`, undefined],
    ['Your prompt says: you will regain access on 2026-12-01 at 00:00 UTC.', undefined],
  ])('reads the channel’s wait from the message: %s', (message, milliseconds) => {
    expect(parseAccountReset(message)).toBe(milliseconds);
    expect(read(400, anthropic(message)).retryAfterMs).toBe(milliseconds);
    expect(readEmbeddedError(anthropic(message), target).retryAfterMs).toBe(milliseconds);
  });

  it('ignores the date in a message about a field of the request', () => {
    const message = `${limit} 2026-12-01 at 00:00 UTC.`;
    expect(read(400, anthropic(message, { param: 'user' })).retryAfterMs).toBeUndefined();
  });
});
