import { expect, it } from 'vitest';
import { discountsFrom, offeredAmounts, readAmount } from './amounts.ts';

const MINIMUM = 5;

it.each(['0', '-1', '1.5', '1,5', '', ' ', 'ten', '٣', '0x10'])('%j is no positive whole amount', (text) => {
  expect(readAmount(text, MINIMUM)).toEqual({ problem: 'notWhole' });
});

it.each(['1000001', '99999999999999999999999'])('%j is too much', (text) => {
  expect(readAmount(text, MINIMUM)).toEqual({ problem: 'tooMuch' });
});

it('takes what is at least the minimum and at most a million', () => {
  expect(readAmount('4', MINIMUM)).toEqual({ problem: 'belowMinimum' });
  expect(readAmount(' 5 ', MINIMUM)).toEqual({ amount: 5 });
  expect(readAmount('１,０００', MINIMUM)).toEqual({ amount: 1_000 });
  expect(readAmount('1000000', MINIMUM)).toEqual({ amount: 1_000_000 });
});

it('offers the amounts of the discounts, the smallest first, and none below the minimum', () => {
  const discounts = discountsFrom('{"100": 0.9, "20": 0.95, "1": 1}');
  expect(offeredAmounts(discounts, MINIMUM)).toEqual([20, 100]);
  expect(offeredAmounts(discountsFrom('{}'), 50)).toEqual([50, 100, 200]);
});

it.each(['', 'null', '[', '{"x": 0.9}', '{"10": 2}', '{"10": 0}', '{"1.5": 0.5}'])(
  'finds no discount in %j',
  (text) => {
    expect(discountsFrom(text).size).toBe(0);
  },
);
