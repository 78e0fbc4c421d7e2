import { failureIn } from '../answer/answer-part.ts';

/** Codes of our own, beside the gateway's. */
type OwnFailure = 'unreachable' | 'silent' | 'cut_off' | 'not_understood' | 'recording_gone';

export class ChatError extends Error {
  readonly code: string;

  constructor(code: string, message = '') {
    super(message);
    this.name = 'ChatError';
    this.code = code;
  }
}

export const ownFailure = (code: OwnFailure) => new ChatError(code);

interface RelayCall {
  path: string;
  /** Sent as JSON, unless it is a form. */
  request: object;
  /** Aborted by the user, who has then seen enough. */
  signal: AbortSignal;
  /** A call from which nothing has come for this long is given up. */
  silenceMs: number;
  onRequestId: (requestId: string) => void;
}

/**
 * Sends a request to the relay as the signed-in user.
 * @param read is told what calls off the wait as long as something comes
 * @throws ChatError when it failed, DOMException `AbortError` when the user stopped it
 */
export async function callRelay<Read>(
  { path, request, signal, silenceMs, onRequestId }: RelayCall,
  read: (response: Response, onHeard: () => void) => Promise<Read>,
): Promise<Read> {
  const silence = watchSilence(silenceMs);
  try {
    const response = await fetch(new URL(path, location.origin), {
      method: 'POST',
      ...(request instanceof FormData
        ? { body: request }
        : { body: JSON.stringify(request), headers: { 'content-type': 'application/json' } }),
      credentials: 'same-origin',
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    silence.heard();
    const requestId = response.headers.get('x-request-id');
    if (requestId !== null) onRequestId(requestId);
    return await read(response, silence.heard);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (silence.signal.aborted) throw ownFailure('silent');
    throw error instanceof ChatError ? error : ownFailure('unreachable');
  } finally {
    silence.end();
  }
}

/** @throws ChatError when the text tells a failure */
export function checkFailure(text: string): void {
  const failure = failureIn(text);
  if (failure !== undefined) throw new ChatError(failure.code, failure.message);
}

function watchSilence(milliseconds: number) {
  const controller = new AbortController();
  const start = () => setTimeout(() => controller.abort(), milliseconds);
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
