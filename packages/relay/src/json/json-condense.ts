/**
 * Condensed copies of large responses, which are mostly numbers and base64 that nothing reads. Their removal before
 * the parse saves time and memory.
 */
import { CLOSE_BRACKET, COMMA, findStringEnd, OPEN_BRACKET, QUOTE } from './json.ts';

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
/** Characters of numbers, white space between them, and commas. */
const numbersOnly = /^[-+.\deE,\s]*$/;
/** Characters of base64, in either alphabet, and of the surrounding data URL. */
const binaryOnly = /^[\w+/=:;,.-]*$/;

/** @param body JSON text. The result of invalid text is invalid, too, unless the fault is in a removed part */
export function condenseJson(body: Buffer): Condensed {
  const pieces: string[] = [];
  let kept = 0;
  let cutCharacters = 0;
  const leaveOut = (from: number, to: number): void => {
    pieces.push(body.toString('utf8', kept, from));
    kept = to;
  };
  for (let at = findNextMark(body, 0); at < body.length; at = findNextMark(body, at)) {
    if (body[at] === QUOTE) {
      const end = findStringEnd(body, at);
      const cut = at + 1 + STRING_KEPT_BYTES;
      if (end - at > STRING_MIN_BYTES && binaryOnly.test(body.toString('latin1', at + 1, cut))) {
        leaveOut(cut, end - 1);
        cutCharacters += end - 1 - cut;
      }
      at = end;
      continue;
    }
    const end = findVectorEnd(body, at);
    if (end > at) leaveOut(body.indexOf(COMMA, at), end);
    at = end + 1;
  }
  leaveOut(body.length, body.length);
  return { text: pieces.join(''), cutCharacters };
}

/** Returns the index of the bracket that closes a long list of numbers; `at` for any other list. */
function findVectorEnd(body: Buffer, at: number): number {
  const begin = body.toString('latin1', at + 1, at + 1 + VECTOR_MIN_BYTES);
  if (!numbersOnly.test(begin) || !begin.includes(',')) return at;
  const end = body.indexOf(CLOSE_BRACKET, at);
  const last = body.toString('latin1', end - VECTOR_MIN_BYTES, end);
  return end - at > VECTOR_MIN_BYTES && numbersOnly.test(last) ? end : at;
}

function findNextMark(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && body[at] !== QUOTE && body[at] !== OPEN_BRACKET) at++;
  return at;
}
