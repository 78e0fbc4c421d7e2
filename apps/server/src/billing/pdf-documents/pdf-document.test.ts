import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { language } from '@switchyard/contract/accounts/account-fields';
import { expect, test } from 'vitest';
import { documentTexts } from '../../locales/server-texts.ts';
import { toPrintable, toPrintableLines } from './pdf-document.ts';
import { createDocumentFormat } from './pdf-documents.ts';

interface Font {
  hasGlyphForCodePoint(codePoint: number): boolean;
}

const find = createRequire(import.meta.url);
const fontkit = createRequire(find.resolve('pdfkit'))('fontkit') as { create(bytes: Buffer): Font };
const folder = join(dirname(dirname(find.resolve('@embedpdf/fonts-sc'))), 'fonts');
const fonts = ['Regular', 'Bold'].map((weight) =>
  fontkit.create(readFileSync(join(folder, `NotoSansHans-${weight}.otf`))),
);

function withoutShape(text: string): string[] {
  return Array.from(text).filter((character) =>
    fonts.some((font) => !font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)),
  );
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'function') return [String(value('1', '2'))];
  return Object.values(value as object).flatMap(textsOf);
}

test.each(language.options)('the font has a shape for every word and figure in %s', (name) => {
  const format = createDocumentFormat(name);
  const moments = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 28, 23, 59) / 1000);
  const figures = [
    ...moments.flatMap((time) => [format.day(time), format.moment(time), format.month(time)]),
    ...(['USD', 'CNY', 'EUR', 'GBP', 'HKD', 'SGD', 'JPY'] as const).map((code) => format.money(-1234.567891, code)),
    format.number(-1_234_567_890),
    format.percent(8.875),
    '□…·',
  ];
  const texts = [...textsOf(documentTexts[name]), ...figures];
  expect(texts.length).toBeGreaterThan(60);
  expect(withoutShape(texts.join(''))).toEqual([]);
});

test('every character has a glyph in both weights', () => {
  const everything = Array.from({ length: 0x11_0000 }, (_, codePoint) => codePoint)
    .filter((codePoint) => codePoint < 0xd8_00 || codePoint > 0xdf_ff)
    .map((codePoint) => toPrintable(String.fromCodePoint(codePoint)))
    .join('');
  const characters = new Set(everything);
  expect(characters.size).toBeGreaterThan(20_000);
  expect(withoutShape([...characters].join(''))).toEqual([]);
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
