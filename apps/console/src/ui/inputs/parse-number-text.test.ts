import { expect, it } from 'vitest';
import { parseNumberText } from './parse-number-text.ts';

it.each([
  ['1234.5', 1234.5],
  [' -3 ', -3],
  ['.5', 0.5],
  ['1.', 1],
  ['1,234,567.89', 1_234_567.89],
  ['1 000', 1000],
  ['1e-7', 1e-7],
  ['１２．５', 12.5],
])('parses %s as %d', (typed, number) => {
  expect(parseNumberText(typed)).toBe(number);
});

it.each(['', '1,5', '0,05', '1,00', '12,34', '1,2345', ',5', '1 5', '1.000.000', '0x10', 'Infinity', 'ten'])(
  'rejects %j as ambiguous or invalid',
  (typed) => {
    expect(parseNumberText(typed)).toBeNaN();
  },
);
