/**
 * Condensed copies of large responses, which are mostly numbers and base64 that nothing reads. Their removal before
 * the parse saves time and memory.
 */
import { randomUUID } from 'node:crypto';
import { CLOSE_BRACKET, COMMA, findStringEnd, OPEN_BRACKET, QUOTE } from './json.ts';
import { CONTAINERS_MAX } from './json-text-limits.ts';

export interface Condensed {
  /** JSON with the same members and items, but without most numbers of vectors and most of base64 strings. */
  text: string;
  /** Removed characters of base64. */
  cutCharacters: number;
}

/** Minimum size of a vector, of which only the first number is kept. Shorter lists may have a meaning. */
const VECTOR_MIN_BYTES = 256;
const STRING_MIN_BYTES = 65_536;
const STRING_KEPT_BYTES = 1_024;
/** Lookup table of the bytes of numbers, of white space between them, and of commas. */
const isOfVector = new Uint8Array(256);
for (const byte of Buffer.from('-+.0123456789eE, \t\r\n')) isOfVector[byte] = 1;
/** Lookup table of the bytes outside of strings that need no look: all that JSON has there but opening brackets. */
const isSkipped = new Uint8Array(256);
for (const byte of Buffer.from('-+.0123456789E:, \t\r\ntruefalsen{}]')) isSkipped[byte] = 1;
/** Characters of base64, in either alphabet, and of the surrounding data URL. */
const binaryOnly = /^[\w+/=:;,.-]*$/;

/**
 * @param body JSON text. The result of invalid text is invalid, too, unless the fault is in a removed part. It ends at a
 * byte that no JSON has there, or a list too many to be parsed: scanning the rest would block other requests
 * @param most maximum bytes of the result
 * @returns undefined if the result would be longer
 */
export function condenseJson(body: Buffer, most: number): Condensed | undefined {
  const pieces: string[] = [];
  const closingBracket = createForwardSearch(body, CLOSE_BRACKET);
  let kept = 0;
  let removed = 0;
  let cutCharacters = 0;
  const leaveOut = (from: number, to: number): void => {
    pieces.push(body.toString('utf8', kept, from));
    removed += to - from;
    kept = to;
  };
  let lists = 0;
  let at = findNextMark(body, 0);
  for (; at < body.length && at - removed <= most; at = findNextMark(body, at)) {
    if (body[at] === QUOTE) {
      const end = findStringEnd(body, at);
      const cut = at + 1 + STRING_KEPT_BYTES;
      if (end - at > STRING_MIN_BYTES && isBinary(body, at + 1)) {
        leaveOut(cut, end - 1);
        cutCharacters += end - 1 - cut;
      }
      at = end;
      continue;
    }
    if (body[at] !== OPEN_BRACKET || ++lists > CONTAINERS_MAX) break;
    const end = findVectorEnd(body, at, closingBracket);
    if (end > at) leaveOut(body.indexOf(COMMA, at), end);
    at = end + 1;
  }
  if (at - removed > most) return undefined;
  leaveOut(at + 1, body.length);
  return { text: pieces.join(''), cutCharacters };
}

export interface DetachedVectors {
  /** JSON in which each vector contains only its index: `[0]`, `[1]`, … */
  text: string;
  /** JSON of the vectors. */
  vectors: readonly Buffer[];
}

/** Maximum bytes of a vector, so that reading one takes a few milliseconds; the longest have some 16,000 numbers. */
export const VECTOR_MAX_BYTES = 1_048_576;
const leadingNumber = /^[ \t\r\n]*[-0-9]/;
const LEADING_BYTES = 64;

/**
 * Detaches the vectors of an embeddings response, to be read one by one: lists that begin with a number.
 * @param body JSON text. The result of invalid text is invalid, too, unless the fault is in a vector
 * @returns undefined if a vector is too long
 */
export function detachVectors(body: Buffer): DetachedVectors | undefined {
  const pieces: string[] = [];
  const vectors: Buffer[] = [];
  let kept = 0;
  let lists = 0;
  let at = findNextMark(body, 0);
  for (; at < body.length; at = findNextMark(body, at)) {
    if (body[at] === QUOTE) {
      at = findStringEnd(body, at);
      continue;
    }
    if (body[at] !== OPEN_BRACKET || ++lists > CONTAINERS_MAX) break;
    const start = at++;
    if (!leadingNumber.test(body.toString('latin1', at, at + LEADING_BYTES))) continue;
    const end = body.indexOf(CLOSE_BRACKET, at);
    if (end === -1 || end - start > VECTOR_MAX_BYTES) return undefined;
    pieces.push(body.toString('utf8', kept, at), String(vectors.length));
    vectors.push(body.subarray(start, end + 1));
    at = end;
    kept = end;
  }
  pieces.push(body.toString('utf8', kept, at + 1));
  return { text: pieces.join(''), vectors };
}

