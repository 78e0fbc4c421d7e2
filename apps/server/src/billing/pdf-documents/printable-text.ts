/** Restricts text to characters that a PDF document can show safely. */

const NAME_MAX = 200;
const LINE_MAX = 2_000;
const MISSING_GLYPH = '□';

/** Characters of people's names for which both weights of the font have a glyph. */
const printableCharacters =
  /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u0103\u0110-\u0113\u0128-\u012b\u0143\u0144\u0147\u0148\u014c-\u014f\u0152\u0153\u0168-\u016d\u0391-\u03a1\u03a3-\u03a9\u03b1-\u03c1\u03c3-\u03c9\u0401\u0410-\u044f\u0451\u1ea0-\u1ef9\u2010-\u2016\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2025-\u2027\u2030\u20a9\u20ac\u2103\u2116\u2122\u2190-\u2199\u2460-\u25ab\u3000-\u303f\u3041-\u3096\u3099-\u30ff\u3400-\u4db5\u4e00-\u9fa5\uff01-\uff9f\uffe0-\uffe6]$/u;

/**
 * Returns one line without invisible and direction-changing characters. A letter without a glyph loses its accent;
 * any other character becomes a square.
 */
export function toPrintable(text: string, lengthMax = NAME_MAX): string {
  const seen = text
    .slice(0, lengthMax * 4)
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Variation_Selector}]/gu, '');
  const shown = Array.from(seen, toPrintableCharacter).join('').replace(/□+/g, MISSING_GLYPH).trim();
  const characters = Array.from(shown);
  return characters.length <= lengthMax ? shown : `${characters.slice(0, lengthMax).join('')}…`;
}

/** Splits a text of several lines, such as an address, into printable lines. */
export function toPrintableLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => toPrintable(line, LINE_MAX))
    .filter((line) => line !== '');
}

function toPrintableCharacter(character: string): string {
  if (printableCharacters.test(character)) return character;
  const [base = ''] = character.normalize('NFD');
  if (printableCharacters.test(base)) return base;
  return withoutStroke[character] ?? (/^\p{M}$/u.test(character) ? '' : MISSING_GLYPH);
}

/** Letters that Unicode does not decompose into a base letter and an accent. */
const withoutStroke: Readonly<Record<string, string>> = { ł: 'l', Ł: 'L', ı: 'i', ħ: 'h', Ħ: 'H' };
