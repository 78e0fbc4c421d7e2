export const SAMPLE_MAX_BYTES = 65_536;
const FIRST_BYTES = 512;
/** Length of `\u` and four digits. */
const ESCAPE_MAX = 6;
/**
 * Maximum characters of a slice, which a tokenizer processes in a few milliseconds, or a few hundred for difficult
 * text.
 */
const SLICE = 32_768;
/** Characters before a slice's end in which the cut is sought. */
const SEEK = 1_024;
/**
 * Position that no word of OpenAI's vocabularies spans: a letter, then a character that continues neither a word nor
 * its suffix.
 */
const betweenWords = /\p{L}(?=[^\p{L}\p{M}\p{N}'])/gu;
/** Characters above which a sample represents the text. A count of so many takes 0.1 ms. */
const SAMPLE = 131_072;
/** First code unit of the scripts with three or more bytes in UTF-8. */
const FIRST_WIDE = 0x0800;
/** Pattern that is immediate for strings which the engine stores with one byte per character, as most are. */
const anyWide = /[\u0800-\uffff]/;
/**
 * Base64 characters per text character. A token of media takes about the same amount of base64 for all types: an
 * image of a megapixel is 1,300 tokens and two million characters (Gemini), a second of speech as MP3 is 20 tokens
 * and 20,000 characters (OpenAI). A token of text is four characters.
 */
const BASE64_PER_CHARACTER = 256;

/**
 * Sample of the start of a text that arrives in pieces, in bounded memory. The pieces are copied, because a substring
 * keeps its whole string in memory.
 */
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

  /** Adds a part of a JSON string's content, as Latin-1 bytes; escapes stay complete. */
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

/** Removes an escape that the cut may have split; a run of backslashes starts with an escape. */
function wholeEscapes(cut: string): string {
  let start = cut.lastIndexOf('\\');
  if (start < cut.length - ESCAPE_MAX) return cut;
  while (cut[start - 1] === '\\') start -= 1;
  return cut.slice(0, start);
}

/**
 * Cuts a text into slices whose tokens add up to those of the text. If no word ends within 1,024 characters, a cut
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

/** Counts wide characters: of a long text at random places, because a text could be made for places that are known. */
export function countWideCharacters(text: string): number {
  if (!anyWide.test(text)) return 0;
  const step = Math.max(1, Math.floor(text.length / SAMPLE));
  let wide = 0;
  for (let from = 0; from < text.length; from += step) {
    const at = step === 1 ? from : from + Math.floor(Math.random() * step);
    if (text.charCodeAt(at) >= FIRST_WIDE) wide++;
  }
  return Math.min(text.length, wide * step);
}

/** Counts Unicode code points, which vendors bill as characters. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++;
  return count;
}

/** Returns the number of text characters equivalent to base64, or to a URL; never 0. */
export function countBinaryCharacters(length: number): number {
  return Math.ceil(length / BASE64_PER_CHARACTER);
}

/** Returns the number of bytes in base64 with an equivalent number of text characters. */
export function countBinaryBytes(characters: number): number {
  return (characters * BASE64_PER_CHARACTER * 3) / 4;
}
