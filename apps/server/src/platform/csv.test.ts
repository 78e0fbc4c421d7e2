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

test('reads a long text of spaces in a moment', () => {
  const before = process.threadCpuUsage().user;
  csvLine([`${' '.repeat(1_000_000)}a`]);
  csvLine([`;${' '.repeat(500_000)}`.repeat(2)]);
  csvLine(['\t'.repeat(1_000_000)]);
  expect((process.threadCpuUsage().user - before) / 1_000).toBeLessThan(3_000);
});
