import { expect, test } from 'vitest';
import { microUsd } from './micro-usd.ts';

test.each([
  ['1.50', 1_500_000],
  [49.588_94, 49_588_940],
  [-3, -3_000_000],
  ['0', 0],
])('%j dollars are %i millionths', (dollars, amount) => {
  expect(microUsd(dollars)).toBe(amount);
});

test.each(['', ' ', 'x', '1e999', Number.NaN, null, undefined, true, {}, []])(
  '%j is no amount',
  (dollars) => {
    expect(microUsd(dollars)).toBeUndefined();
  },
);
