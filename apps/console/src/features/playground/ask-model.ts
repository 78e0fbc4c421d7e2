import { PLAYGROUND_CHAT_PATH } from '@switchyard/contract/playground';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { type AnswerPart, answerPart, failureIn } from './answer-part.ts';
import type { ChatRequest } from './chat-request.ts';

/** A call from which nothing has come for this long is given up. */
const SILENCE_MS = 120_000;

/** Codes of our own, beside the gateway's. */
type OwnFailure = 'unreachable' | 'silent' | 'cut_off' | 'not_understood';

export class ChatError extends Error {
  readonly code: string;

  constructor(code: string, message = '') {
    super(message);
    this.name = 'ChatError';
    this.code = code;
  }
}

const own = (code: OwnFailure) => new ChatError(code);

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
export async function askModel({ request, signal, onRequestId, onPart }: Ask): Promise<void> {
  const silence = watchSilence();
  try {
    const response = await fetch(new URL(PLAYGROUND_CHAT_PATH, location.origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      credentials: 'same-origin',
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    silence.heard();
    const requestId = response.headers.get('x-request-id');
    if (requestId !== null) onRequestId(requestId);
    const events = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (response.ok && events && response.body !== null)
      await readEvents(response.body, silence.heard, onPart);
    else onPart(wholeAnswer(response.ok, await response.text()));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (silence.signal.aborted) throw own('silent');
    throw error instanceof ChatError ? error : own('unreachable');
  } finally {
    silence.end();
  }
}

function watchSilence() {
  const controller = new AbortController();
  const start = () => setTimeout(() => controller.abort(), SILENCE_MS);
  let timer = start();
  return {
    signal: controller.signal,
    heard: () => {
      clearTimeout(timer);
      timer = start();
    },
    end: () => clearTimeout(timer),
  };
}

function wholeAnswer(ok: boolean, text: string): AnswerPart {
  const failure = failureIn(text);
  if (failure !== undefined) throw new ChatError(failure.code, failure.message);
  const part = ok ? answerPart(text) : undefined;
  if (part === undefined) throw own(ok ? 'not_understood' : 'unreachable');
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
    const failure = failureIn(data);
    if (failure !== undefined) throw new ChatError(failure.code, failure.message);
    const part = answerPart(data);
    if (part === undefined) continue;
    finished ||= part.finished;
    onPart(part);
  }
  if (!finished) throw own('cut_off');
}
