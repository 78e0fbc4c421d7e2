import { describe, expect, test } from 'vitest';
import { createAuthenticate, parseBearer } from './authenticate-api-key.ts';

describe('credentialsIn', () => {
  test.each([
    ['Bearer sk-1', 'sk-1'],
    ['bearer sk-1', 'sk-1'],
    ['BEARER sk-1', 'sk-1'],
    ['bEaReR   sk-1', 'sk-1'],
    [' Bearer\tsk-1 ', 'sk-1'],
    ['sk-1', 'sk-1'],
    ['bearer-of-news', 'bearer-of-news'],
    ['Bearer', ''],
    ['bearer ', ''],
    ['', ''],
    [undefined, undefined],
  ])('reads the header %j as the credentials %j', (header, credentials) => {
    expect(parseBearer(header)).toBe(credentials);
  });
});

test.each([
  ['sk-sy0123456789wxyz', 'The token …wxyz is unknown. Check its key, or create a new token.'],
  ['sk-short', 'The token is unknown. Check its key, or create a new token.'],
])('names only the end of the unknown key %s, and the remedy', (key, message) => {
  const snapshot = { keyByHash: () => undefined, user: () => undefined };
  const authenticate = createAuthenticate({ fingerprint: () => 'hash' }, snapshot, () => false);
  const refused = expect.objectContaining({ code: 'invalid_api_key', message });
  expect(() => authenticate({ headers: { 'x-api-key': key } })).toThrow(refused);
});

test.each([
  ['letters', 'x'.repeat(12_000)],
  ['dashes', '-'.repeat(12_000)],
  ['a channel behind it', `sk-a#${'1'.repeat(12_000)}`],
])('a key that is longer than any of ours, with %s, is refused before it is hashed', (_name, key) => {
  let hashes = 0;
  const fingerprint = (): string => `hash ${(hashes += 1)}`;
  const snapshot = { keyByHash: () => undefined, user: () => undefined };
  const authenticate = createAuthenticate({ fingerprint }, snapshot, () => false);
  const refused = expect.objectContaining({ code: 'invalid_api_key' });
  expect(() => authenticate({ headers: { 'x-api-key': key } })).toThrow(refused);
  expect(hashes).toBe(0);
  expect(() => authenticate({ headers: { 'x-api-key': 'sk-short' } })).toThrow(refused);
  expect(hashes).toBeGreaterThan(0);
});
