/** Characters that take a tokenizer a few milliseconds, or a few hundred where the text is hard to merge. */
const SLICE = 32_768;
/** Distance before a slice's end in which its cut is sought, in characters. */
const SEEK = 1_024;

/** No word of OpenAI's vocabularies spans this: a letter, then a character that continues neither a word nor its suffix. */
const betweenWords = /\p{L}(?=[^\p{L}\p{M}\p{N}'])/gu;

/**
 * Cuts a text into slices whose tokens add up to those of the text. Only where no word ends within 1,024 characters, a cut
 * may add a token.
 */
export function* sliceText(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > SLICE) {
    const until = from + SLICE;
    const ends = [...text.slice(until - SEEK, until).matchAll(betweenWords)];
    const last = ends.at(-1);
    const cut = last === undefined ? until : until - SEEK + last.index + last[0].length;
    yield text.slice(from, cut);
    from = cut;
  }
  yield text.slice(from);
}
