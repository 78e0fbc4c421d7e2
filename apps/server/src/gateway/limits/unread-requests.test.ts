import { expect, it } from 'vitest';
import { isAbandoned } from './unread-requests.ts';

it.each([
  ['before the vendor answers', 'left', 0, 1_000, true],
  ['after the head of an answer', 'left', 200, 1_000, true],
  ['after the head of an error', 'left', 429, 1_000, false],
  ['after the head of another error', 'left', 500, 1_000, false],
  ['after half a minute without content', 'left', 0, 30_000, false],
  ['after the attempt failed', 'failed', 0, 1_000, false],
] as const)('judges a client that leaves %s', (_when, outcome, status, waitedMs, expected) => {
  expect(isAbandoned({ outcome, status }, waitedMs)).toBe(expected);
});
