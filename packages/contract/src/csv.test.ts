import { describe, expect, test } from 'vitest';
import { csvCell } from './csv.ts';

const starts = ['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠', '｜', '％', '﹦', '﹢', '﹣', '﹫'];
const separators = [';', '|', '\t', '\r', '\n', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'];
const paddings = ['', ' ', '  ', '\u00a0', '\u3000', '\ufeff', '\u200b', '\u0000', '\u0001', '"', "'", ' "', '\t'];

/** Returns the cells that a spreadsheet sees that splits by this separator and knows no quotes in the middle of a cell. */
const cellsOf = (line: string, separator: string): string[] => line.split(separator);

/** Returns whether a spreadsheet executes a cell, after it has removed quotes and white space. */
const runs = (cell: string): boolean => /^[\s\p{Cc}\p{Cf}"]*[=+\-@%＝＋－＠％﹢﹣﹦﹫]/u.test(cell);

describe.each(starts)('a formula that starts with %s', (start) => {
  test.each(paddings.map((padding) => [padding]))('is escaped after %j', (padding) => {
    expect(csvCell(`${padding}${start}1+1`).replace(/^"/, '')).toMatch(/^'/);
    for (const separator of separators) {
      const line = `x,${csvCell(`a${separator}${padding}${start}1+1`)},y`;
      for (const cell of cellsOf(line, separator)) expect(runs(cell), JSON.stringify(line)).toBe(false);
    }
  });
});

test('quotes cells with a separator', () => {
  for (const separator of [',', ';', '\t', '\r', '\n']) expect(csvCell(`a${separator}b`)).toBe(`"a${separator}b"`);
});

test('leaves numbers and harmless texts unchanged', () => {
  expect([-5, 'a-b', 'a = b', '名', 'a, -b', 'x@example.org'].map((value) => csvCell(value))).toEqual([
    '-5',
    'a-b',
    'a = b',
    '名',
    '"a, -b"',
    'x@example.org',
  ]);
});

test('doubles quotes', () => {
  expect(csvCell('a "b"')).toBe('"a ""b"""');
});
