import { expect, test } from 'vitest';
import { formatPath, quoteSafely, readAllPages } from './plan-types-and-formatting.ts';

test('reads every row that stays while others are removed and added between the pages', async () => {
  let rows = Array.from({ length: 250 }, (_, nth) => ({ id: nth + 1 }));
  const isRemoved = ({ id }: { id: number }): boolean => id % 7 === 0;
  const all = await readAllPages<{ id: number }>(async ({ after_id = 0, size }) => {
    const data = rows.filter(({ id }) => id > after_id).slice(0, size);
    const page = { data, page: 1, size, total_count: rows.length };
    rows = [...rows.filter((row) => !isRemoved(row)), { id: (rows.at(-1)?.id ?? 0) + 10 }];
    return page;
  });
  const ids = all.map(({ id }) => id);
  expect(rows.filter(({ id }) => id <= 250).every(({ id }) => ids.includes(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a place reads like code, and no name in it moves a terminal’s cursor', () => {
  expect(formatPath(['channels', 3, 'model_headers', 'x-team'])).toBe('channels[3].model_headers.x-team');
  expect(formatPath(['prices', 'gpt-4.1*', 'rates'])).toBe('prices["gpt-4.1*"].rates');
  expect(formatPath(['channels', 'a\u001b[2Jb\u009b\u202e'])).toBe('channels["a\\u001b[2Jb\\u009b\\u202e"]');
  expect(quoteSafely({ 渠道: 'é' })).toBe('{"渠道":"é"}');
});
