import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { createRequestRate } from './request-rate.ts';

function rate() {
  const clock = createTestClock(0);
  const limits = createRequestRate(clock);
  const take = (name: string, perMinute: number, whose: string) =>
    limits.take([{ name, perMinute, policy: 'user-requests', whose }]);
  const takes = (count: number, perMinute: number): number => {
    for (let taken = 0; taken < count; taken += 1) {
      try {
        take('user:1', perMinute, 'Your group');
      } catch {
        return taken;
      }
    }
    return count;
  };
  return { clock, limits, take, takes };
}

test('below 60 per minute exactly that many pass in each minute', () => {
  const { clock, takes } = rate();
  expect(takes(10, 7)).toBe(7);
  clock.advance(59);
  expect(takes(1, 7)).toBe(0);
  clock.advance(1);
  expect(takes(10, 7)).toBe(7);
});

test('from 60 on ten seconds’ worth may come at once, and then one at a time', () => {
  const { clock, takes } = rate();
  expect(takes(100, 120)).toBe(20);
  clock.advance(1);
  expect(takes(100, 120)).toBe(2);
  clock.advance(3600);
  expect(takes(100, 120)).toBe(20);
});

test('0 means no limit', () => {
  const { takes } = rate();
  expect(takes(10_000, 0)).toBe(10_000);
});

test('the refusal says when to come back, and then it works', () => {
  const { clock, take, takes } = rate();
  takes(100, 60);
  let seconds = 0;
  try {
    take('user:1', 60, 'Your group');
  } catch (error) {
    seconds = (error as { retryAfterSeconds: number }).retryAfterSeconds;
  }
  expect(seconds).toBe(1);
  clock.advance(seconds);
  expect(takes(1, 60)).toBe(1);
});

test('a clock that is set back by an hour keeps nobody waiting for that hour', () => {
  for (const perMinute of [7, 600]) {
    const { clock, takes } = rate();
    clock.set(7_200_000);
    expect(takes(5, perMinute)).toBe(5);
    clock.set(3_600_000);
    takes(1, perMinute);
    clock.advance(60);
    expect(takes(5, perMinute)).toBe(5);
  }
});

test('a request that one limit refuses is not counted against the others', () => {
  const { limits } = rate();
  const wide = { name: 'user:1', perMinute: 3, policy: 'user-requests', whose: 'Your group' };
  const narrow = { name: 'key:1', perMinute: 1, policy: 'token-requests', whose: 'The token "x"' };
  limits.take([wide, narrow]);
  expect(() => limits.take([wide, narrow])).toThrow('The token "x"');
  expect(limits.take([wide])[0]?.remaining).toBe(1);
});

test('what is given back can be taken again', () => {
  const { limits } = rate();
  const limit = { name: 'user:1', perMinute: 1, policy: 'user-requests', whose: 'Your group' };
  limits.take([limit]);
  limits.giveBack([limit]);
  expect(limits.take([limit])[0]?.remaining).toBe(0);
});
