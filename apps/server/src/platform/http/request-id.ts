import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const nodePart = [...randomBytes(5)].map((byte) => ALPHABET[byte & 31]).join('');

let lastMs = 0;
let counter = 0;

/**
 * A unique id that sorts by time: 9 characters of milliseconds, 4 of a counter, 5 of this process. Sorted ids keep
 * inserts at the right edge of the indexes.
 */
export function newRequestId(): string {
  const ms = Math.max(Date.now(), lastMs);
  counter = ms === lastMs ? counter + 1 : 0;
  lastMs = ms;
  return requestIdOf(ms, counter, nodePart);
}

export function requestIdOf(ms: number, count: number, node: string): string {
  return base32(ms, 9) + base32(count, 4) + node;
}

function base32(value: number, length: number): string {
  let text = '';
  for (let rest = value, i = 0; i < length; i += 1, rest = Math.floor(rest / 32))
    text = ALPHABET[rest % 32] + text;
  return text;
}
