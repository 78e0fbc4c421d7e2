import { expect, it } from 'vitest';
import { isAbandoned } from './abandoned-requests.ts';

it.each([
  ['before the provider responds', 'left', 0, true, 1_000, true],
  ['after the head of a response', 'left', 200, true, 1_000, true],
  ['after the head of an error', 'left', 429, true, 1_000, false],
  ['after the head of another error', 'left', 500, false, 1_000, false],
  ['after half a minute of a stream without content', 'left', 0, true, 30_000, false],
  ['after half a minute of a response that is not streamed', 'left', 0, false, 30_000, true],
  ['after the attempt failed', 'failed', 0, true, 1_000, false],
] as const)('judges a client that leaves %s', (_when, outcome, status, isStream, attemptMs, expected) => {
  expect(isAbandoned({ outcome, status }, { isStream, attemptMs })).toBe(expected);
});
