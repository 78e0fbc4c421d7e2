import { expect, it } from 'vitest';
import { toMicroUsd } from './passthrough-and-account-requests.ts';

it.each([
  [1.5, 1_500_000],
  ['95.50', 95_500_000],
  [0, 0],
  [-0.25, -250_000],
  [0.1 + 0.2, 300_000],
])('converts %j USD to %j micro-USD', (amount, micros) => {
  expect(toMicroUsd(amount)).toBe(micros);
});

it.each([undefined, null, '', ' ', 'x', Number.NaN, 1e300, {}, []])('returns undefined for %j', (amount) => {
  expect(toMicroUsd(amount)).toBeUndefined();
});
