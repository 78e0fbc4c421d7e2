import { createHash } from 'node:crypto';
import { hasLongInteger, parseMessage, parseWithIntegers } from './exact-integers.ts';
import { findJsonEnd, meteredMax, omitDeepLevels, SCALAR_MAX, type StructureMax } from './json-text-limits.ts';

/** Bytes of JSON text. */
export const QUOTE = 34;
export const COMMA = 44;
export const COLON = 58;
export const OPEN_BRACKET = 91;
const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;
/** Bytes of a string that are scanned one by one before a native search, whose call alone costs as much. */
const SHORT_RUN = 48;
/** Empty result for the client, without an allocation. */
export const emptyBuffer = Buffer.alloc(0);

export { describeType, describeValue } from './describe-value.ts';
export { exceededLimit, FIELD_NAME_MAX, hasTooMuchStructure, SCALAR_MAX } from './json-text-limits.ts';

/** Parsed JSON of unknown shape: each reader returns the value or nothing. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Maximum nesting. No real request or response is nested deeper; tool schemas reach about twenty. */
export const DEPTH_MAX = 64;

const nothing: JsonObject = Object.freeze({});
/** Most members that may hold a list are absent: none is created for each. */
const noItems: readonly never[] = Object.freeze([]);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : nothing;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : noItems;
}

/** Returns the items of a list; those that are no objects become empty ones. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : noItems;
}

/** Returns a non-empty string; undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Maximum characters of a string that becomes a key of a map. V8 hashes a string of more than 16,383 characters by its
 * length alone, so that a thousand such keys are compared with each other for seconds.
 */
export const KEY_MAX = 16_000;

/** Returns a non-empty string that may become a key of a map; undefined for any other value. */
export function keyOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || text.length > KEY_MAX ? undefined : text;
}

/** Returns a key of a map that stands for a text of any length. */
export function hashKey(text: string): string {
  return text.length > KEY_MAX ? createHash('sha256').update(text).digest('base64') : text;
}

/** Returns the start of a text that is kept: a slice would keep the whole text, which may be 30 MB, in memory. */
export function shortCopy(text: string, max = 256): string {
  return text.length > max ? Buffer.from(text.slice(0, max), 'utf16le').toString('utf16le') : text;
}

/** Returns the strings of a list, including empty ones. */
export function textsIn(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

export function booleanOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Returns a number that is given as a number or as text. For other values `Number` may throw, so it is not asked. */
export function parseNumber(value: unknown): number | undefined {
  return numberOf(textOf(value) === undefined ? value : Number(value));
}

/** Returns whether walking or serializing the value would recurse deeper than `levels`. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/**
 * Caches a function of parsed bodies for as long as they are in memory. A body may have 100,000 values, and several steps
 * of its request ask the same of it. The result is a hidden property of the body, which copies don't have: entries of a
 * `WeakMap` made the garbage collector take a fifth of the CPU of a request.
 */
export function cacheByBody<T>(read: (body: JsonObject) => T): (body: JsonObject) => T {
  const key = Symbol('cached');
  return (body) => {
    const cached: { result: T } | undefined = Reflect.get(body, key);
    if (cached !== undefined) return cached.result;
    const result = read(body);
    Reflect.defineProperty(body, key, { value: { result } });
    return result;
  };
}

/** Returns the number of members of all objects in a value that is nested at most `DEPTH_MAX` levels deep. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let members = Array.isArray(value) ? 0 : inner.length;
  for (const one of inner) if (typeof one === 'object') members += countMembers(one);
  return members;
}

/** Returns the characters of an object's JSON; 0 for any other value, and for one too deep to be serialized. */
export function countJson(value: unknown): number {
  return isObject(value) && !isDeeperThan(DEPTH_MAX, value) ? JSON.stringify(value).length : 0;
}

const BYTE_ORDER_MARK = 0xfeff;

/**
 * Parses a request, a response or an event, ignoring a leading byte order mark. Integers beyond 2^53 within tool
 * calls and schemas become `bigint`. Returns undefined if the text is not JSON, or would exhaust the memory.
 * @param onSyntaxError gets the reason, as `describeSyntaxError` returns it; not called if its position is unknown
 */
export function parseJson(text: string, onSyntaxError?: (reason: string) => void): unknown {
  return attempt(text, parseMessage, onSyntaxError);
}

/**
 * Parses a response or an event, of which most is only metered. Leaves out the content of the deepest objects and lists
 * if there is too much structure: log probabilities, or a tool's declaration, must not hide the usage.
 */
export function parseResponseJson(text: string): unknown {
  const whole = attempt(text, parseMessage, undefined, meteredMax);
  if (whole !== undefined) return whole;
  const shallow = isJsonStart(text) ? omitDeepLevels(text, DEPTH_MAX, meteredMax) : undefined;
  if (shallow !== undefined) return parseJson(shallow);
  // Invalid text would be parsed twice.
  return findJsonEnd(text, meteredMax) === undefined ? parseJson(text) : undefined;
}

/** Parses JSON of a tool call, in which every integer beyond 2^53 becomes a `bigint`. */
export function parseToolJson(text: string): unknown {
  return attempt(text, parseWithIntegers);
}

/** Returns a list or an object, parsed if its vendor wrote it as JSON text; any other value unchanged. */
export function parseEmbeddedJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return parseToolJson(value) ?? value;
}

