import { garbledError, HELD_BYTES_MAX } from '../../../errors/response-errors.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';

export type CallEvent = Extract<ResponseEvent, { index: number }>;

/** Tool calls, in pieces, that wait until the one before them is complete. */
export class WaitingCalls {
  readonly #events = new Map<number, CallEvent[]>();
  #characters = 0;

  has(index: number): boolean {
    return this.#events.has(index);
  }

  add(event: CallEvent): void {
    if (event.type === 'tool-arguments') this.#characters += event.text.length;
    if (this.#characters > HELD_BYTES_MAX)
      throw garbledError('The upstream sent a tool call that is too large.');
    const events = this.#events.get(event.index);
    if (events === undefined) this.#events.set(event.index, [event]);
    else events.push(event);
  }

  /** Call by call. */
  take(): CallEvent[][] {
    const calls = [...this.#events.values()];
    this.#events.clear();
    this.#characters = 0;
    return calls;
  }
}
