import { playgroundPaths } from '@switchyard/contract/playground/playground';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { type AnswerPart, answerPart } from '../answer/answer-part.ts';
import type { ChatRequest } from './chat-request.ts';
import { callRelay, checkFailure, ownFailure } from './relay-call.ts';

const SILENCE_MS = 120_000;

interface Ask {
  request: ChatRequest;
  /** Aborted by the user, who has then seen enough. */
  signal: AbortSignal;
  onRequestId: (requestId: string) => void;
  onPart: (part: AnswerPart) => void;
}

/**
 * Sends a chat request as the signed-in user and reports the answer piece by piece.
 * @throws ChatError when it failed, DOMException `AbortError` when the user stopped it
 */
export async function askModel({ onPart, ...ask }: Ask): Promise<void> {
  const call = { path: playgroundPaths.text, silenceMs: SILENCE_MS, ...ask };
  await callRelay(call, async (response, onHeard) => {
    const events = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (response.ok && events && response.body !== null) await readEvents(response.body, onHeard, onPart);
    else onPart(wholeAnswer(response.ok, await response.text()));
  });
}

function wholeAnswer(ok: boolean, text: string): AnswerPart {
  checkFailure(text);
  const part = ok ? answerPart(text) : undefined;
  if (part === undefined) throw ownFailure(ok ? 'not_understood' : 'unreachable');
  return part;
}

async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onHeard: () => void,
  onPart: (part: AnswerPart) => void,
): Promise<void> {
  // A comment is a sign of life as well, so bytes are counted rather than events.
  const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      onHeard();
      controller.enqueue(bytes);
    },
  });
  const reader = body
    .pipeThrough(heard)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  let finished = false;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const { data } = next.value;
    if (data === '[DONE]') return;
    checkFailure(data);
    const part = answerPart(data);
    if (part === undefined) continue;
    finished ||= part.finished;
    onPart(part);
  }
  if (!finished) throw ownFailure('cut_off');
}
