import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const COUNTER_LENGTH = 4;
const COUNTER_MAX = ALPHABET.length ** COUNTER_LENGTH;

/**
 * Returns a function that creates unique ids that sort by time: 9 characters of milliseconds, 4 of a counter, 5 of
 * this process. Sorted ids keep inserts at the right edge of the indexes. An id never repeats, even when the clock is
 * set back: the time in the ids then stands still, and advances when the counter is used up. With a repeated id, the
 * ledger would refuse the charge of a served request.
 * @param now returns milliseconds since the epoch
 * @param counterMax maximum ids per millisecond
 */
export function createRequestIdGenerator(now: () => number, node: string, counterMax = COUNTER_MAX): () => string {
  let lastMs = 0;
  let counter = 0;
  return () => {
    const ms = now();
    if (ms > lastMs) {
      lastMs = ms;
      counter = 0;
    } else if (counter + 1 < counterMax) {
      counter += 1;
    } else {
      lastMs += 1;
      counter = 0;
    }
    return formatRequestId(lastMs, counter, node);
  };
}

/** Returns a unique id of this process. */
export const newRequestId = createRequestIdGenerator(
  () => Date.now(),
  [...randomBytes(5)].map((byte) => ALPHABET[byte & 31]).join(''),
);

export function formatRequestId(ms: number, count: number, node: string): string {
  return base32(ms, 9) + base32(count, COUNTER_LENGTH) + node;
}

function base32(value: number, length: number): string {
  let text = '';
  for (let rest = value, i = 0; i < length; i += 1, rest = Math.floor(rest / ALPHABET.length))
    text = ALPHABET[rest % ALPHABET.length] + text;
  return text;
}
