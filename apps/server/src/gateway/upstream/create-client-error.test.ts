import { createChatTest, UpstreamError } from '@switchyard/relay';
import { expect, it } from 'vitest';
import { AppError } from '../../platform/http/app-error.ts';
import { sampleChannel } from '../../testing/routing-samples.ts';
import { toRelayError } from '../http/relay-error.ts';
import { createClientError, describeConnectionFailure, isTimeout, neverConnected } from './create-client-error.ts';

const failure = (code: string): Error => Object.assign(new Error('10.0.0.7:443'), { code });
const lost =
  'The connection to the provider of x was lost. Retry. If it fails again, send the request ID to the operator.';
const notMade =
  'The connection to the provider of x could not be established. Retry. If it fails again, send the request ID to the operator.';

it.each([
  ['ECONNRESET', false, lost],
  ['EPIPE', false, lost],
  ['UND_ERR_SOCKET', false, lost],
  ['ECONNREFUSED', true, notMade],
  ['ENOTFOUND', true, notMade],
  ['EAI_AGAIN', true, notMade],
  ['CERT_HAS_EXPIRED', false, notMade],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', false, notMade],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false, notMade],
])('%s is no timeout', (code, isUnsent, words) => {
  expect(isTimeout(failure(code))).toBe(false);
  expect(neverConnected(failure(code))).toBe(isUnsent);
  expect(describeConnectionFailure(failure(code), 'provider of x')).toBe(words);
});

it.each(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])(
  '%s is a timeout',
  (code) => {
    expect(isTimeout(failure(code))).toBe(true);
  },
);

const asked = { request: createChatTest('gpt-4o'), target: sampleChannel(1).target };
const limited = "The providers of gpt-4o limit the rate of this gateway's requests.";
const overloaded = 'The provider of gpt-4o is overloaded.';
const account = 'The providers of gpt-4o refuse the accounts of this gateway; your own account is not the cause.';
const retry = 'Retry. If it fails again, send the request ID to the operator.';
const later = 'Retry in a minute. If it fails again, send the request ID to the operator.';
const invalid = 'The provider of gpt-4o did not return a valid response.';

it.each([
  ['rate-limited', { retryAfterMs: 1_500 }, `${limited} Retry in 2 seconds.`],
  ['rate-limited', {}, `${limited} ${later}`],
  ['overloaded', { isOverload: true, retryAfterMs: 7_000 }, `${overloaded} Retry in 7 seconds.`],
  ['rate-limited', { retryAfterMs: 1_000 }, `${limited} Retry in 1 second.`],
  ['rate-limited', { retryAfterMs: 120_000 }, `${limited} Retry in 120 seconds.`],
  ['rate-limited', { retryAfterMs: 597_000 }, `${limited} Retry in 10 minutes.`],
  ['overloaded', { isOverload: true }, `${overloaded} ${later}`],
  ['out-of-credit', {}, `${account} Send the request ID to the operator.`],
  ['unreachable', {}, `The provider of gpt-4o did not respond in time. ${retry}`],
  [
    'unreachable',
    { timeout: { phase: 'connect', limitMs: 9_500 } },
    `The connection to the provider of gpt-4o took more than 10 s. ${retry}`,
  ],
  [
    'unreachable',
    { timeout: { phase: 'first-content', limitMs: 120_000 } },
    'The provider of gpt-4o did not respond within 120 s. Retry, or send a shorter request. If it fails again, send the request ID to the operator.',
  ],
  [
    'unreachable',
    { timeout: { phase: 'idle', limitMs: 60_000 } },
    `The provider of gpt-4o sent nothing for 60 s, so the response is incomplete. ${retry}`,
  ],
  [
    'unreachable',
    { timeout: { phase: 'total', limitMs: 600_000 } },
    'The response of the provider of gpt-4o took more than 600 s. Request less output.',
  ],
  ['unreachable', { cause: failure('ECONNRESET') }, `The connection to the provider of gpt-4o was lost. ${retry}`],
  ['garbled', {}, `${invalid} ${retry}`],
] as const)(
  'names the model, the delay as in Retry-After and the remedy of a failure: %s %j',
  (kind, detail, message) => {
    const error = new UpstreamError(kind, 'the words of 10.0.0.7', { status: 500, ...detail });
    const nothingRead = { meter: undefined, isDelivered: false, firstContentAt: 0, unsupportedFields: [] };
    const result = { outcome: 'failed', error, status: 500, ...nothingRead } as const;
    const created = createClientError(result, asked);
    expect(created.message).toBe(message);
    const retryAfterMs = 'retryAfterMs' in detail ? detail.retryAfterMs : undefined;
    expect(created.retryAfterSeconds).toBe(retryAfterMs && Math.ceil(retryAfterMs / 1000));
    expect(createClientError(result).message).not.toMatch(/undefined|10\.0\.0\.7/);
  },
);

it.each(['The storage failed', 'The storage failed. Retry.'])(
  'ends the message of a failed storage with one period: %s',
  (message) => {
    const { code, message: shown } = toRelayError(new AppError('unavailable', message));
    expect([code, shown]).toEqual(['storage_unavailable', `${message.replace(/\.$/, '')}.`]);
  },
);

it('takes a deadline of the gateway for a timeout', () => {
  expect(isTimeout(undefined)).toBe(true);
  expect(isTimeout(new Error('closed'))).toBe(false);
});

it('names the limit that a response exceeds', () => {
  const nothingRead = { meter: undefined, isDelivered: false, firstContentAt: 0, unsupportedFields: [] };
  const error = new UpstreamError('garbled', 'The upstream sent an event that is too large.', {
    status: 200,
    isTooLarge: true,
  });
  const { status, message } = createClientError({ outcome: 'failed', error, status: 200, ...nothingRead }, asked);
  expect([status, message]).toEqual([422, `${error.message} Request less in one response.`]);
});
