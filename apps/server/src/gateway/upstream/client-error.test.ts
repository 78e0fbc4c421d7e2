import { expect, it } from 'vitest';
import { describeConnectionFailure, isTimeout, neverConnected } from './client-error.ts';

const failure = (code: string): Error => Object.assign(new Error('10.0.0.7:443'), { code });
const lost = 'The connection to the upstream was lost.';
const notMade = 'The connection to the upstream could not be established.';

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
  expect(describeConnectionFailure(failure(code))).toBe(words);
});

it.each(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])(
  '%s is a timeout',
  (code) => {
    expect(isTimeout(failure(code))).toBe(true);
  },
);

it('takes a deadline of the gateway for a timeout', () => {
  expect(isTimeout(undefined)).toBe(true);
  expect(isTimeout(new Error('closed'))).toBe(false);
});
