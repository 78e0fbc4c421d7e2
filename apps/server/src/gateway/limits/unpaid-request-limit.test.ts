import { UpstreamError } from '@switchyard/relay';
import { expect, it } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import type { AttemptResult } from '../http/attempt-result-and-errors.ts';
import { createUnpaidRequestLimit, isAbandoned } from './unpaid-request-limit.ts';

it.each([
  ['before the provider responds', 'left', 0, true, 1_000, true],
  ['after the head of a response', 'left', 200, true, 1_000, true],
  ['after the head of an error', 'left', 429, true, 1_000, false],
  ['after the head of another error', 'left', 500, false, 1_000, false],
  ['after half a minute of a stream without content', 'left', 0, true, 30_000, false],
  ['after half a minute of silent reasoning', 'left', 0, true, 30_000, true, true],
  ['after five minutes of silent reasoning', 'left', 0, true, 300_000, false, true],
  ['after half a minute of a response that is not streamed', 'left', 0, false, 30_000, true],
  ['after the attempt failed', 'failed', 0, true, 1_000, false],
] as const)('judges a client that leaves %s', (_when, outcome, status, isStream, attemptMs, expected, ...silent) => {
  expect(isAbandoned({ outcome, status, isSilentWork: silent.includes(true) }, { isStream, attemptMs })).toBe(expected);
});

it.each([
  [1, 29],
  [64, 29],
  [200, 7],
  [2_048, 0],
])('refuses after failed requests of %i answered calls each, of which %i may fail', (unpaidCalls, allowed) => {
  const limit = createUnpaidRequestLimit(createTestClock(0));
  const error = new UpstreamError('rate-limited', 'slow down', { status: 429 });
  const failed: AttemptResult = {
    outcome: 'failed',
    error,
    status: 200,
    mayBeBilled: true,
    isUsersFault: true,
    unpaidCalls,
    meter: undefined,
    isDelivered: false,
    firstContentAt: 0,
    unsupportedFields: [],
  };
  const call = {
    client: { stopReason: undefined },
    principal: { user: { id: 1 } },
    request: { facts: { stream: false } },
    log: { attempts: [] },
  };
  for (let nth = 0; nth < allowed; nth += 1) limit.recordUnpaid(call, failed);
  limit.check(1);
  limit.recordUnpaid(call, failed);
  expect(() => limit.check(1)).toThrow(/failed requests per minute/);
});

it('names the limit, the requests that count and the wait', () => {
  const limit = createUnpaidRequestLimit(createTestClock(0));
  for (let call = 0; call < 30; call += 1) limit.record(1);
  const message =
    'You have reached the limit of 30 failed requests per minute (canceled, blocked, too large or too slow, or without usable output). Retry in 60 seconds.';
  expect(() => limit.check(1)).toThrow(expect.objectContaining({ message }));
});
