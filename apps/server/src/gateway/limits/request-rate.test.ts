import { expect, test } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import type { RelayError } from '../http/relay-error.ts';
import { createRequestRateLimiter } from './request-rate.ts';

function rate() {
  const clock = createTestClock(0);
  const limits = createRequestRateLimiter(clock);
  const take = (name: string, perMinute: number, callerLabel: string) =>
    limits.consume([{ name, perMinute, policy: 'user-requests', callerLabel }]);
  const takes = async (count: number, perMinute: number): Promise<number> => {
    for (let taken = 0; taken < count; taken += 1) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await take('user:1', perMinute, 'each user of your group');
      } catch {
        return taken;
      }
    }
    return count;
  };
  return { clock, limits, take, takes };
}

test('below 60 per minute exactly that many pass in each minute', async () => {
  const { clock, takes } = rate();
  expect(await takes(10, 7)).toBe(7);
  clock.advance(59);
  expect(await takes(1, 7)).toBe(0);
  clock.advance(1);
  expect(await takes(10, 7)).toBe(7);
});

test('allows a burst of ten seconds for limits from 60 on, and single requests after it', async () => {
  const { clock, takes } = rate();
  expect(await takes(100, 120)).toBe(20);
  clock.advance(1);
  expect(await takes(100, 120)).toBe(2);
  clock.advance(3600);
  expect(await takes(100, 120)).toBe(20);
});

test('0 means no limit', async () => {
  const { takes } = rate();
  expect(await takes(10_000, 0)).toBe(10_000);
});

test('a request succeeds after the time in the refusal', async () => {
  const { clock, take, takes } = rate();
  await takes(100, 60);
  let seconds = 0;
  try {
    await take('user:1', 60, 'each user of your group');
  } catch (error) {
    const { message, retryAfterSeconds } = error as RelayError;
    expect(message).toBe(
      'Rate limit reached: each user of your group may send 60 requests per minute, in bursts of up to 10. Retry in 1 second.',
    );
    seconds = retryAfterSeconds ?? 0;
  }
  expect(seconds).toBe(1);
  clock.advance(seconds);
  expect(await takes(1, 60)).toBe(1);
});

test('a clock that is set back by an hour blocks no user for that hour', async () => {
  for (const perMinute of [7, 600]) {
    const { clock, takes } = rate();
    clock.set(7_200_000);
    expect(await takes(5, perMinute)).toBe(5);
    clock.set(3_600_000);
    await takes(1, perMinute);
    clock.advance(60);
    expect(await takes(5, perMinute)).toBe(5);
  }
});

test('a request that one limit refuses is not counted against the others', async () => {
  const { limits } = rate();
  const wide = { name: 'user:1', perMinute: 3, policy: 'user-requests', callerLabel: 'each user of your group' };
  const narrow = { name: 'key:1', perMinute: 1, policy: 'token-requests', callerLabel: 'the token "x"' };
  await limits.consume([wide, narrow]);
  await expect(limits.consume([wide, narrow])).rejects.toThrow('the token "x"');
  expect((await limits.consume([wide]))[0]?.remaining).toBe(1);
});

test('refunded requests can be used again', async () => {
  const { limits } = rate();
  const limit = { name: 'user:1', perMinute: 1, policy: 'user-requests', callerLabel: 'each user of your group' };
  await limits.consume([limit]);
  limits.refund([limit]);
  expect((await limits.consume([limit]))[0]?.remaining).toBe(0);
});
