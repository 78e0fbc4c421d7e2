import { checkItemCount } from '../errors/response-errors.ts';
import type { ResponseEvent } from './conversation.ts';
import { createId } from './ids.ts';

/** A call that the client runs, or one that ran at the vendor. */
type CallEvent = Extract<ResponseEvent, { type: 'tool-call' | 'vendor-call' }>;

/**
 * Gives each call of an answer an id of its own. Some vendors write none, or the tool's name; clients match results by id,
 * and OpenAI's library refuses an answer in which two calls share one.
 */
export class UniqueCalls {
  readonly #ids = new Set<string>();

  /**
   * Returns the events with unique ids of calls; the same list when it has no calls.
   * @throws UpstreamError when the answer has too many
   */
  assignIds(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
    return events.some(isCall) ? events.map((event) => (isCall(event) ? this.#ofCall(event) : event)) : events;
  }

  #ofCall(event: CallEvent): ResponseEvent {
    if (event.type === 'tool-call') return { ...event, callId: this.#unique(event.callId) };
    return { ...event, call: { ...event.call, callId: this.#unique(event.call.callId) } };
  }

  #unique(said: string): string {
    const id = said === '' || this.#ids.has(said) ? createId('call_') : said;
    this.#ids.add(id);
    checkItemCount(this.#ids.size);
    return id;
  }
}

function isCall(event: ResponseEvent): event is CallEvent & { choice?: number } {
  return event.type === 'tool-call' || event.type === 'vendor-call';
}
