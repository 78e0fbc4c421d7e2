import { expect, test } from 'vitest';
import { createPriceLookup } from './price-lookup.ts';

const priceOf = createPriceLookup(
  ['gpt-4o', 'gpt-4*', 'gpt-4o-mini*', 'gpt-*', '*'].map((model) => ({ model })),
);

test('a model gets its own price, else the longest prefix that fits', () => {
  expect(priceOf('gpt-4o')?.model).toBe('gpt-4o');
  expect(priceOf('gpt-4o-mini-2024')?.model).toBe('gpt-4o-mini*');
  expect(priceOf('gpt-4o-mini')?.model).toBe('gpt-4o-mini*');
  expect(priceOf('gpt-4-turbo')?.model).toBe('gpt-4*');
  expect(priceOf('gpt-5')?.model).toBe('gpt-*');
  expect(priceOf('claude')?.model).toBe('*');
  expect(createPriceLookup([{ model: 'a*' }])('b')).toBeUndefined();
});
