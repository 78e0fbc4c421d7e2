/** Characters above which a sample represents the text. */
const SAMPLE = 2048;
/** First code unit of the scripts with three or more bytes in UTF-8. */
const FIRST_WIDE = 0x0800;
/** Pattern that is immediate for strings which the engine stores with one byte per character, as most are. */
const anyWide = /[\u0800-\uffff]/;

export function countWideCharacters(text: string): number {
  if (!anyWide.test(text)) return 0;
  const step = Math.max(1, Math.floor(text.length / SAMPLE));
  let wide = 0;
  for (let at = 0; at < text.length; at += step) if (text.charCodeAt(at) >= FIRST_WIDE) wide++;
  return Math.min(text.length, wide * step);
}

/** Counts Unicode code points, which vendors bill as characters. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++;
  return count;
}

/**
 * Base64 characters per text character. A token of media takes about the same amount of base64 for all types: an
 * image of a megapixel is 1,300 tokens and two million characters (Gemini), a second of speech as MP3 is 20 tokens
 * and 20,000 characters (OpenAI). A token of text is four characters.
 */
const BASE64_PER_CHARACTER = 256;

/** Returns the number of text characters equivalent to base64, or to a URL; never 0. */
export function countBinaryCharacters(length: number): number {
  return Math.ceil(length / BASE64_PER_CHARACTER);
}
