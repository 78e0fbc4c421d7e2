import { describe, expect, it } from 'vitest';
import { collectRows, toCsv } from './csv-export.ts';

describe('toCsv', () => {
  it('quotes separators, quotes and line breaks', () => {
    expect(toCsv([['a,b', 'say "hi"', 'two\nlines', 1.5, null]])).toBe('"a,b","say ""hi""","two\nlines",1.5,');
  });

  it('prevents a spreadsheet from running a name as a formula', () => {
    expect(toCsv([['=cmd()', '+1', '-1', '@x', '＝cmd()', -1]])).toBe("'=cmd(),'+1,'-1,'@x,'＝cmd(),-1");
  });
});

describe('collectRows', () => {
  it('fetches every page once and stops at the last', async () => {
    const asked: number[] = [];
    const { rows, complete } = await collectRows(async (page, size) => {
      asked.push(page);
      const from = (page - 1) * size;
      const data = Array.from({ length: Math.min(size, 250 - from) }, (_, index) => from + index);
      return { data, page, size, total_count: 250 };
    });
    expect(rows).toHaveLength(250);
    expect(asked).toEqual([1, 2, 3]);
    expect(complete).toBe(true);
  });

  it('reports that it stopped before the end', async () => {
    const answer = await collectRows(async (page, size) => ({
      data: Array.from({ length: size }, () => 0),
      page,
      size,
      total_count: 1_000_000,
    }));
    expect(answer.complete).toBe(false);
  });
});
