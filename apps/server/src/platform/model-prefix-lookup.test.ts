import { expect, test } from 'vitest';
import { createNameLookup } from './model-prefix-lookup.ts';

const entryOf = createNameLookup(['gpt-4o', 'gpt-4*', 'gpt-4o-mini*', 'gpt-*', '*'].map((model) => ({ model })));

test('a model gets its own entry, else the longest prefix that fits', () => {
  expect(entryOf('gpt-4o')?.model).toBe('gpt-4o');
  expect(entryOf('gpt-4o-mini-2024')?.model).toBe('gpt-4o-mini*');
  expect(entryOf('gpt-4o-mini')?.model).toBe('gpt-4o-mini*');
  expect(entryOf('gpt-4-turbo')?.model).toBe('gpt-4*');
  expect(entryOf('gpt-5')?.model).toBe('gpt-*');
  expect(entryOf('claude')?.model).toBe('*');
  expect(createNameLookup([{ model: 'a*' }])('b')).toBeUndefined();
});
