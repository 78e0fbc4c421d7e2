import { language } from '@switchyard/contract/accounts/account-fields';
import { expect, test } from 'vitest';
import { documentTexts } from '../../locales/server-texts.ts';
import { listCharactersWithoutGlyph } from '../../testing/document-font.ts';
import { createDocumentFormat } from './document-issuer-and-format.ts';

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
  expect(listCharactersWithoutGlyph(texts.join(''))).toEqual([]);
});
