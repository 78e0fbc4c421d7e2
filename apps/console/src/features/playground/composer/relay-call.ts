import { failureIn } from '../answer/answer-chunk.ts';

/** Error codes of the console, besides the gateway's. */
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
  /** Body: a form, or an object that is sent as JSON. */
  request: object;
  /** Signal by which the user stops the call. */
  signal: AbortSignal;
  /** Time without a byte after which the call is aborted. */
  silenceMs: number;
  onRequestId: (requestId: string) => void;
}

/**
 * Sends a request to the relay as the signed-in user.
 * @param read calls `onHeard` for each byte that arrives, which restarts the silence timeout
 * @throws ChatError after a failure, DOMException `AbortError` when the user stopped it
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

/** @throws ChatError when the text contains an error */
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
