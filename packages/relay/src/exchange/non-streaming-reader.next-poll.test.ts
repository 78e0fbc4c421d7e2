import { expect, test } from 'vitest';
import { sampleTarget } from '../testing/sample-requests.ts';
import { planNextPoll } from './non-streaming-reader.ts';

const at = (address: string, baseUrl = 'https://api.bfl.ai'): string | undefined => {
  const next = planNextPoll(sampleTarget('bfl', { baseUrl }), { at: address, waitMs: 1 });
  return next && 'url' in next ? next.url : undefined;
};

test('polls the vendor at its own hosts', () => {
  expect(at('https://api.us1.bfl.ai/v1/get_result?id=1')).toBe('https://api.us1.bfl.ai/v1/get_result?id=1');
  expect(at('/v1/get_result?id=1')).toBe('https://api.bfl.ai/v1/get_result?id=1');
});

test.each([
  'https://evil.test/v1?id=1',
  'https://evilbfl.ai/v1',
  'https://bfl.ai.evil.test/v1',
  'http://api.bfl.ai/v1',
  'https://api.bfl.ai:8443/v1',
  'https://user@api.bfl.ai/v1',
  'file:///etc/passwd',
  'x',
])('sends the key to no other host: %s', (address) => {
  expect(at(address)).toBeUndefined();
});

test('polls everything at the operator’s base URL', () => {
  expect(at('https://evil.test/v1/get_result?id=1', 'https://gateway.test')).toBe(
    'https://gateway.test/v1/get_result?id=1',
  );
});
