/** Limits of depth, values, fields and names of a JSON text, a response's above all, that are checked without parsing it. */
import { hasManyShapes, SHAPES_MAX } from './json-shapes.ts';

/**
 * Minimum characters of a text whose structure is checked. A parsed empty object takes twenty times the memory of its
 * text, and a large object is slow: a long text could exhaust the memory, and block the process for seconds.
 */
const STRUCTURE_MIN_CHARACTERS = 1_048_576;
/** The same of a text whose different names are counted: so many take 0.1 seconds. */
const NAMES_MIN_CHARACTERS = 262_144;
/** Maximum objects and lists: 20 alternatives for each of 20,000 tokens. */
export const CONTAINERS_MAX = 500_000;
const FIELDS_MAX = 10_000;

export interface StructureMax {
  /** Objects and lists. */
  containers: number;
  /** Strings including field names. Alternatives have four each. */
  strings: number;
  values: number;
}

/** 64 MB of vectors have fewer values. */
const wholeMax: StructureMax = { containers: CONTAINERS_MAX, strings: 2_000_000, values: 8_000_000 };
/** Maximum structure of a text that is only metered: parsing it takes some 20 ms. */
export const meteredMax: StructureMax = { containers: 50_000, strings: 200_000, values: 400_000 };

/**
 * Maximum length of a field name. V8 hashes a string of more than 16,383 characters by its length alone, so that a
 * thousand such names in an object would be compared with each other for seconds.
 */
export const FIELD_NAME_MAX = 4_096;

/**
 * Maximum digits of a number, and blanks in a row. Parsing 60 MB of them blocks the process for half a second, which no
 * limit of values prevents.
 */
export const SCALAR_MAX = 1_048_576;

const QUOTE = 34;
const COLON = 58;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Lookup table of the characters of numbers, literals, and blanks, and of colons. */
const isOfScalar = new Uint8Array(128);
for (const code of Buffer.from('-+.0123456789E: \t\r\ntruefalsen')) isOfScalar[code] = 1;

/**
 * Returns how many characters of a text `JSON.parse` needs in order to read or to refuse it: the rest of a long text is
 * not scanned behind a character that no JSON has there. Returns undefined if the result would exhaust the memory, or
 * take too long.
 * @param text JSON text, which may be invalid
 * @param most maximum structure
 */
export function findJsonEnd(text: string, most = wholeMax): number | undefined {
  if (text.length < NAMES_MIN_CHARACTERS) return text.length;
  if (text.length < STRUCTURE_MIN_CHARACTERS) return hasManyShapes(text) ? undefined : text.length;
  const counted = { strings: 0 };
  const end = scanStructure(text, most, counted);
  return counted.strings > SHAPES_MAX && hasManyShapes(text) ? undefined : end;
}

function scanStructure(text: string, most: StructureMax, counted: { strings: number }): number | undefined {
  let containers = 0;
  let values = 0;
  /** Commas of each open object; -1 for a list. */
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isOfScalar[code] === 1) {
      at = findLastOfScalar(text, at);
      if (at === text.length) return undefined;
    } else if (code === QUOTE) {
      if (++counted.strings > most.strings) return undefined;
      const start = at;
      at = closingQuote(text, start);
      if (isLongName(text, start, at)) return undefined;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      containers++;
      if (containers > most.containers) return undefined;
      open.push(code === OPEN_BRACE ? 0 : -1);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop();
      if (open.length === 0) return findAfterBlanks(text, at + 1);
    } else if (code === COMMA) {
      if (++values > most.values) return undefined;
      const fields = open.at(-1) ?? -1;
      if (fields >= FIELDS_MAX) return undefined;
      if (fields >= 0) open[open.length - 1] = fields + 1;
    } else return at + 1;
  }
  return text.length;
}

export function hasTooMuchStructure(text: string): boolean {
  return findJsonEnd(text) === undefined;
}

/** Returns the index of the last character of a number, a literal or blanks; the text's length if they are too long. */
function findLastOfScalar(text: string, start: number): number {
  const end = Math.min(text.length, start + SCALAR_MAX);
  let at = start + 1;
  while (at < end && isOfScalar[text.charCodeAt(at)] === 1) at++;
  return at - start === SCALAR_MAX ? text.length : at - 1;
}

/**
 * Returns the index after the first character behind `start` that is no white space of JSON; the text's length if there
 * is none, and undefined if there is too much of it.
 */
