import { BytePieces } from '@switchyard/relay';

const MAX_BYTES = 65_536;

/** The beginning of an answer that is an error. */
export class ErrorBody {
  readonly #held = new BytePieces();
  #length = 0;

  push(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length <= MAX_BYTES) this.#held.push(chunk);
  }

  get bytes(): Buffer {
    return this.#held.whole();
  }
}
