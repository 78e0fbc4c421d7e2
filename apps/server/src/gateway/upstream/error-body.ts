import { BytePieces } from '@switchyard/relay';
import type { Timer, Timers } from '../../platform/clock.ts';

const MAX_BYTES = 65_536;
const MAX_MS = 2_000;

/**
 * Body of an error response. Only its beginning is read: an endless body would delay the next attempt, and the
 * client's error, until the deadline.
 */
export class ErrorBody {
  readonly #held = new BytePieces();
  readonly #timer: Timer;
  #read: ((bytes: Buffer) => void) | undefined;

  /** @param read called once with the body, at its end, after 64 KiB, or after 2 s */
  constructor(timers: Timers, read: (bytes: Buffer) => void) {
    this.#read = read;
    this.#timer = timers.after(MAX_MS, () => this.end());
  }

  push(chunk: Buffer): void {
    if (this.#read === undefined) return;
    this.#held.push(chunk.subarray(0, MAX_BYTES - this.#held.length));
    if (this.#held.length === MAX_BYTES) this.end();
  }

  /** Passes the received bytes to `read`. */
  end(): void {
    const read = this.#read;
    const bytes = this.#held.whole();
    this.close();
    read?.(bytes);
  }

  /** Discards the body. */
  close(): void {
    this.#read = undefined;
    this.#timer.close();
    this.#held.clear();
  }
}
