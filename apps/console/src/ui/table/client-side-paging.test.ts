import { expect, it } from 'vitest';
import { localPage } from './client-side-paging.ts';

const rows = [
  { name: 'b', price: 2 },
  { name: 'a', price: null },
  { name: 'c', price: 10 },
];
const values = { name: (row: (typeof rows)[number]) => row.name, price: (row: (typeof rows)[number]) => row.price };
const names = (order: string | undefined, page = 1, size = 50) =>
  localPage(rows, { order, page, size }, values).map(({ name }) => name);

it('sorts by a column in both directions with unknown values last', () => {
  expect(names('name')).toEqual(['a', 'b', 'c']);
  expect(names('price')).toEqual(['b', 'c', 'a']);
  expect(names('-price')).toEqual(['c', 'b', 'a']);
});

it('keeps the given order for an unknown column and returns only the page', () => {
  expect(names('constructor')).toEqual(['b', 'a', 'c']);
  expect(names('name', 2, 2)).toEqual(['c']);
});