/**
 * Long base64 strings of JSON, kept aside as bytes. Parsing and writing the rest takes no time for them; a name stands
 * for each.
 */
export class DetachedStrings {
  /** Random, so that no text can contain a name. */
  readonly #prefix = `${randomUUID()}:`;
  readonly #name = new RegExp(`${this.#prefix}(\\d+)`, 'g');
  readonly #strings: Buffer[] = [];

  /** Returns the JSON with names instead of long strings. @param body JSON text */
  detach(body: Buffer): string {
    const pieces: string[] = [];
    let kept = 0;
    for (let at = body.indexOf(QUOTE); at !== -1; at = body.indexOf(QUOTE, at)) {
      const end = findStringEnd(body, at);
      if (end - at > STRING_MIN_BYTES && isBinary(body, at + 1)) {
        pieces.push(body.toString('utf8', kept, at + 1), this.#prefix, String(this.#strings.length));
        this.#strings.push(body.subarray(at + 1, end - 1));
        kept = end - 1;
      }
      at = end;
    }
    pieces.push(body.toString('utf8', kept));
    return pieces.join('');
  }

  /** Returns the characters that a string has in JSON without its quotes and escapes, or more. */
  sizeOf(value: string): number {
    return this.#find(value)?.length ?? value.length;
  }

  /** Returns the string that a name stands for; any other string unchanged. */
  read(value: string): string {
    const found = this.#find(value);
    return found === undefined ? value : String(JSON.parse(`"${found.toString()}"`));
  }

  /** Returns the JSON with the strings instead of their names. */
  attach(json: string): string {
    return json.replaceAll(this.#name, (_, number: string) => this.#strings[Number(number)]?.toString() ?? '');
  }

  /** Returns the characters that `attach` returns, or more. */
  sizeOfAttached(json: string): number {
    let size = json.length;
    for (const [name, number] of json.matchAll(this.#name))
      size += (this.#strings[Number(number)]?.length ?? 0) - name.length;
    return size;
  }

  #find(value: string): Buffer | undefined {
    return value.startsWith(this.#prefix) ? this.#strings[Number(value.slice(this.#prefix.length))] : undefined;
  }
}

function isBinary(body: Buffer, start: number): boolean {
  return binaryOnly.test(body.toString('latin1', start, start + STRING_KEPT_BYTES));
}

/**
 * Returns the index of the bracket that closes a long list of numbers; `at` for any other list. Other lists, of which a
 * response may have millions, are left at their first byte that belongs to no number.
 */
function findVectorEnd(body: Buffer, at: number, closingBracket: ForwardSearch): number {
  const near = Math.min(at + 1 + VECTOR_MIN_BYTES, body.length);
  if (!isNumbersOnly(body, at + 1, near)) return at;
  if (!body.subarray(at + 1, near).includes(COMMA)) return at;
  const end = closingBracket(at);
  if (end === body.length || end - at <= VECTOR_MIN_BYTES) return at;
  return isNumbersOnly(body, end - VECTOR_MIN_BYTES, end) ? end : at;
}

function isNumbersOnly(body: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (isOfVector[body[at] ?? 0] === 0) return false;
  return true;
}

/** Returns the next index of a byte at or after a position; the body's length if there is none. */
type ForwardSearch = (from: number) => number;

/**
 * Creates a search for growing positions, which reads each byte once: searching 64 MiB from each of 250,000 open
 * brackets would take minutes.
 */
export function createForwardSearch(body: Buffer, byte: number): ForwardSearch {
  let next = -1;
  return (from) => {
    if (next >= from) return next;
    const found = body.indexOf(byte, from);
    next = found === -1 ? body.length : found;
    return next;
  };
}

/** Returns the index of the next quote or opening bracket, or of a byte that no JSON has there. */
function findNextMark(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && isSkipped[body[at] ?? 0] === 1) at++;
  return at;
}
