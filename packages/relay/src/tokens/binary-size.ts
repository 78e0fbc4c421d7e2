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
