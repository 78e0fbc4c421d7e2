/** Above this length a sample stands for the whole text. */
const SAMPLE = 2048;
/** First code unit of the scripts that UTF-8 writes with three bytes or more. */
const FIRST_WIDE = 0x0800;
/** Answered at once for strings that the engine stores with one byte a character, which most are. */
const anyWide = /[\u0800-\uffff]/;

export function countWideCharacters(text: string): number {
  if (!anyWide.test(text)) return 0;
  const step = Math.max(1, Math.floor(text.length / SAMPLE));
  let wide = 0;
  for (let at = 0; at < text.length; at += step) if (text.charCodeAt(at) >= FIRST_WIDE) wide++;
  return Math.min(text.length, wide * step);
}

/** Unicode code points, which vendors count as characters. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++;
  return count;
}

/**
 * A token of what is no text stands for about as much base64 whatever it is: a picture of a megapixel is 1,300 tokens
 * and two million characters (Gemini), a second of speech as MP3 is 20 tokens and 20,000 characters (OpenAI). A token
 * of text is four characters.
 */
const BASE64_PER_CHARACTER = 256;

/** Returns the text characters that base64, or a URL in its place, is counted as; never 0. */
export function countBinaryCharacters(length: number): number {
  return Math.ceil(length / BASE64_PER_CHARACTER);
}
