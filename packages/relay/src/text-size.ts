/**
 * How many tokens a text has, without a tokeniser. Calibrated on the common vocabularies of 2024–2026: about
 * four characters per token in Latin and other alphabetic scripts, about one and a half in Chinese, Japanese,
 * Korean. Off by 10–25 % either way, more for code and rare scripts.
 */
const CHARACTERS_PER_TOKEN = 4;
const WIDE_CHARACTERS_PER_TOKEN = 1.5;
/** Above this length a sample stands for the whole text. */
const SAMPLE = 2048;
/** First code unit of the scripts that UTF-8 writes with three bytes or more. */
const FIRST_WIDE = 0x0800;
/** Answered at once for strings that the engine stores with one byte a character, which most are. */
const anyWide = /[\u0800-\uffff]/;

export function tokensOf(characters: number, wideCharacters: number): number {
  const narrow = Math.max(0, characters - wideCharacters);
  return Math.ceil(narrow / CHARACTERS_PER_TOKEN + wideCharacters / WIDE_CHARACTERS_PER_TOKEN);
}

export function wideCharactersIn(text: string): number {
  if (!anyWide.test(text)) return 0;
  const step = Math.max(1, Math.floor(text.length / SAMPLE));
  let wide = 0;
  for (let at = 0; at < text.length; at += step) if (text.charCodeAt(at) >= FIRST_WIDE) wide++;
  return Math.min(text.length, wide * step);
}

export function tokensOfText(text: string): number {
  return tokensOf(text.length, wideCharactersIn(text));
}
