import { expect, test } from 'vitest';
import { type Decimal, multiply, parseDecimal, roundToUnit } from './row-values.ts';

const POINT = 1_000_000_000n;
const read = (value: unknown): Decimal => parseDecimal(value) ?? { digits: -1n, scale: 0 };

test('converts ratios to nano-points exactly, and reports rounded ones', () => {
  expect(roundToUnit(read('0.1'), POINT)).toEqual({ whole: 100_000_000n, isExact: true });
  expect(roundToUnit(read(0.07), POINT)).toEqual({ whole: 70_000_000n, isExact: true });
  expect(roundToUnit(multiply(read(0.1), read('0.2')), POINT)).toEqual({ whole: 20_000_000n, isExact: true });
  expect(roundToUnit(read('1e-9'), POINT)).toEqual({ whole: 1n, isExact: true });
  expect(roundToUnit(read('0.0000000005'), POINT)).toEqual({ whole: 1n, isExact: false });
  expect(roundToUnit(read('-0.0000000005'), POINT)).toEqual({ whole: -1n, isExact: false });
  expect(roundToUnit(read(25n), POINT)).toEqual({ whole: 25_000_000_000n, isExact: true });
});

test('returns undefined for a value that is no decimal number', () => {
  const texts = ['', '.', 'one', '1,5', '1e99', Number.NaN, Number.POSITIVE_INFINITY, null, {}];
  expect(texts.map(parseDecimal)).toEqual(texts.map(() => undefined));
});
