/**
 * Encoding of a chat response in the client's form: JSON, also of a collected stream, or a stream, also of a response
 * that is none.
 */

import { HELD_BYTES_MAX } from '../errors/response-limits.ts';
import { tooLargeError } from '../errors/upstream-error.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { ResponseEvent } from '../model/conversation.ts';
import type { ChatCodec, StreamEncoder, UnsupportedFields } from '../model/dialect.ts';
import { conversationUsage } from '../model/usage.ts';
import { selectChoices } from '../translate/response-choices.ts';

/** Encodes a non-streaming response in the form that the client requested. */
export function encodeAsRequested(
  chat: ChatCodec,
  events: readonly ResponseEvent[],
  request: ClientRequest,
  lost: UnsupportedFields,
): string {
  const held = selectChoices(chat, events, lost);
  if (request.facts.stream) return encodeStream(chat, held, request, lost);
  return serializeResponse(chat, withStart(held, request), request, lost);
}

/** Returns the JSON of a non-streaming response. */
export function serializeResponse(
  chat: ChatCodec,
  events: readonly ResponseEvent[],
  request: ClientRequest,
  lost: UnsupportedFields,
): string {
  const response = chat.encodeResponse(events, request, lost);
  return typeof response === 'string' ? response : JSON.stringify(response);
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

/** Adds a start event, with the requested model if the upstream names none. */
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

/** Creates an encoder that adds a missing start event. */
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
 * Creates an encoder that collects a stream and returns a non-streaming response at its end. Its `push` throws an
 * `UpstreamError` when the response exceeds the memory limit.
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
      if (held > HELD_BYTES_MAX) throw tooLargeError('The upstream sent a response that is too large.');
      appendEvent(events, event);
      return '';
    },
    get heldCharacters() {
      return held;
    },
    end: () => serializeResponse(chat, withStart(events, request), request, lost),
  };
}

/**
 * Appends an event, joined with the preceding event of the same text: a non-streaming response must not have hundreds
 * of pieces.
 */
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
