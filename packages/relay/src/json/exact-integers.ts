/**
 * Exact integers beyond 2^53 in tool calls and schemas. `JSON.parse` rounds them to the nearest double
 * (https://www.rfc-editor.org/rfc/rfc8259#section-6), and a tool would be called with a wrong id. They become
 * `bigint`, which no check for an object or a number accepts and every deep copy keeps, and are written unchanged.
 */
import { randomUUID } from 'node:crypto';

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
  interface BigInt {
    toJSON(): unknown;
  }
}

/** `JSON.stringify` refuses a `bigint` without `toJSON`. */
// oxlint-disable-next-line no-extend-native -- the language has this one place for it, and no other code writes a bigint as JSON
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint): unknown {
    return JSON.rawJSON(this.toString());
  },
});

/** Minimum digits of an unsafe integer. */
const DIGITS_MIN = 16;
const POINT = 46;
const BACKSLASH = 92;
/**
 * Maximum digits, because conversion takes more than linear time. Longer integers, which no identifier has, are
 * rounded.
 */
const DIGITS_MAX = 1_000;
/**
 * Maximum digits of all long integers of a text, which take a tenth of a second to convert and write. In a text with
 * more, which no tool call has, all are rounded.
 */
const ALL_DIGITS_MAX = 2_000_000;
/** Integer in JSON, except member names and parts of a fraction or an exponent. */
const longInteger = /(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE]|\s*:)/g;
/** Prefix of the digits during the parse, random so that no client can write it. */
const MARK = `${randomUUID()}:`;

/** Members with contents of a model or a tool's author. The gateway reads no numbers in them. */
const ownMembers: ReadonlySet<string> = new Set([
  'args',
  'arguments',
  'functionResponse',
  'function_response',
  'input',
  'inputSchema',
  'input_schema',
  'parameters',
  'parametersJsonSchema',
  'parameters_json_schema',
  'partialArgs',
  'partial_args',
  'responseJsonSchema',
  'response_json_schema',
  'responseSchema',
  'response_schema',
  'schema',
]);

/**
 * Returns whether the text may contain integers that a double cannot represent, and not too many of them. Checks every
 * sixteenth character, because a number of sixteen digits covers one of them.
 */
export function hasLongInteger(text: string): boolean {
  let digits = 0;
  for (let at = DIGITS_MIN - 1; at < text.length; at += DIGITS_MIN) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at - 1;
    while (isDigit(text.charCodeAt(start))) start--;
    // Skips fractions, of which embeddings consist.
    if (text.charCodeAt(start) === POINT && at - start < 2 * DIGITS_MIN) continue;
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end - start > DIGITS_MIN && text.charCodeAt(start) !== POINT && isEndOfValue(text.charCodeAt(end)))
      digits += end - start - 1;
    if (digits > ALL_DIGITS_MAX) return false;
    at = end;
  }
  return digits > 0;
}

/** Parses JSON in which every integer beyond 2^53 becomes a `bigint`. @throws SyntaxError */
export function parseWithIntegers(text: string): unknown {
  return restoreIntegers(JSON.parse(markIntegers(text)), true, false);
}

/**
 * Parses a request, a response or an event. Long integers outside of tool calls and schemas become numbers, like
 * limits and usage; so do those of the top level, where some dialects keep their settings in `input` or `parameters`.
 * @throws SyntaxError
 */
export function parseMessage(text: string): unknown {
  return restoreIntegers(JSON.parse(markIntegers(text)), false, true);
}

/** Writes long integers as marked strings: a reviver that visits each value takes fifty times as long. */
function markIntegers(text: string): string {
  let written = '';
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const outside = text.slice(at, quote === -1 ? text.length : quote);
    written += outside.length < DIGITS_MIN ? outside : outside.replaceAll(longInteger, markedInteger);
    if (quote === -1) break;
    at = endOfString(text, quote);
    written += text.slice(quote, at);
  }
  return written;
}

function markedInteger(digits: string): string {
  return digits.length > DIGITS_MAX || Number.isSafeInteger(Number(digits)) ? digits : `"${MARK}${digits}"`;
}

/** @param start index of the opening quote. @returns index after the closing one */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = quote - 1;
    while (text.charCodeAt(escapes) === BACKSLASH) escapes--;
    if ((quote - escapes) % 2 === 1) return quote + 1;
  }
  return text.length;
}

/** Replaces marked strings by integers; changes objects and lists in place. */
function restoreIntegers(value: unknown, isOwn: boolean, isTop: boolean): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith(MARK)) return value;
    const digits = value.slice(MARK.length);
    return isOwn ? BigInt(digits) : Number(digits);
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const inner: unknown = value[at];
      if (canHold(inner)) value[at] = restoreIntegers(inner, isOwn, false);
    }
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (!canHold(inner)) continue;
      const whole = restoreIntegers(inner, isOwn || (!isTop && ownMembers.has(name)), false);
      // A member may be named `__proto__`.
      if (whole !== inner) Object.defineProperty(value, name, { ...plainMember, value: whole });
    }
  }
  return value;
}

const plainMember = { configurable: true, enumerable: true, writable: true };

/** Returns whether the value may be, or contain, a marked integer. */
function canHold(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'object';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/**
 * Returns whether a JSON value can end before the character; NaN is the end of the text. Most long runs of digits are
 * within strings.
 */
function isEndOfValue(code: number): boolean {
  return code === 44 || code === 93 || code === 125 || code <= 32 || Number.isNaN(code);
}
