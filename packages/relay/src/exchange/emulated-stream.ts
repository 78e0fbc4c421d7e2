/** Emulation for upstreams that cannot stream, or can only stream. */

import { garbledError, HELD_BYTES_MAX } from '../errors/response-errors.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { ResponseEvent } from '../model/conversation.ts';
import type { ChatCodec, StreamEncoder, UnsupportedFields } from '../model/dialect.ts';
import { conversationUsage } from '../model/usage.ts';
import { selectChoices } from '../translate/response-choices.ts';

/** A whole answer as the client asked for it: whole, or as a stream. */
export function encodeAsRequested(
  chat: ChatCodec,
  events: readonly ResponseEvent[],
  request: ClientRequest,
  lost: UnsupportedFields,
): string {
  const held = selectChoices(chat, events, lost);
  if (request.facts.stream) return encodeStream(chat, held, request, lost);
  return JSON.stringify(chat.encodeResponse(withStart(held, request), request, lost));
}

function encodeStream(
  chat: ChatCodec,
  events: readonly ResponseEvent[],
  request: ClientRequest,
  lost: UnsupportedFields,
): string {
  const encoder = createStartingEncoder(chat, request, lost);
  const written = events.map((event) => encoder.push(event));
  return written.join('') + encoder.end();
}

/** An answer has a start, even of an upstream that does not say which model it is by. */
function withStart(events: readonly ResponseEvent[], { facts }: ClientRequest): readonly ResponseEvent[] {
  const hasStart = events.some(({ type }) => type === 'start');
  return hasStart
    ? events.map((event) => fillStart(event, facts.model))
    : [{ type: 'start', id: '', model: facts.model }, ...events.map((event) => fillStart(event, facts.model))];
}

function fillStart(event: ResponseEvent, model: string): ResponseEvent {
  if (event.type === 'usage') return { ...event, usage: conversationUsage(event.usage) };
  return event.type === 'start' && event.model === '' ? { ...event, model } : event;
}

/** The same of a stream. */
export function createStartingEncoder(chat: ChatCodec, request: ClientRequest, lost: UnsupportedFields): StreamEncoder {
  const encoder = chat.createStreamEncoder(request, lost);
  let begun = false;
  return {
    push(event) {
      const isMissing = !begun && event.type !== 'start';
      begun = true;
      const start = isMissing ? encoder.push({ type: 'start', id: '', model: request.facts.model }) : '';
      return start + encoder.push(fillStart(event, request.facts.model));
    },
    end: () => encoder.end(),
    get heldCharacters() {
      return encoder.heldCharacters ?? 0;
    },
  };
}

/**
 * Writes nothing until a stream has ended, and then the whole answer that the client asked for.
 * Its `push` throws an `UpstreamError` when there is too much to be held.
 */
export function createCollectingEncoder(
  chat: ChatCodec,
  request: ClientRequest,
  lost: UnsupportedFields,
): StreamEncoder {
  const events: ResponseEvent[] = [];
  let held = 0;
  return {
    push(event) {
      held += JSON.stringify(event).length;
      if (held > HELD_BYTES_MAX) throw garbledError('The upstream sent a response that is too large.');
      appendEvent(events, event);
      return '';
    },
    get heldCharacters() {
      return held;
    },
    end: () => JSON.stringify(chat.encodeResponse(withStart(events, request), request, lost)),
  };
}

/** Pieces of the same text as one: whole answers do not come in a hundred of them. */
function appendEvent(whole: ResponseEvent[], event: ResponseEvent): void {
  const last = whole.at(-1);
  const isMore =
    last !== undefined &&
    'text' in last &&
    'text' in event &&
    last.type === event.type &&
    last.choice === event.choice &&
    (last.type !== 'tool-arguments' || (event.type === 'tool-arguments' && last.index === event.index));
  if (isMore) whole[whole.length - 1] = { ...last, text: last.text + event.text };
  else whole.push(event);
}
