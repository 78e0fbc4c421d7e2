import { expect, test } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import { createRetryBudget } from './retry-budget.ts';

/** Each of these users made as many requests. */
function budgetOf(users: readonly number[], requests: number) {
  const clock = createTestClock(0);
  const budget = createRetryBudget(clock);
  for (const user of users) for (let made = 0; made < requests; made += 1) budget.recordRequest(user);
  const takes = (user: number, times: number): number =>
    Array.from({ length: times }, () => budget.tryConsume(user)).filter(Boolean).length;
  return { clock, budget, takes };
}

test('retries are a share of the requests of ten seconds, and a few are always allowed', () => {
  const { takes, clock, budget } = budgetOf([1], 1_000);
  expect(takes(1, 200)).toBe(150);
  clock.advance(10);
  budget.recordRequest(1);
  expect(takes(1, 20)).toBe(10);
});

test('among several users none takes more than half, however often its requests fail', () => {
  const { takes } = budgetOf([1, 2], 500);
  expect(takes(1, 1_000)).toBe(75);
  expect(takes(2, 10)).toBe(10);
});
