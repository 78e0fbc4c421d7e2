/**
 * Exact token counts with OpenAI's published vocabularies. Loading one takes 0.2 s and 80 MB, and counting about 0.1
 * ms per kilobyte, so that this belongs in a worker thread.
 */
import { CL100K_TOKEN_SPLIT_REGEX, O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import type { Encoding } from './tokenizer-family.ts';

type Count = (text: string) => number;

/** Counts control tokens in a text as ordinary text, as a model reads them. */
const asText = { disallowedSpecial: new Set<string>() };
/**
 * Maximum cached words. The tokenizer's own 100,000 would take hundreds of megabytes for varied text, and finding the
 * oldest of them takes longer than merging the word again.
 */
const REMEMBERED_WORDS = 10_000;

const encodings: Readonly<Record<Encoding, () => Promise<Count>>> = {
  async o200k_base() {
    const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base');
    setMergeCacheSize(REMEMBERED_WORDS);
    return (text) => countTokens(text, asText);
  },
  async cl100k_base() {
    const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/cl100k_base');
    setMergeCacheSize(REMEMBERED_WORDS);
    return (text) => countTokens(text, asText);
  },
};

/** Patterns of a text's words, which a vocabulary merges separately. Own objects, whose state only `countTokens` changes. */
const words: Readonly<Record<Encoding, RegExp>> = {
  o200k_base: new RegExp(O200K_TOKEN_SPLIT_REGEX),
  cl100k_base: new RegExp(CL100K_TOKEN_SPLIT_REGEX),
};

/** Maximum characters of a word. Merging takes quadratic time, and real words are shorter. */
const WORD_MAX = 400;

/** Returns the tokens of a text. The count is exact unless a word is longer than 400 characters. */
export async function countTokens(encoding: Encoding, text: string): Promise<number> {
  const count = await encodings[encoding]();
  // Searching for the words takes several times as long as the count.
  if (!mayHaveLongWord(text)) return count(text);
  let tokens = 0;
  let from = 0;
  const pattern = words[encoding];
  pattern.lastIndex = 0;
  // `matchAll` would copy the pattern, and V8 then often compiles it again.
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text))
    for (let cut = found.index + WORD_MAX; cut < pattern.lastIndex; cut += WORD_MAX) {
      tokens += count(text.slice(from, cut));
      from = cut;
    }
  return tokens + count(text.slice(from));
}

const LOWER_CASE_BIT = 0x20;
const A = 0x61;
const Z = 0x7a;

/** Returns whether a word may be longer than 400 characters: each ends between an ASCII letter and a space, at the latest. */
function mayHaveLongWord(text: string): boolean {
  let from = 0;
  for (let at = text.indexOf(' '); at !== -1; at = text.indexOf(' ', at + 1)) {
    const before = text.charCodeAt(at - 1) | LOWER_CASE_BIT;
    if (before < A || before > Z) continue;
    if (at - from > WORD_MAX) return true;
    from = at;
  }
  return text.length - from > WORD_MAX;
}
