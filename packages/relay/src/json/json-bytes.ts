/** Scan of JSON text in its bytes, at a cost that long strings do not raise. */
export const QUOTE = 34;
export const COMMA = 44;
export const OPEN_BRACKET = 91;
const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;
/** Bytes of a string that are scanned one by one before a native search, whose call alone costs as much. */
const SHORT_RUN = 48;

/** @param start index of the opening quote. @returns index after the closing one. */
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

/** Empty result for the client, without an allocation. */
export const emptyBuffer = Buffer.alloc(0);
