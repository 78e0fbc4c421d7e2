/**
 * Scan of server-sent events without parsing their JSON: counts the characters of content strings and selects the few
 * events to parse. It reads the bytes as Latin-1, in which one compiled pattern finds all keys at about one
 * nanosecond per byte.
 *
 * A match is always a key: inside a JSON string its quotes would be escaped.
 */

import { parseJson, textOf } from '../json/json.ts';
import { countBinaryCharacters, TextSample } from '../tokens/text-samples-and-counts.ts';
import { DeferredUsageChunk } from './deferred-usage.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const LOWER_N = 110;
const LOWER_U = 117;
const DIGIT_ZERO = 48;
const [OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET] = [123, 125, 91, 93];
/** Maximum bytes of a deferred usage chunk. Reports have a few hundred; a stream must not keep more. */
const DEFERRED_MAX_BYTES = 4_096;
/** Bytes of a string whose characters are counted; the rest is assumed to have the same density. */
const COUNTED_BYTES_MAX = 262_144;
/** Pattern of data that is not a JSON object, such as `[DONE]`, and of error events. */
const oddLine = /^(?:data: ?[^\s{]|event: ?error\r?$)/gm;

/** Members in which vendors report errors, in any dialect. */
const errorFields = ['error', 'errors', 'detail', 'message', 'msg', 'error_msg', 'base_resp'];
const errorTypes = [
  ['type', 'error'],
  ['type', 'response.failed'],
] as const;

/**
 * Keys and values to search, besides errors. Keys match at any depth, so that a match only means that the event must
 * be parsed.
 */
export interface WatchedKeys {
  /** Keys whose string values are content. */
  content: readonly string[];
  /** Keys whose string values are base64, or a URL instead. */
  binary: readonly string[];
  /** Keys of which each stands for an image. */
  images?: readonly string[];
  /** Keys whose objects hold what a search found, or repeat content: nothing in them is content. */
  sources?: readonly string[];
  /** Keys that make an event notable when their value is neither null nor an empty string. */
  notable: readonly string[];
  /** Key and start of its string value that make an event notable. */
  notableValues: readonly (readonly [key: string, valueStart: string])[];
  /** Notable keys whose cumulative value is repeated in many events. */
  repeated?: readonly string[];
}

/**
 * Callback for an event, given by the byte range from its first line to after its empty line.
 * @returns false to stop the scan
 */
export type OnEvent = (start: number, end: number) => boolean;

interface Pattern {
  keys: RegExp;
  content: ReadonlySet<string>;
  binary: ReadonlySet<string>;
  images: ReadonlySet<string>;
  sources: ReadonlySet<string>;
  notable: ReadonlySet<string>;
  /** Starts of values, including their quote, by key. */
  notableValues: ReadonlyMap<string, readonly string[]>;
  repeated: ReadonlySet<string>;
}

const patterns = new WeakMap<WatchedKeys, Pattern>();

function patternOf(watch: WatchedKeys): Pattern {
  const known = patterns.get(watch);
  if (known !== undefined) return known;
  const { content, binary, images = [], sources = [] } = watch;
  const notable = [...watch.notable, ...errorFields];
  const notableValues = new Map<string, string[]>();
  for (const [key, start] of [...watch.notableValues, ...errorTypes])
    notableValues.set(key, [...(notableValues.get(key) ?? []), `"${start}`]);
  const names = new Set([...content, ...binary, ...images, ...sources, ...notable, ...notableValues.keys()]);
  const pattern = {
    // The pattern must not match across lines: a comment line starts with the colon that a truncated event lacks.
    keys: new RegExp(`"(${[...names].join('|')})"[ \\t]*:[ \\t]*`, 'g'),
    content: new Set(content),
    binary: new Set(binary),
    images: new Set(images),
    sources: new Set(sources),
    notable: new Set(notable),
    notableValues,
    repeated: new Set(watch.repeated),
  };
  patterns.set(watch, pattern);
  return pattern;
}

export class EventScanner {
  /** Unicode code points in content strings, and the equivalent of binary ones. */
  characters = 0;
  /** Those code points with three or more bytes in UTF-8: Chinese, Japanese, Korean, emoji, … */
  wideCharacters = 0;
  /** Those that stand for binary strings. */
  binaryCharacters = 0;
  images = 0;
  /** Content strings in their JSON form, including escapes. */
  readonly #sample = new TextSample();
  readonly #report = new DeferredUsageChunk();
  readonly #pattern: Pattern;
  /** End of the last searched line: a repeated search for each of its strings would take minutes for a long line. */
  #lineEnd = -1;
  /** Key of the last content string, the end of its line, and its bounds: its first character, and after its quote. */
  #lastKey = '';
  #lastLineEnd = -1;
  #lastStart = 0;
  #lastEnd = 0;

  constructor(watch: WatchedKeys) {
    this.#pattern = patternOf(watch);
  }

  /** Start of the content. */
  get sample(): string {
    return textOf(parseJson(`"${this.#sample.toString()}"`)) ?? '';
  }

  /** Returns the deferred usage chunk, and clears it. */
  takeDeferredUsage(): Buffer | undefined {
    return this.#report.take();
  }

  /**
   * Calls `onNotable` for each notable event in a run of whole events, in order; so is an event whose data is not an
   * object, or whose name is `error`. An event that only repeats a report with other numbers is deferred until it is
   * requested.
   */
  scan(events: Buffer, onNotable: OnEvent): void {
    const text = events.toString('latin1');
    const { keys, content, binary, images, sources, repeated } = this.#pattern;
    const report = this.#report;
    report.nextRun();
    this.#lineEnd = -1;
    this.#lastLineEnd = -1;
    let told = 0;
    let goesOn = true;
    const tell = (at: number): void => {
      if (at < told) return;
      const start = startOfEvent(text, at);
      told = endOfEvent(text, at);
      report.discardFrom(start);
      goesOn = onNotable(start, told);
    };
    const emitReport = (at: number): void => {
      if (at < told) return;
      const start = startOfEvent(text, at);
      const end = endOfEvent(text, at);
      const isShort = end - start <= DEFERRED_MAX_BYTES;
      if (isShort && report.isRepeated(text, at, end)) return report.defer(events.subarray(start, end), start);
      tell(at);
      if (isShort) report.recordReport(events.toString('latin1', at, end));
    };
    let oddAt = nextOddLine(text, 0);
    const emitOddBefore = (end: number): void => {
      for (; goesOn && oddAt < end; oddAt = nextOddLine(text, told)) tell(oddAt);
    };
    keys.lastIndex = 0;
    for (let hit = keys.exec(text); hit !== null; hit = keys.exec(text)) {
      const [, key = ''] = hit;
      const value = keys.lastIndex;
      emitOddBefore(hit.index);
      if (!goesOn) return;
      if (images.has(key) && text.charCodeAt(value) !== LOWER_N) this.images++;
      if (text.charCodeAt(value) === QUOTE) {
        if (content.has(key)) this.#countOnce(key, text, value + 1);
        else if (binary.has(key)) this.#countBinary(text, value + 1);
      }
      if (this.#isNotable(key, text, value)) (repeated.has(key) ? emitReport : tell)(hit.index);
      if (!goesOn) return;
      if (sources.has(key)) keys.lastIndex = endOfNested(text, value, this.#endOfLine(text, value));
    }
    emitOddBefore(text.length);
  }

  #isNotable(key: string, text: string, value: number): boolean {
    const first = text.charCodeAt(value);
    const isEmpty = first === QUOTE ? text.charCodeAt(value + 1) === QUOTE : first === LOWER_N;
    if (this.#pattern.notable.has(key) && !isEmpty) return true;
    return this.#pattern.notableValues.get(key)?.some((start) => text.startsWith(start, value)) === true;
  }

  /** Counts a content string, unless the same event has just had it under another name, as some vendors' reasoning. */
  #countOnce(key: string, text: string, from: number): void {
    if (text.charCodeAt(from) === QUOTE) return;
    const lineEnd = this.#endOfLine(text, from);
    const isOtherKey = lineEnd === this.#lastLineEnd && key !== this.#lastKey;
    if (isOtherKey && text.startsWith(text.slice(this.#lastStart, this.#lastEnd), from)) return;
    this.#lastKey = key;
    this.#lastLineEnd = lineEnd;
    this.#lastStart = from;
    this.#lastEnd = this.#count(text, from);
  }

  /** @returns the position after the closing quote */
  #count(text: string, from: number): number {
    const end = this.#endOfLine(text, from);
    const near = Math.min(end, from + COUNTED_BYTES_MAX);
    const [characters, wideCharacters] = [this.characters, this.wideCharacters];
    let at = from;
    while (at < near) {
      const byte = text.charCodeAt(at);
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        const isUnicode = text.charCodeAt(at + 1) === LOWER_U;
        // \u0… are narrow scripts; almost all scripts from \u1… on are wide.
        if (isUnicode && text.charCodeAt(at + 2) !== DIGIT_ZERO) this.wideCharacters++;
        this.characters++;
        at += isUnicode ? 6 : 2;
        continue;
      }
      // A continuation byte (10xxxxxx) belongs to the character already counted.
      if ((byte & 0xc0) !== 0x80) this.characters++;
      if (byte >= 0xe0) this.wideCharacters++;
      at++;
    }
    if (at >= near && near < end) {
      const rest = (endOfString(text, at, end) - at) / (at - from);
      this.characters += Math.round((this.characters - characters) * rest);
      this.wideCharacters += Math.round((this.wideCharacters - wideCharacters) * rest);
    }
    if (!this.#sample.isFull) this.#sample.addEscaped(text.slice(from, Math.min(at, end)));
    return at + 1;
  }

  /** Counts a binary string, which contains no quotes. */
  #countBinary(text: string, from: number): void {
    const last = this.#endOfLine(text, from);
    const characters = countBinaryCharacters(Math.min(indexOrEnd(text, '"', from), last) - from);
    this.characters += characters;
    this.binaryCharacters += characters;
  }

  /**
   * Returns the latest possible end of a string, even if it is truncated. @param from position at or after the last
   * one
   */
  #endOfLine(text: string, from: number): number {
    if (from > this.#lineEnd) this.#lineEnd = indexOrEnd(text, '\n', from);
    return this.#lineEnd;
  }
}

/** Returns the end of the string that continues at `at`; `end` if its quote is missing. */
function endOfString(text: string, at: number, end: number): number {
  for (let quote = text.indexOf('"', at); quote !== -1 && quote < end; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (before > at && text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote;
  }
  return end;
}

/** Returns the end of the object or array that begins at `at`, or `at` for another value; `end` if it is truncated. */
function endOfNested(text: string, at: number, end: number): number {
  let depth = 0;
  for (let next = at; next < end; next += 1) {
    const byte = text.charCodeAt(next);
    if (byte === QUOTE) next = endOfString(text, next + 1, end);
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth += 1;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) depth -= 1;
    if (depth <= 0) return next;
  }
  return end;
}

/** Returns the position of the next odd line; the end of the text if there is none. */
function nextOddLine(text: string, from: number): number {
  oddLine.lastIndex = from;
  return oddLine.exec(text)?.index ?? text.length;
}

function indexOrEnd(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at;
}

/** Bounds of an event in a run: an empty line separates events; lines end with LF or CRLF. */
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Returns the position after the empty line that ends the event. */
export function endOfEvent(text: string, at: number): number {
  for (let end = text.indexOf('\n', at); end !== -1; end = text.indexOf('\n', end + 1)) {
    const next = text.charCodeAt(end + 1);
    if (next === LINE_FEED) return end + 2;
    if (next === CARRIAGE_RETURN && text.charCodeAt(end + 2) === LINE_FEED) return end + 3;
  }
  return text.length;
}

/** Returns the position of the event's first line. */
export function startOfEvent(text: string, at: number): number {
  let line = startOfLine(text, at);
  while (line > 1 && !isBehindEmptyLine(text, line)) line = startOfLine(text, line - 2);
  return line;
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at) + 1;
}

function isBehindEmptyLine(text: string, line: number): boolean {
  const before = text.charCodeAt(line - 2);
  return before === LINE_FEED || (before === CARRIAGE_RETURN && text.charCodeAt(line - 3) === LINE_FEED);
}
