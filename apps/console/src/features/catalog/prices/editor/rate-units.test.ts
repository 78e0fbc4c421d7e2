import { expect, it } from 'vitest';
import { usdPerMillion } from './rate-units.ts';

it.each([
  ['1', 'ratio', 2],
  ['0.075', 'ratio', 0.15],
  ['0.002', 'usd-thousand', 2],
  ['14', 'cny-million', 2],
  ['0.014', 'cny-thousand', 2],
  ['1,000', 'ratio', 2_000],
] as const)('converts %s in the unit %s to %d USD per million tokens', (typed, unit, usd) => {
  expect(usdPerMillion(typed, unit, 7)).toBe(usd);
});

it.each(['', ' ', 'x', '-1', 'Infinity', '1.2.3', '0,5'])('rejects %j as a price', (typed) => {
  expect(usdPerMillion(typed, 'ratio', 7)).toBeUndefined();
});
