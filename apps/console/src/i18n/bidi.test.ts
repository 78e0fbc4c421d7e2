import { expect, it } from 'vitest';
import { isolateBidi, isVisible } from './bidi.ts';

it('does not change ordinary names', () => {
  for (const name of ['gpt-4o', 'Größe 你好 コピー 👍🏽', '']) expect(isolateBidi(name)).toBe(name);
});

it('removes control characters that would change the direction around a name', () => {
  expect(isolateBidi('\u202Enahc\u2069')).toBe('nahc');
});

it('isolates right-to-left names', () => {
  expect(isolateBidi('שלום 1')).toBe('\u2068שלום 1\u2069');
});

it('recognizes names without a visible character', () => {
  for (const name of ['', ' \t\u3000', '\u200b\u200d\ufeff', '\u0000\u202E', '\u3164\u2800'])
    expect(isVisible(name)).toBe(false);
  for (const name of ['a', '\u200b7', '好', '👍']) expect(isVisible(name)).toBe(true);
});
