/**
 * Exact token counts with OpenAI's published vocabularies. Loading one takes 0.2 s and 80 MB, and counting about 0.1
 * ms per kilobyte, so that this belongs in a worker thread.
 */
import { CL100K_TOKEN_SPLIT_REGEX, O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import type { Encoding } from './model-family.ts';

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

/** Patterns of a text's words, which a vocabulary merges separately. */
const words: Readonly<Record<Encoding, RegExp>> = {
  o200k_base: O200K_TOKEN_SPLIT_REGEX,
  cl100k_base: CL100K_TOKEN_SPLIT_REGEX,
};

/** Maximum characters of a word. Merging takes quadratic time, and real words are shorter. */
const WORD_MAX = 400;

/** Returns the tokens of a text. The count is exact unless a word is longer than 400 characters. */
export async function countTokens(encoding: Encoding, text: string): Promise<number> {
  const count = await encodings[encoding]();
  let tokens = 0;
  let from = 0;
  for (const { 0: word, index } of text.matchAll(words[encoding]))
    for (let cut = index + WORD_MAX; cut < index + word.length; cut += WORD_MAX) {
      tokens += count(text.slice(from, cut));
      from = cut;
    }
  return tokens + count(text.slice(from));
}
