/** Scans a text in pieces for listed words, wherever the pieces are cut. */
import {
  EXTENDING,
  foldCharacter,
  foldToSingleSymbol,
  foldWordCharacter,
  getSymbolKind,
  SPACE,
  WORD,
} from './fold-text.ts';
import { BORDER, type WordMatcher } from './word-matcher.ts';

/** Called for each word with its lists, as bits, and its position in all pieces together. */
export type OnMatch = (lists: number, start: number, end: number) => void;

const BACKSLASH = 92;
const LOWER_U = 117;
const BLANK = 32;
/** Characters after the backslash in JSON's escapes of white space. */
const blankEscapes: ReadonlySet<number> = new Set([98, 102, 110, 114, 116]);
const UNICODE_ESCAPE = 6;

export class WordScan {
  readonly #matcher: WordMatcher;
  readonly #onWord: OnMatch;
  readonly #isEscaped: boolean;
  /** Start offsets of the last symbols. */
  readonly #starts: Int32Array;
  readonly #mask: number;
  #fed = 0;
  #state = 0;
  #before = SPACE;
  /** Offsets after the last character, and after the last symbol. */
  #at = 0;
  #symbolEnd = 0;
  /** Beginning of a character that continues in the next piece. */
  #rest = '';
  /** Words that end here, unless a mark follows. */
  #ending: (readonly [lists: number, start: number, end: number])[] = [];

  /** @param isEscaped true for JSON text, in which characters may be escaped */
  constructor(matcher: WordMatcher, onWord: OnMatch, isEscaped = false) {
    this.#matcher = matcher;
    this.#onWord = onWord;
    this.#isEscaped = isEscaped;
    const size = 2 ** Math.ceil(Math.log2(matcher.longest + 2));
    this.#starts = new Int32Array(size);
    this.#mask = size - 1;
  }

  /** Returns the offset before which no unfinished match can begin. */
  get settledOffset(): number {
    const { depth } = this.#matcher;
    const begun = depth[this.#state] ?? 0;
    const at = begun === 0 ? this.#at : (this.#starts[(this.#fed - begun) & this.#mask] ?? 0);
    return this.#ending.reduce((least, [, start]) => Math.min(least, start), at);
  }

  scan(piece: string): void {
    const text = this.#rest === '' ? piece : this.#rest + piece;
    this.#rest = '';
    for (let at = this.#goThroughWord(text, 0); at < text.length; at = this.#goThroughWord(text, at)) {
      const unit = text.charCodeAt(at);
      const isRare = (unit & 0xf800) === 0xd800 || (unit === BACKSLASH && this.#isEscaped);
      const width = isRare ? widthAt(text, at) : 1;
      if (at + width > text.length) {
        this.#rest = text.slice(at);
        return;
      }
      const symbol = isRare ? -1 : foldToSingleSymbol(unit);
      const end = this.#at + width;
      if (symbol !== -1) this.#add(symbol, getSymbolKind(symbol), end);
      else
        for (const part of foldCharacter(isRare ? characterAt(text, at) : unit))
          this.#add(part, getSymbolKind(part), end);
      this.#at = end;
      at += width;
    }
  }

  /** Ends the text; the next piece begins another one. */
  end(): void {
    const rest = this.#rest;
    this.#rest = '';
    this.#at += rest.length;
    if (this.#before === WORD) this.#feed(BORDER, this.#at);
    this.#reportEnding();
    this.#state = 0;
    this.#before = SPACE;
  }

  /**
   * Scans the letters within a word, which are most of a text, faster than `#add` with the same result. @returns the
   * offset after them
   */
  #goThroughWord(text: string, from: number): number {
    if (this.#before !== WORD || this.#ending.length > 0) return from;
    const matcher = this.#matcher;
    const starts = this.#starts;
    const mask = this.#mask;
    const offset = this.#at - from;
    let state = this.#state;
    let fed = this.#fed;
    let at = from;
    while (at < text.length) {
      const letter = foldWordCharacter(text.charCodeAt(at));
      if (letter === -1) break;
      at += 1;
      if (state === 0 && !matcher.beginsInWords) continue;
      starts[fed & mask] = offset + at - 1;
      fed = (fed + 1) | 0;
      state = matcher.next(state, letter);
      if (matcher.ends[state] === 1) break;
    }
    if (at === from) return from;
    this.#at = offset + at;
    this.#symbolEnd = this.#at;
    this.#state = state;
    this.#fed = fed;
    if (matcher.ends[state] === 1) this.#note(state, false);
    return at;
  }

  #add(symbol: number, own: number, end: number): void {
    const isMark = own === EXTENDING;
    const kind = isMark ? this.#before : own;
    if (this.#ending.length > 0) {
      if (!isMark) this.#reportEnding();
      this.#ending = [];
    }
    if ((kind === WORD) !== (this.#before === WORD)) this.#feed(BORDER, this.#at);
    if (kind !== SPACE || isMark) this.#feedEnding(symbol, end);
    else if (this.#before !== SPACE) this.#feedEnding(BLANK, end);
    this.#before = kind;
  }

  #feedEnding(symbol: number, end: number): void {
    this.#symbolEnd = end;
    this.#feed(symbol, this.#at);
  }

  #feed(symbol: number, start: number): void {
    const matcher = this.#matcher;
    this.#starts[this.#fed & this.#mask] = start;
    this.#fed = (this.#fed + 1) | 0;
    const state = matcher.next(this.#state, symbol);
    this.#state = state;
    if (matcher.ends[state] === 1) this.#note(state, symbol === BORDER);
  }

  #note(state: number, isClosed: boolean): void {
    const { lists, depth, shorter } = this.#matcher;
    for (let at = state; at !== 0; at = shorter[at] ?? 0) {
      const bits = lists[at] ?? 0;
      if (bits === 0) continue;
      const start = this.#starts[(this.#fed - (depth[at] ?? 0)) & this.#mask] ?? 0;
      if (isClosed) this.#onWord(bits, start, this.#symbolEnd);
      else this.#ending.push([bits, start, this.#symbolEnd]);
    }
  }

  #reportEnding(): void {
    for (const [bits, start, end] of this.#ending) this.#onWord(bits, start, end);
    this.#ending = [];
  }
}

/** Returns the width of a character in UTF-16 units; more than are left for an incomplete one. */
function widthAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit !== BACKSLASH) {
    if ((unit & 0xfc00) !== 0xd800) return 1;
    return at + 1 < text.length && (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00 ? 1 : 2;
  }
  return text.charCodeAt(at + 1) === LOWER_U ? UNICODE_ESCAPE : 2;
}

function characterAt(text: string, at: number): number {
  if (text.charCodeAt(at) !== BACKSLASH) return text.codePointAt(at) ?? 0;
  const escaped = text.charCodeAt(at + 1);
  if (escaped !== LOWER_U) return blankEscapes.has(escaped) ? BLANK : escaped;
  const code = Number.parseInt(text.slice(at + 2, at + UNICODE_ESCAPE), 16);
  return Number.isNaN(code) ? BLANK : code;
}
