/**
 * Folds text for word lists: compatibility forms are decomposed (full-width, styled and half-width letters become
 * plain ones), case is removed, and so are invisible characters.
 */

/** Kind of a symbol that is not part of a word. */
const OTHER = 0;
/** Letters and digits of scripts with spaces between words. */
export const WORD = 1;
/** Letters and digits of scripts without spaces between words. */
const UNSPACED = 2;
export const SPACE = 3;
/** Modifies the preceding symbol: a mark, or the rest of a syllable. */
export const EXTENDING = 4;

const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const invisible = /(?!\s)\p{Cc}|[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Me}\u0334-\u0338\u20D0-\u20FF\uFFFF]/u;
/** Vowels and finals of decomposed Hangul belong to the preceding consonant. */
const extending = /[\p{M}\u1160-\u11FF]/u;
const wordLike = /[\p{L}\p{N}_]/u;
const blank = /[\s\p{Z}]/u;

const CHARACTERS = 0x110000;
const none: readonly number[] = [];
/** Caches for all of Unicode, whose memory the system provides as it is used: 0 for unknown, else the kind plus one. */
const kinds = new Uint8Array(CHARACTERS);
/** 0 for unknown; -1 for none or several symbols. */
const singles = new Int32Array(CHARACTERS);
const letters = new Int32Array(0x10000);
const others = new Map<number, readonly number[]>();

/** Returns the single symbol of a character, or -1 if `foldCharacter` has to be used. */
export function foldToSingleSymbol(character: number): number {
  return singles[character] || computeSymbol(character);
}

/** Returns the symbols that a character is folded to; none for invisible characters. */
export function foldCharacter(character: number): readonly number[] {
  const single = foldToSingleSymbol(character);
  return single === -1 ? (others.get(character) ?? none) : [single];
}

/** Does the same for word characters in the basic plane only; returns -1 for all others. */
export function foldWordCharacter(unit: number): number {
  return letters[unit] || computeWordSymbol(unit);
}

export function getSymbolKind(symbol: number): number {
  const known = kinds[symbol] ?? 0;
  if (known !== 0) return known - 1;
  const kind = computeSymbolKind(symbol);
  kinds[symbol] = kind + 1;
  return kind;
}

function computeSymbol(character: number): number {
  const symbols = fold(character);
  const [only] = symbols;
  const single = symbols.length === 1 && only !== undefined && only > 0 ? only : -1;
  singles[character] = single;
  if (single === -1) others.set(character, symbols);
  return single;
}

function computeWordSymbol(unit: number): number {
  const symbol = foldToSingleSymbol(unit);
  const letter = symbol !== -1 && getSymbolKind(symbol) === WORD ? symbol : -1;
  letters[unit] = letter;
  return letter;
}

function fold(character: number): readonly number[] {
  const text = String.fromCodePoint(character);
  if (invisible.test(text)) return none;
  // Upper case first, so that letters with two lower-case forms, such as sigma, become one.
  const folded = text.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD');
  return Array.from(folded, (symbol) => (invisible.test(symbol) ? 0 : (symbol.codePointAt(0) ?? 0))).filter(
    (symbol) => symbol !== 0,
  );
}

function computeSymbolKind(symbol: number): number {
  const text = String.fromCodePoint(symbol);
  if (extending.test(text)) return EXTENDING;
  if (unspaced.test(text)) return UNSPACED;
  if (wordLike.test(text)) return WORD;
  return blank.test(text) ? SPACE : OTHER;
}