function findAfterBlanks(text: string, start: number): number | undefined {
  const near = text.slice(start, start + SCALAR_MAX);
  const found = near.search(/[^ \t\r\n]/);
  if (found !== -1) return start + found + 1;
  return near.length === SCALAR_MAX ? undefined : text.length;
}

/** Minimum level that is emptied: the counters of a response are one level above it. */
const EMPTIED_MIN = 4;

/**
 * Returns JSON without what its deepest objects and lists contain, so that the rest has neither too much structure nor
 * more levels than allowed; undefined if no level is too deep, or only few would be left.
 * @param text JSON text, which may be invalid
 */
export function omitDeepLevels(text: string, levelsMax: number, most = wholeMax): string | undefined {
  const emptied = findLevelToEmpty(text, levelsMax, most);
  if (emptied === undefined || emptied < EMPTIED_MIN) return undefined;
  const pieces: string[] = [];
  let kept = 0;
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++level === emptied) pieces.push(text.slice(kept, at + 1));
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (level-- === emptied) kept = at;
    }
  }
  pieces.push(text.slice(kept));
  return pieces.join('');
}

interface LevelCounts {
  containers: number;
  strings: number;
  values: number;
  /** Commas of the open object; -1 for a list. */
  fields: number;
}

/** Returns the deepest level whose objects and lists can be kept, without their content; undefined if all can be. */
function findLevelToEmpty(text: string, levelsMax: number, most: StructureMax): number | undefined {
  const counts = Array.from({ length: levelsMax + 1 }, (): LevelCounts => {
    return { containers: 0, strings: 0, values: 0, fields: -1 };
  });
  let level = 0;
  let deepest = 0;
  let emptied = levelsMax;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    let count = counts[level];
    if (isOfScalar[code] === 1) {
      at = findLastOfScalar(text, at);
      if (at === text.length) return undefined;
    } else if (code === QUOTE) {
      at = closingQuote(text, at);
      if (count !== undefined) count.strings++;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      deepest = Math.max(deepest, ++level);
      count = counts[level];
      if (count === undefined) continue;
      count.containers++;
      count.fields = code === OPEN_BRACE ? 0 : -1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) level--;
    else if (code === COMMA && count !== undefined) {
      count.values++;
      if (count.fields >= FIELDS_MAX) emptied = Math.min(emptied, level);
      else if (count.fields >= 0) count.fields++;
    }
  }
  const sum = { containers: 0, strings: 0, values: 0 };
  for (const [nth, { containers, strings, values }] of counts.slice(0, emptied + 1).entries()) {
    sum.containers += containers;
    if (sum.containers > most.containers) return nth - 1;
    sum.strings += strings;
    sum.values += values;
    if (sum.strings > most.strings || sum.values > most.values) return nth;
  }
  return deepest < emptied ? undefined : emptied;
}

export interface StructureLimits {
  /** Nesting depth of lists and objects. */
  depth: number;
  /** Number of values in all lists and objects. */
  values: number;
}

/** @param start index of a string's opening quote. @param end index of its closing quote */
function isLongName(text: string, start: number, end: number): boolean {
  if (end - start <= FIELD_NAME_MAX + 1) return false;
  let at = end + 1;
  while (text.charCodeAt(at) <= 32) at++;
  return text.charCodeAt(at) === COLON;
}

/**
 * Returns the limit that a JSON text exceeds, without parsing it; `name` if a field name is too long. An empty list or
 * object counts as two values, because it takes as much memory.
 * @param text JSON text, which may be invalid
 */
export function exceededLimit(text: string, limits: StructureLimits): keyof StructureLimits | 'name' | undefined {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const start = at;
      at = closingQuote(text, start);
      if (isLongName(text, start, at)) return 'name';
    } else if (code === COMMA) values++;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      values++;
      depth++;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    if (depth > limits.depth) return 'depth';
    if (values > limits.values) return 'values';
  }
  return undefined;
}

/**
 * Characters of a string that are read one by one before the next quote is searched for: a search is faster for long
 * strings, and slower for strings of escaped quotes.
 */
const SHORT_RUN = 32;

/** Returns the index of the quote that ends the string; the text's length if none does. */
function closingQuote(text: string, opening: number): number {
  let at = opening + 1;
  while (at < text.length) {
    const near = Math.min(text.length, at + SHORT_RUN);
    while (at < near) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at;
      at += code === BACKSLASH ? 2 : 1;
    }
    const quote = text.indexOf('"', at);
    if (quote === -1) break;
    let before = quote;
    while (before > at && text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote;
    at = quote + 1;
  }
  return text.length;
}
