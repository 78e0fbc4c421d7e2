const MAX_BYTES = 65_536;

/** The beginning of an answer that is an error. */
export class ErrorBody {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_BYTES) this.#chunks.push(chunk);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
