import { expect, test } from 'vitest';
import { listCharactersWithoutGlyph } from '../../testing/document-font.ts';
import { toPrintable, toPrintableLines } from './printable-text.ts';

test('every character has a glyph in both weights', () => {
  const everything = Array.from({ length: 0x11_0000 }, (_, codePoint) => codePoint)
    .filter((codePoint) => codePoint < 0xd8_00 || codePoint > 0xdf_ff)
    .map((codePoint) => toPrintable(String.fromCodePoint(codePoint)))
    .join('');
  const characters = new Set(everything);
  expect(characters.size).toBeGreaterThan(20_000);
  expect(listCharactersWithoutGlyph([...characters].join(''))).toEqual([]);
});

test.each([
  ['plain', 'gpt-4o (2024-08)', 'gpt-4o (2024-08)'],
  ['controls and line breaks', 'a\u0000\u001b[31mb\r\nc\u2028d', 'a [31mb c d'],
  ['a turned direction', 'user\u202egnp.exe\u202c \u200bx\ufeff', 'usergnp.exe x'],
  ['right to left', 'مرحبا بالعالم', '□ □'],
  ['emoji', 'hi 👩‍👩‍👧‍👦🎉 there', 'hi □ there'],
  ['half a surrogate pair', 'a\ud83dz', 'a□z'],
  ['letters with accents', 'Łódź, Škoda, naïve, Nguyễn, e\u0301', 'Lódz, Skoda, naïve, Nguyễn, é'],
  ['Chinese and Japanese', '東京タワー 骨 龍龟 ﾊﾝｶｸ', '東京タワー 骨 龍龟 ﾊﾝｶｸ'],
  ['nothing to see', '\u200b\u0007 ', ''],
])('of %s is shown what can be', (_what, text, shown) => {
  expect(toPrintable(text)).toBe(shown);
});

test('a text of a megabyte is cut', () => {
  expect(Array.from(toPrintable('永'.repeat(1_000_000)))).toHaveLength(201);
  expect(toPrintable(`a${'\u0301'.repeat(1_000_000)}`).length).toBeLessThan(900);
});

test('lines stay lines, and empty ones go', () => {
  expect(toPrintableLines('Street 1\n\n \tTown\r\n')).toEqual(['Street 1', 'Town']);
  expect(toPrintableLines('x'.repeat(1_000))[0]).toHaveLength(1_000);
});
