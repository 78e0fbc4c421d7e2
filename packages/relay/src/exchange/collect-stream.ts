/** Collection of a stream to a non-streaming response, for upstreams that can only stream. */

import { HELD_BYTES_MAX, tooLargeError } from '../errors/errors-in-successful-responses.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { ResponseEvent } from '../model/conversation.ts';
import type { ChatCodec, StreamEncoder, UnsupportedFields } from '../model/dialect.ts';
import { serializeResponse, withStart } from './emulated-stream.ts';

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
