import { BytePieces } from '@switchyard/relay';
import type { Timer, Timers } from '../../platform/clock.ts';

const MAX_BYTES = 65_536;
const MAX_MS = 2_000;

/**
 * The body of an error response. Its beginning decides: a body without end would keep the request from the next channel
 * until the deadline, and its client from the error.
 */
export class ErrorBody {
  readonly #held = new BytePieces();
  readonly #timer: Timer;
  #read: ((bytes: Buffer) => void) | undefined;

  /** @param read gets the body once, at its end, or after 64 KiB or 2 s of it */
  constructor(timers: Timers, read: (bytes: Buffer) => void) {
    this.#read = read;
    this.#timer = timers.after(MAX_MS, () => this.end());
  }

  push(chunk: Buffer): void {
    if (this.#read === undefined) return;
    this.#held.push(chunk.subarray(0, MAX_BYTES - this.#held.length));
    if (this.#held.length === MAX_BYTES) this.end();
  }

  /** Hands over what has come. */
  end(): void {
    const read = this.#read;
    const bytes = this.#held.whole();
    this.close();
    read?.(bytes);
  }

  /** Drops the body. */
  close(): void {
    this.#read = undefined;
    this.#timer.close();
    this.#held.clear();
  }
}
