import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test.each(['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x'])(
  'a spreadsheet does not run %j',
  (text) => {
    expect(csvLine([text]).replace(/^"/, '')).toMatch(/^'/);
  },
);

test('numbers and quotes are as RFC 4180 has them', () => {
  expect(csvLine([-5, 'a "b", c', '名'])).toBe('-5,"a ""b"", c",名\r\n');
});
