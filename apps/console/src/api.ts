import { unwrapEnvelope, type WireRequest, type WireResponse } from '@switchyard/contract/http-exchange';

const DEADLINE_MS = 30_000;

type EndListener = () => void;
let signedOut: EndListener = () => {};

/** Called when the management API says that nobody is signed in any more. */
export function onSignedOut(listener: EndListener): void {
  signedOut = listener;
}

let impersonationOver: EndListener = () => {};

/** Called when the management API says that root no longer acts as another user. */
export function onImpersonationEnd(listener: EndListener): void {
  impersonationOver = listener;
}

/** A wrong password is a 401 as well and ends no session. */
function reportSessionEnd(status: number, text: string): void {
  if (status !== 401) return;
  if (text.includes('"not-signed-in"')) signedOut();
  if (text.includes('"impersonation-over"')) impersonationOver();
}

/**
 * Carries the contract's calls to this console's own server. A feature makes its client with it once:
 * `const api = createClient(apiKeys, send)`.
 */
export const send = async (
  { method, path, body, idempotencyKey, signal }: WireRequest,
  deadlineMs = DEADLINE_MS,
): Promise<WireResponse> => {
  const deadline = AbortSignal.timeout(deadlineMs);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  const response = await fetch(new URL(path, location.origin), {
    method,
    headers,
    credentials: 'same-origin',
    redirect: 'error',
    signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  reportSessionEnd(response.status, text);
  return { status: response.status, text };
};

/**
 * Posts to a route that answers with events, and hands on their text as it comes, cut anywhere. There is no deadline: the
 * signal ends it.
 * @throws ApiError when the server refused
 */
export async function* sendForEventStream(
  path: string,
  body: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const response = await fetch(new URL(path, location.origin), {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body,
    credentials: 'same-origin',
    redirect: 'error',
    signal,
  });
  if (!response.ok || response.body === null) {
    const text = await response.text();
    reportSessionEnd(response.status, text);
    unwrapEnvelope({ status: response.status, text });
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
