/** Messages of one side of a session: handled one after the other, in the order in which they came. */
import type { Message } from './realtime-peers.ts';

export class RealtimeQueue {
  /** One is being handled. */
  isBusy = false;
  readonly #waiting: Message[] = [];
  readonly #handle: (message: Message) => Promise<void>;
  readonly #whenEmpty: () => void;

  /** @param handle never rejects */
  constructor(handle: (message: Message) => Promise<void>, whenEmpty: () => void = () => {}) {
    this.#handle = handle;
    this.#whenEmpty = whenEmpty;
  }

  add(message: Message): void {
    this.#waiting.push(message);
    if (!this.isBusy) void this.#run();
  }

  async #run(): Promise<void> {
    this.isBusy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await this.#handle(next);
    this.isBusy = false;
    this.#whenEmpty();
  }
}
