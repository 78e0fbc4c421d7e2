import { checkItemCount } from '../errors/response-errors.ts';
import type { ResponseEvent } from './conversation.ts';
import { createId } from './ids.ts';

/** Call that the client or the vendor runs. */
type CallEvent = Extract<ResponseEvent, { type: 'tool-call' | 'vendor-call' }>;

/**
 * Assigner of unique call ids within a response. Some vendors send none, or the tool's name; clients match results by
 * id, and OpenAI's library refuses a response with two equal ids.
 */
export class UniqueCalls {
  readonly #ids = new Set<string>();

  /**
   * Returns the events with unique call ids; the same list without calls.
   * @throws UpstreamError when the response has too many calls
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
