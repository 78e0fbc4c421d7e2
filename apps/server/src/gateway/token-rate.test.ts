import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { createTokenRate } from './token-rate.ts';

function rate(perMinute: number) {
  const clock = createTestClock(0);
  const limits = createTokenRate(clock);
  const take = (estimate: number) =>
    limits.take([{ name: 'key:1', perMinute, policy: 'token-tokens', whose: 'The token "a"' }], estimate);
  return { clock, limits, take };
}

test('a request takes its estimate, and what it did not use comes back at its end', () => {
  const { take } = rate(1_000);
  const charge = take(900);
  expect(charge?.standings).toEqual([
    { policy: 'token-tokens', unit: 'tokens', limit: 1_000, remaining: 100, resetSeconds: 54 },
  ]);
  expect(() => take(200)).toThrow('1000 tokens per minute; 100 are left, this request may need 200');
  if (charge !== undefined) charge.used = 300;
  charge?.correct();
  expect(take(700)?.standings[0]?.remaining).toBe(0);
});

test('what a request used beyond its estimate is owed, and the refusal says for how long', () => {
  const { clock, take } = rate(600);
  const charge = take(100);
  if (charge !== undefined) charge.used = 900;
  charge?.correct();
  let seconds = 0;
  try {
    take(100);
  } catch (error) {
    seconds = (error as { retryAfterSeconds: number }).retryAfterSeconds;
  }
  expect(seconds).toBe(40);
  clock.advance(39);
  expect(() => take(100)).toThrow('Try again in 1 s');
  clock.advance(1);
  expect(take(100)).toBeDefined();
});

test('a request that is larger than the limit passes when nothing else was asked for', () => {
  const { clock, take } = rate(100);
  expect(take(5_000)).toBeDefined();
  expect(() => take(1)).toThrow('0 are left');
  clock.advance(50 * 60);
  expect(take(5_000)).toBeDefined();
});

test('a request that one limit refuses takes nothing from the other', () => {
  const { limits } = rate(0);
  const both = [
    { name: 'user:1', perMinute: 1_000, policy: 'user-tokens', whose: 'Your group' },
    { name: 'key:1', perMinute: 100, policy: 'token-tokens', whose: 'The token "a"' },
  ];
  limits.take(both, 80);
  expect(() => limits.take(both, 80)).toThrow('The token "a" allows 100');
  expect(limits.take(both.slice(0, 1), 0)?.standings[0]?.remaining).toBe(920);
});
