/** Whole numbers of any size in as few bytes as they need (LEB128), and short texts. */
const FIRST_SIZE = 4_096;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

export class SliceWriter {
  #bytes = new Uint8Array(FIRST_SIZE);
  #length = 0;

  /** @throws RangeError for what is no whole number, or negative */
  number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} cannot be packed`);
    let rest = value;
    while (rest >= 0x80) {
      this.#byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#byte(rest);
  }

  text(value: string): void {
    const bytes = encoder.encode(value);
    this.number(bytes.length);
    for (const byte of bytes) this.#byte(byte);
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #byte(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }
}

/** Reads back what `SliceWriter` wrote. */
export class SliceReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let byte = this.#bytes[this.#at++] ?? 0;
    if (byte < 0x80) return byte;
    let value = 0;
    let factor = 1;
    while (byte >= 0x80) {
      value += (byte & 0x7f) * factor;
      factor *= 0x80;
      byte = this.#bytes[this.#at++] ?? 0;
    }
    return value + byte * factor;
  }

  text(): string {
    const end = this.number() + this.#at;
    const text = decoder.decode(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return text;
  }
}
