/** Encodes whole numbers of any size in as few bytes as needed (LEB128), and short texts. */
const INITIAL_BYTES = 4_096;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

export class VarintWriter {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #length = 0;

  /** @throws RangeError for a value that is negative or not a safe integer */
  number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} cannot be encoded`);
    let rest = value;
    while (rest >= 0x80) {
      this.#byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#byte(rest);
  }

  text(value: string): void {
    this.bytes(encoder.encode(value));
  }

  bytes(bytes: Uint8Array): void {
    this.number(bytes.length);
    for (const byte of bytes) this.#byte(byte);
  }

  toBytes(): Uint8Array {
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

/** Reads what `VarintWriter` wrote. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  readonly #one = new Float64Array(1);
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    this.#at = readNumbers(this.#bytes, this.#at, 1, this.#one);
    return this.#one[0] ?? 0;
  }

  text(): string {
    return decoder.decode(this.bytes());
  }

  bytes(): Uint8Array {
    const end = this.number() + this.#at;
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}

/** Reads numbers into the beginning of an array. @returns the position after the last one */
export function readNumbers(bytes: Uint8Array, start: number, count: number, into: Float64Array): number {
  let at = start;
  for (let index = 0; index < count; index += 1) {
    let byte = bytes[at++] ?? 0;
    let value = byte;
    if (byte >= 0x80) {
      value = 0;
      let factor = 1;
      while (byte >= 0x80) {
        value += (byte & 0x7f) * factor;
        factor *= 0x80;
        byte = bytes[at++] ?? 0;
      }
      value += byte * factor;
    }
    into[index] = value;
  }
  return at;
}
