import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { expect, test } from 'vitest';
import { redactText, redactValue } from './redact-secrets.ts';

test('removes the credentials of an address with any scheme', () => {
  for (const scheme of ['http', 'socks5h', 'postgres+ssl'])
    expect(redactText(`via ${scheme}://me:p4ss@host:1/x`)).toBe(`via ${scheme}://[redacted]@host:1/x`);
});

test.each([
  ['letters', 'a'.repeat(500_000)],
  ['the beginnings of addresses', 'a://'.repeat(100_000)],
  ['the beginnings of queries', '?key-'.repeat(100_000)],
  ['names of secrets', 'api_key'.repeat(80_000)],
  ['dashes before a name', '-'.repeat(500_000)],
  ['a name and quotes', `api_key${'"'.repeat(500_000)}`],
  ['a word for a key and blanks', `Bearer${' '.repeat(500_000)}`],
])('half a megabyte of %s is looked through in no time', (_what, text) => {
  const readCpuMs = startCpuTimer();
  redactText(text);
  expect(readCpuMs()).toBeLessThan(500);
});

test.each([
  ['x-api-key: abcdef0123456789', 'x-api-key: [redacted]'],
  ['{"api_key":"abcdef0123456789","model":"m"}', '{"api_key":"[redacted]","model":"m"}'],
  ['"{\\"client_secret\\":\\"abcdef\\"}"', '"{\\"client_secret\\":\\"[redacted]\\"}"'],
  ['password=hunter22 was refused', 'password=[redacted] was refused'],
  ['Authorization: Bearer abcdef123', 'Authorization: Bearer [redacted]'],
  ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'token eyJ[redacted]'],
  ['key AKIAIOSFODNN7EXAMPLE', 'key AKIA[redacted]'],
  ['key glpat-abcdefghij', 'key glpat-[redacted]'],
  ['key ya29.a0AfH6SMBxyz', 'key ya29.[redacted]'],
  ['key AQ.Ab8RN6abcdefg', 'key AQ.[redacted]'],
])('%s hides what opens something', (text, hidden) => {
  expect(redactText(text)).toBe(hidden);
});

test('counts, and sentences about secrets, stay readable', () => {
  const text = 'prompt_tokens: 1200, the password is wrong, no api key: 401, secrets: 3';
  expect(redactText(text)).toBe(text);
  expect(redactValue({ prompt_tokens: 5, passwords: ['p'], apiKeys: ['a'] })).toEqual({
    prompt_tokens: 5,
    passwords: '[redacted]',
    apiKeys: '[redacted]',
  });
});
