import { expect, test } from 'vitest';
import { JsonPage, PAGE_LENGTH_MAX } from './openai-list-page.ts';

const written = (limit: number, texts: readonly string[]): Record<string, unknown> => {
  const page = new JsonPage({ limit });
  texts.forEach((text, nth) => page.add(`id-${nth}`, text));
  return JSON.parse(page.toJson()) as Record<string, unknown>;
};

test.each([
  ['no item', 2, 0, { data: [], first_id: null, last_id: null, has_more: false }],
  ['as many items as the limit', 2, 2, { data: [1, 1], first_id: 'id-0', last_id: 'id-1', has_more: false }],
  ['more items than the limit', 2, 5, { data: [1, 1], first_id: 'id-0', last_id: 'id-1', has_more: true }],
])('a page of %s has the ids of its ends and whether there are more', (_what, limit, count, expected) => {
  expect(
    written(
      limit,
      Array.from({ length: count }, () => '1'),
    ),
  ).toEqual({ object: 'list', ...expected });
});

test('a page ends before an item that would make it too long, and shows a single item of any length', () => {
  const long = JSON.stringify('x'.repeat(PAGE_LENGTH_MAX / 2));
  expect(written(100, ['1', long, long, '2'])).toMatchObject({ last_id: 'id-1', has_more: true });
  expect(written(100, [JSON.stringify('x'.repeat(PAGE_LENGTH_MAX)), '1'])).toMatchObject({
    last_id: 'id-0',
    has_more: true,
  });
});
