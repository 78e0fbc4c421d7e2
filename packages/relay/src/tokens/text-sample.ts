/**
 * Keeps the beginning of a text that comes in pieces, in bounded memory. The pieces are copied, because a piece of a
 * string keeps all of the string that it was cut from.
 */
export const SAMPLE_MAX_BYTES = 65_536;
const FIRST_BYTES = 512;
/** `\u` and four digits. */
const ESCAPE_MAX = 6;

export class TextSample {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get isFull(): boolean {
    return this.#length >= SAMPLE_MAX_BYTES - ESCAPE_MAX;
  }

  add(text: string): void {
    if (this.isFull) return;
    this.#makeRoomFor(Buffer.byteLength(text));
    // Writes whole characters only.
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }

  /** Adds a piece of a JSON string's inside, as bytes seen as text; escapes stay whole. */
  addEscaped(bytes: string): void {
    if (this.isFull) return;
    const room = SAMPLE_MAX_BYTES - this.#length;
    const piece = bytes.length <= room ? bytes : wholeEscapes(bytes.slice(0, room));
    this.#makeRoomFor(piece.length);
    this.#length += this.#bytes.write(piece, this.#length, 'latin1');
  }

  toString(): string {
    return this.#bytes.toString('utf8', 0, this.#length);
  }

  #makeRoomFor(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(SAMPLE_MAX_BYTES, Math.max(FIRST_BYTES, needed * 2)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Without the escape that the cut may have gone through; a run of backslashes begins with an escape. */
function wholeEscapes(cut: string): string {
  let start = cut.lastIndexOf('\\');
  if (start < cut.length - ESCAPE_MAX) return cut;
  while (cut[start - 1] === '\\') start -= 1;
  return cut.slice(0, start);
}

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
