import { expect, it } from 'vitest';
import { discountsOfRows, parseDiscounts, problemsOfRows, rowsOfDiscounts } from './top-up-discounts-input.tsx';

const row = (key: number, amount: string, factor: string) => ({ key, amount, factor });

it('parses its own output', () => {
  const discounts = { '10': 1, '100': 0.9, '1000000': 0.000001 };
  expect(discountsOfRows(rowsOfDiscounts(discounts))).toEqual(discounts);
});

it.each([
  ['0', 'amount'],
  ['-5', 'amount'],
  ['1.5', 'amount'],
  ['1,5', 'amount'],
  ['0x10', 'amount'],
  ['', 'amount'],
  ['1000001', 'amount'],
])('rejects the amount %j', (amount, problem) => {
  expect(problemsOfRows([row(0, amount, '0.9')])).toEqual(new Map([[0, problem]]));
});

it.each(['0', '-0.1', '1.01', '0x1', '0,9', 'x', ''])('rejects the factor %j', (factor) => {
  expect(problemsOfRows([row(0, '100', factor)])).toEqual(new Map([[0, 'factor']]));
});

it('reports the second row of an amount', () => {
  expect(problemsOfRows([row(0, '100', '0.9'), row(1, ' 100', '0.8')])).toEqual(new Map([[1, 'twice']]));
});

it('parses numbers like other fields', () => {
  const rows = [row(0, '1,000', '０.9'), row(1, ' ２０', '.5')];
  expect(discountsOfRows(rows)).toEqual({ '1000': 0.9, '20': 0.5 });
  expect(problemsOfRows([row(0, '1,000', '0.9'), row(1, '1000', '0.8')])).toEqual(new Map([[1, 'twice']]));
});

it('ignores an empty row and returns text instead of a map for invalid rows', () => {
  expect(discountsOfRows([row(0, '50', '0.95'), row(1, '', '')])).toEqual({ '50': 0.95 });
  expect(discountsOfRows([row(0, '50', '2')])).toBeTypeOf('string');
});

it('parses only a valid map from JSON', () => {
  expect(parseDiscounts('{"100": 0.9}')).toEqual({ '100': 0.9 });
  expect(parseDiscounts('')).toEqual({});
  for (const text of ['{"100": 2}', '{"1.5": 0.9}', '[1]', '{']) expect(parseDiscounts(text)).toBeUndefined();
});
