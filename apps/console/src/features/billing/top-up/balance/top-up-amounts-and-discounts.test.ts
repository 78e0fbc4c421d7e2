import { expect, it } from 'vitest';
import { discountsFrom, offeredAmounts, readAmount } from './top-up-amounts-and-discounts.ts';

const MINIMUM = 5;

it.each(['0', '-1', '1.5', '1,5', '', ' ', 'ten', '٣', '0x10'])(
  'rejects %j, which is not a positive integer',
  (text) => {
    expect(readAmount(text, MINIMUM)).toEqual({ problem: 'notWhole' });
  },
);

it.each(['1000001', '99999999999999999999999'])('rejects %j, which exceeds the maximum', (text) => {
  expect(readAmount(text, MINIMUM)).toEqual({ problem: 'tooMuch' });
});

it('accepts amounts from the minimum to one million', () => {
  expect(readAmount('4', MINIMUM)).toEqual({ problem: 'belowMinimum' });
  expect(readAmount(' 5 ', MINIMUM)).toEqual({ amount: 5 });
  expect(readAmount('１,０００', MINIMUM)).toEqual({ amount: 1_000 });
  expect(readAmount('1000000', MINIMUM)).toEqual({ amount: 1_000_000 });
});

it('offers the amounts of the discounts in ascending order from the minimum on', () => {
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
