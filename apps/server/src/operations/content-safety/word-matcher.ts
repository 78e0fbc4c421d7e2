/**
 * Finds thousands of words in one pass: an Aho–Corasick automaton over folded text, whose time depends neither on the
 * number of words nor on the text's content. https://doi.org/10.1145/360825.360855
 */
import { EXTENDING, foldCharacter, getSymbolKind, SPACE, WORD } from './fold-text.ts';

/** Marks the beginning or end of a word in a script with spaces: not a character, so no text folds to it. */
export const BORDER = 0xffff;
const BLANK = 32;
const SYMBOLS = 0x110000;
const BASIC = 0x10000;
/** Size of the transition table, 4 bytes per entry. */
const TABLE_MAX = 4_194_304;
const COLUMNS_MAX = 64;

interface Pattern {
  symbols: readonly number[];
  list: number;
}

/** Matches words of up to 30 lists; each list is a bit. */
export class WordMatcher {
  /** Number of symbols of the longest word. */
  readonly longest: number;
  /** True if a listed word may begin inside a word of a script that uses spaces. */
  readonly beginsInWords: boolean;
  /** Number of symbols that led to each state; in state 0 no word has begun. */
  readonly depth: Int32Array;
  /** Lists of the word that ends in the state, as bits. */
  readonly lists: Int32Array;
  /** State of the next shorter word that also ends there; 0 without one. */
  readonly shorter: Int32Array;
  /** Non-zero where a listed word ends in the state. */
  readonly ends: Uint8Array;
  /** State to continue from when a symbol doesn't fit. */
  readonly #fail: Int32Array;
  /** Every transition, by state and symbol as one number. */
  readonly #steps = new Map<number, number>();
  /** Next state for the most common symbols, from every state. */
  readonly #table: Int32Array;
  readonly #width: number;
  /** Column of each symbol in `#table`; other symbols have the number after the last one. */
  readonly #columns: Uint8Array;

  /** @param words by list; words without searchable characters are ignored */
  constructor(words: readonly (readonly string[])[]) {
    const patterns = words.flatMap((list, at) => list.map((word) => ({ symbols: parsePattern(word), list: 1 << at })));
    const size = 1 + patterns.reduce((sum, { symbols }) => sum + symbols.length, 0);
    this.longest = patterns.reduce((longest, { symbols }) => Math.max(longest, symbols.length), 0);
    this.beginsInWords = patterns.some(({ symbols: [first = BORDER] }) => getSymbolKind(first) === WORD);
    this.depth = new Int32Array(size);
    this.lists = new Int32Array(size);
    this.shorter = new Int32Array(size);
    this.ends = new Uint8Array(size);
    this.#fail = new Int32Array(size);
    const states = this.#grow(patterns);
    const common = findCommonSymbols(patterns).slice(0, Math.floor(TABLE_MAX / states.length));
    this.#width = common.length;
    this.#columns = new Uint8Array(BASIC).fill(this.#width);
    for (const [column, symbol] of common.entries()) this.#columns[symbol] = column;
    this.#table = new Int32Array(this.#width * states.length);
    for (const [state, [parent, symbol]] of states.entries()) {
      const column = this.#columns[symbol] ?? this.#width;
      if (column < this.#width) this.#table[parent * this.#width + column] = state;
    }
    this.#link(states);
  }

  /** Returns the state after a symbol. */
  next(from: number, symbol: number): number {
    const width = this.#width;
    const column = this.#columns[symbol] ?? width;
    return column < width ? (this.#table[from * width + column] ?? 0) : this.#follow(from, symbol);
  }

  #follow(from: number, symbol: number): number {
    for (let state = from; ; state = this.#fail[state] ?? 0) {
      const target = this.#steps.get(state * SYMBOLS + symbol);
      if (target !== undefined) return target;
      if (state === 0) return 0;
    }
  }

  /**
   * Adds states breadth-first: frequently used states are adjacent, and shorter ones come first.
   * @returns for each state, its parent and the symbol between them
   */
  #grow(patterns: readonly Pattern[]): (readonly [parent: number, symbol: number])[] {
    const states: (readonly [number, number])[] = [[0, SYMBOLS]];
    const reached = new Int32Array(patterns.length);
    for (let depth = 0; depth < this.longest; depth++) {
      for (const [at, { symbols, list }] of patterns.entries()) {
        const symbol = symbols[depth];
        if (symbol === undefined) continue;
        const state = reached[at] ?? 0;
        const step = state * SYMBOLS + symbol;
        const child = this.#steps.get(step) ?? states.length;
        if (child === states.length) {
          states.push([state, symbol]);
          this.#steps.set(step, child);
          this.depth[child] = depth + 1;
        }
        reached[at] = child;
        if (depth === symbols.length - 1) this.lists[child] = (this.lists[child] ?? 0) | list;
      }
    }
    return states;
  }

  #link(states: readonly (readonly [number, number])[]): void {
    for (const [state, [parent, symbol]] of states.entries()) {
      const fail = parent === 0 ? 0 : this.#follow(this.#fail[parent] ?? 0, symbol);
      const shorter = this.lists[fail] === 0 ? (this.shorter[fail] ?? 0) : fail;
      this.#fail[state] = fail;
      this.shorter[state] = shorter;
      this.ends[state] = this.lists[state] === 0 && shorter === 0 ? 0 : 1;
      const row = state * this.#width;
      for (let column = 0; state !== 0 && column < this.#width; column++)
        if (this.#table[row + column] === 0) this.#table[row + column] = this.#table[fail * this.#width + column] ?? 0;
    }
  }
}

/** Returns whether a word contains any searchable symbol. */
export function isSearchable(word: string): boolean {
  return parsePattern(word).some((symbol) => symbol !== BORDER);
}

function findCommonSymbols(patterns: readonly Pattern[]): number[] {
  const counts = new Map<number, number>();
  for (const { symbols } of patterns) for (const symbol of symbols) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  return [...counts]
    .filter(([symbol]) => symbol < BASIC)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, COLUMNS_MAX)
    .map(([symbol]) => symbol);
}

/** Parses a word. A star at an end stands for the rest of a word, so there is no border. */
function parsePattern(word: string): number[] {
  const text = word.trim();
  const isOpenBefore = text.startsWith('*');
  const isOpenAfter = text.length > 1 && text.endsWith('*');
  const pattern = foldText(text.slice(isOpenBefore ? 1 : 0, isOpenAfter ? -1 : undefined).trim());
  const from = isOpenBefore && pattern[0] === BORDER ? 1 : 0;
  return pattern.slice(from, isOpenAfter && pattern.at(-1) === BORDER ? -1 : undefined);
}

/** Returns the symbols of a text exactly as `WordScan` would. */
function foldText(text: string): number[] {
  const symbols: number[] = [];
  let before = SPACE;
  for (const character of text) {
    for (const symbol of foldCharacter(character.codePointAt(0) ?? 0)) {
      const own = getSymbolKind(symbol);
      const kind = own === EXTENDING ? before : own;
      if ((kind === WORD) !== (before === WORD)) symbols.push(BORDER);
      if (kind !== SPACE || own === EXTENDING) symbols.push(symbol);
      else if (before !== SPACE) symbols.push(BLANK);
      before = kind;
    }
  }
  if (before === WORD) symbols.push(BORDER);
  return symbols;
}
