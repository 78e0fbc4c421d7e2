import { expect, it } from 'vitest';
import { isolateBidi, isVisible } from './bidi.ts';

it('leaves usual names as they are', () => {
  for (const name of ['gpt-4o', 'Größe 你好 コピー 👍🏽', '']) expect(isolateBidi(name)).toBe(name);
});

it('takes away what would turn the words around a name', () => {
  expect(isolateBidi('\u202Enahc\u2069')).toBe('nahc');
});

it('sets names apart that are written from right to left', () => {
  expect(isolateBidi('שלום 1')).toBe('\u2068שלום 1\u2069');
});

it('knows names that nobody could see', () => {
  for (const name of ['', ' \t\u3000', '\u200b\u200d\ufeff', '\u0000\u202E', '\u3164\u2800'])
    expect(isVisible(name)).toBe(false);
  for (const name of ['a', '\u200b7', '好', '👍']) expect(isVisible(name)).toBe(true);
});
