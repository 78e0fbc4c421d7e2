/**
 * Counts how many different sequences of field names the objects of a JSON text have. V8 keeps every name, and a hidden
 * class for each beginning of a sequence: a parsed text of nine megabytes that never repeats one takes seconds.
 */
import { randomInt } from 'node:crypto';

/** Maximum sequences; parsing so many takes some 50 ms. The tools of agents have some thousands. */
export const SHAPES_MAX = 20_000;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const SPACE = 32;

/** Bits of the table of hashes: two sequences of one hash count as one, about one in two hundred. */
const TABLE_BITS = 21;
const FNV_PRIME = 0x01000193;
/** Random, so that nobody can choose names of one hash. */
const seed = randomInt(2 ** 32);

/** Returns whether a JSON text, which may be invalid, has more than `SHAPES_MAX` sequences of names. */
export function hasManyShapes(text: string): boolean {
  const seen = new Uint8Array(2 ** (TABLE_BITS - 3));
  /** Hash of the names so far, of each open object. */
  const open: number[] = [];
  let names = seed;
  let shapes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE) {
      open.push(names);
      names = seed;
    } else if (code === CLOSE_BRACE) names = open.pop() ?? seed;
    else if (code === QUOTE) {
      let hash = names;
      for (at++; at < text.length; at++) {
        const character = text.charCodeAt(at);
        if (character === QUOTE) break;
        hash = Math.imul(hash ^ character, FNV_PRIME);
        if (character === BACKSLASH) at++;
      }
      if (!isName(text, at + 1)) continue;
      // The end of a name is a part of the hash: the names "a" and "b" are not "ab".
      names = Math.imul(hash ^ QUOTE, FNV_PRIME);
      const bit = (names ^ (names >>> 15)) >>> (32 - TABLE_BITS);
      const byte = seen[bit >>> 3] ?? 0;
      const mask = 1 << (bit & 7);
      if ((byte & mask) !== 0) continue;
      seen[bit >>> 3] = byte | mask;
      shapes++;
      if (shapes > SHAPES_MAX) return true;
    }
  }
  return false;
}

/** @param start index after a string */
function isName(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text.charCodeAt(at) === COLON;
}