/** Beginning of V8's messages about JSON, without the excerpt of the text that some of them quote after it. */
const syntaxError = /^(?:[^"]* at position (\d+)|Unexpected (?:token '.'|end of JSON input))/;
const unexpectedToken = /^Unexpected token '.', (\.{3})?"([^]*)"(?:\.{3})? is not valid JSON$/;
/** Characters before the token in an excerpt of V8 that does not begin with the text. */
const EXCERPT_BEFORE = 10;

/**
 * Returns the reason why `JSON.parse` refused a text, to follow a sentence: `: Unexpected token 'x' in JSON at position
 * 9`, with the line and column of a text with several lines, or nothing.
 */
export function describeSyntaxError(error: unknown, text: string): string {
  const { message } = error instanceof SyntaxError ? error : { message: '' };
  const [reason, named] = syntaxError.exec(message) ?? [];
  if (reason === undefined) return '';
  const position = named === undefined ? findUnexpectedToken(message, text) : Number(named);
  if (position === undefined) return `: ${reason}`;
  return `: ${reason}${named === undefined ? ` in JSON at position ${position}` : ''}${describeLine(text, position)}`;
}

/**
 * Returns the position of a token for which V8's message has an excerpt only. Its first occurrence is the right one if
 * V8 refuses the text up to there as well: it may also be within a string, before the fault.
 */
function findUnexpectedToken(message: string, text: string): number | undefined {
  const [, skipped, excerpt] = unexpectedToken.exec(message) ?? [];
  if (excerpt === undefined || text.length > LONG_TEXT) return undefined;
  const start = text.indexOf(excerpt);
  const first = skipped === undefined ? 0 : start + EXCERPT_BEFORE;
  const last = skipped === undefined ? excerpt.length : first + 1;
  for (let position = first; position < last; position += 1)
    if (hasUnexpectedToken(text.slice(0, position + 1))) return position;
  return undefined;
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return error instanceof SyntaxError && error.message.startsWith('Unexpected token');
  }
}

function describeLine(text: string, position: number): string {
  const lines = text.slice(0, position).split('\n');
  return lines.length === 1 ? '' : ` (line ${lines.length} column ${(lines.at(-1) ?? '').length + 1})`;
}

/** Characters before the end of a text that may belong to an unfinished escape or number. */
const UNFINISHED_MAX = 8;

/** Returns whether no JSON can begin with this text, by its first fault, which is found at once. */
export function isBrokenStart(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    const { message } = error instanceof SyntaxError ? error : { message: '' };
    const position = / at position (\d+)/.exec(message)?.[1];
    // The message about a token has no position. The end of the text is no token.
    if (position === undefined) return message.startsWith('Unexpected token');
    return Number(position) < text.length - UNFINISHED_MAX;
  }
}

/** Characters above which a text that does not begin as JSON is refused at once: its checks take up to a second. */
const LONG_TEXT = 1_048_576;
const jsonStart = /^["[{]/;

/** Returns whether the text may be JSON; true for a short text. */
function isJsonStart(text: string): boolean {
  return text.length <= LONG_TEXT || jsonStart.test(text.slice(0, SCALAR_MAX).trimStart());
}

function attempt(
  text: string,
  parseLong: (text: string) => unknown,
  onSyntaxError?: (reason: string) => void,
  most?: StructureMax,
): unknown {
  const own = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  if (!isJsonStart(own)) return undefined;
  const end = findJsonEnd(own, most);
  if (end === undefined) return undefined;
  const needed = own.slice(0, end);
  const isLong = hasLongInteger(needed);
  try {
    return isLong ? parseLong(needed) : JSON.parse(needed);
  } catch (error) {
    // Long integers are marked before the text is parsed, which moves its positions.
    if (!isLong) onSyntaxError?.(describeSyntaxError(error, needed));
    return undefined;
  }
}

/**
 * Finds the end of a string in JSON's bytes, at a cost that long strings do not raise.
 * @param start index of the opening quote. @returns index after the closing one.
 */
export function findStringEnd(body: Buffer, start: number): number {
  let at = start + 1;
  while (at < body.length) {
    const near = Math.min(body.length, at + SHORT_RUN);
    while (at < near) {
      if (body[at] === QUOTE) return at + 1;
      at += body[at] === BACKSLASH ? 2 : 1;
    }
    const quote = body.indexOf(QUOTE, at);
    if (quote === -1) break;
    if (!isEscaped(body, quote, at)) return quote + 1;
    at = quote + 1;
  }
  return body.length;
}

/**
 * Returns whether an odd number of backslashes precedes `quote`.
 * @param from start of an unescaped character
 */
function isEscaped(body: Buffer, quote: number, from: number): boolean {
  let at = quote - 1;
  while (at >= from && body[at] === BACKSLASH) at--;
  return (quote - at) % 2 === 0;
}
