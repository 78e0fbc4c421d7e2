/** Check that a complete response has the content that its finish reason implies. */
import { emptyResponseError, failedResponseError, type UpstreamError } from '../errors/upstream-error.ts';
import type { FinishReason, ResponseEvent } from '../model/conversation.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';

/** Dialects that gain stop reasons and content types; an unknown reason may end a response with unknown content. */
const dialectsOfNewReasons: ReadonlySet<UpstreamDialectId> = new Set(['anthropic-messages', 'openai-responses']);

const contentTypes: ReadonlySet<ResponseEvent['type']> = new Set([
  'text',
  'refusal',
  'tool-call',
  'vendor-call',
  'image',
  'audio',
]);

/**
 * Check of the events of one response. A reason that means a failure, or tool calls that are missing, is an error if
 * the response has no content; thoughts are no content.
 */
export class ResponseEndCheck {
  readonly #from: UpstreamDialectId;
  /** Indexes of the choices that have called a tool. */
  readonly #calling = new Set<number>();
  #hasContent = false;
  #hasEnded = false;

  constructor(from: UpstreamDialectId) {
    this.#from = from;
  }

  /**
   * Returns the events, with `stop` instead of `tool-calls` for a choice without calls.
   * @throws UpstreamError when the response has ended without content
   */
  check(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
    let isOver = false;
    for (const event of events) {
      isOver ||= event.type === 'finish';
      this.#hasContent ||= contentTypes.has(event.type);
      if (event.type === 'tool-call') this.#calling.add(event.choice ?? 0);
    }
    if (!isOver) return events;
    return events.map((event) => (event.type === 'finish' ? this.#checkFinish(event) : event));
  }

  /** @throws UpstreamError when a non-streaming response has neither content nor an end */
  checkWhole(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
    const checked = this.check(events);
    if (!this.#hasEnded && !this.#hasContent) throw emptyResponseError();
    return checked;
  }

  #checkFinish(event: Extract<ResponseEvent, { type: 'finish' }>): ResponseEvent {
    this.#hasEnded = true;
    const isCalling = this.#calling.has(event.choice ?? 0);
    const fault = this.#hasContent ? undefined : endReasonError(event.reason, this.#from);
    if (fault !== undefined) throw fault;
    return event.reason === 'tool-calls' && !isCalling ? { ...event, reason: 'stop' } : event;
  }
}

/** Returns the error of a response without content that ends for this reason; undefined if the reason explains it. */
export function endReasonError(reason: FinishReason, from: UpstreamDialectId): UpstreamError | undefined {
  if (reason === 'malformed-call')
    return failedResponseError('The model produced an invalid tool call.', 'malformed_call');
  if (reason === 'invalid-output') return failedResponseError('The model produced no usable output.', 'invalid_output');
  if (reason === 'tool-calls') return failedResponseError('The response lacks its tool call.', 'missing_call');
  if (reason === 'other' && !dialectsOfNewReasons.has(from))
    return failedResponseError('The model returned no content.', 'empty_answer');
  return undefined;
}
