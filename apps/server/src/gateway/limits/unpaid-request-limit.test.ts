import { expect, it } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import { createUnpaidRequestLimit, isAbandoned } from './unpaid-request-limit.ts';

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

it('names the limit, the requests that count and the wait', () => {
  const limit = createUnpaidRequestLimit(createTestClock(0));
  for (let call = 0; call < 30; call += 1) limit.record(1);
  const message =
    'You have reached the limit of 30 failed requests per minute (canceled, blocked, too large or too slow, or without usable output). Retry in 60 seconds.';
  expect(() => limit.check(1)).toThrow(expect.objectContaining({ message }));
});
