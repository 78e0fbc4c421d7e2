/** Emulation for upstreams that cannot stream, or can only stream. */

import { garbled, HELD_BYTES_MAX } from '../errors/answer-errors.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { AnswerEvent } from '../model/conversation.ts';
import type { ChatFormat, Lost, StreamEncoder } from '../model/format.ts';
import { conversationUsage } from '../model/usage.ts';
import { heldBy } from '../translate/answer-choices.ts';

/** A whole answer as the client asked for it: whole, or as a stream. */
export function writeAnswer(
  chat: ChatFormat,
  events: readonly AnswerEvent[],
  request: ClientRequest,
  lost: Lost,
): string {
  const held = heldBy(chat, events, lost);
  if (request.facts.stream) return streamOf(chat, held, request, lost);
  return JSON.stringify(chat.encodeAnswer(withStart(held, request), request, lost));
}

function streamOf(
  chat: ChatFormat,
  events: readonly AnswerEvent[],
  request: ClientRequest,
  lost: Lost,
): string {
  const encoder = startingEncoder(chat, request, lost);
  const written = events.map((event) => encoder.push(event));
  return written.join('') + encoder.end();
}

/** An answer has a start, even of an upstream that does not say which model it is by. */
function withStart(events: readonly AnswerEvent[], { facts }: ClientRequest): readonly AnswerEvent[] {
  const hasStart = events.some(({ type }) => type === 'start');
  return hasStart
    ? events.map((event) => asTold(event, facts.model))
    : [{ type: 'start', id: '', model: facts.model }, ...events.map((event) => asTold(event, facts.model))];
}

function asTold(event: AnswerEvent, model: string): AnswerEvent {
  if (event.type === 'usage') return { ...event, usage: conversationUsage(event.usage) };
  return event.type === 'start' && event.model === '' ? { ...event, model } : event;
}

/** The same of a stream. */
export function startingEncoder(chat: ChatFormat, request: ClientRequest, lost: Lost): StreamEncoder {
  const encoder = chat.createStreamEncoder(request, lost);
  let begun = false;
  return {
    push(event) {
      const isMissing = !begun && event.type !== 'start';
      begun = true;
      const start = isMissing ? encoder.push({ type: 'start', id: '', model: request.facts.model }) : '';
      return start + encoder.push(asTold(event, request.facts.model));
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
export function collectingEncoder(chat: ChatFormat, request: ClientRequest, lost: Lost): StreamEncoder {
  const events: AnswerEvent[] = [];
  let held = 0;
  return {
    push(event) {
      held += JSON.stringify(event).length;
      if (held > HELD_BYTES_MAX) throw garbled('The upstream sent a response that is too large.');
      addTo(events, event);
      return '';
    },
    get heldCharacters() {
      return held;
    },
    end: () => JSON.stringify(chat.encodeAnswer(withStart(events, request), request, lost)),
  };
}

/** Pieces of the same text as one: whole answers do not come in a hundred of them. */
function addTo(whole: AnswerEvent[], event: AnswerEvent): void {
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
