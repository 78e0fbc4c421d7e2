/** Maximum recorded characters; later offsets are unknown. No model writes a text with as many. */
const MARKS_MAX = 1_000_000;
const anyNonAscii = /\P{ASCII}/u;

/**
 * Converter between positions in a growing text: this dialect counts UTF-8 bytes, the neutral form UTF-16 code units.
 * It records only non-ASCII characters, so that most texts cost nothing.
 */
export class ByteOffsets {
  #bytes = 0;
  #units = 0;
  /** Byte offsets after each non-ASCII character; `#unitsAt` has the same positions in code units. */
  readonly #bytesAt: number[] = [];
  readonly #unitsAt: number[] = [];

  add(text: string): void {
    if (anyNonAscii.test(text)) this.#record(text);
    this.#bytes = this.#toBytes(this.#units + text.length);
    this.#units += text.length;
  }

  #record(text: string): void {
    for (const match of text.matchAll(/\P{ASCII}/gu)) {
      if (this.#bytesAt.length >= MARKS_MAX) break;
      const [character] = match;
      const units = this.#units + match.index + character.length;
      this.#bytesAt.push(this.#toBytes(units - character.length) + Buffer.byteLength(character));
      this.#unitsAt.push(units);
    }
  }

  /** Returns the position in code units, at most the text's length. */
  unitsOf(bytes: number): number {
    return Math.min(this.#units, converted(bytes, this.#bytesAt, this.#unitsAt));
  }

  bytesOf(units: number): number {
    return Math.min(this.#bytes, this.#toBytes(units));
  }

  #toBytes(units: number): number {
    return converted(units, this.#unitsAt, this.#bytesAt);
  }
}

function converted(offset: number, from: readonly number[], to: readonly number[]): number {
  let low = 0;
  let high = from.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return (to[low - 1] ?? 0) + offset - (from[low - 1] ?? 0);
}
