import type { Client } from '@switchyard/contract/client';
import { unwrapEnvelope, type WireRequest, type WireResponse } from '@switchyard/contract/http-exchange';
import type { Routes } from '@switchyard/contract/route';

const DEADLINE_MS = 30_000;

type EndListener = () => void;
let signedOut: EndListener = () => {};

/** Sets the listener for a response that says that the session has ended. */
export function onSignedOut(listener: EndListener): void {
  signedOut = listener;
}

let impersonationOver: EndListener = () => {};

/** Sets the listener for a response that says that root's impersonation of a user has ended. */
export function onImpersonationEnd(listener: EndListener): void {
  impersonationOver = listener;
}

/** Reports the end of a session by its error code, because a wrong password is a 401 too. */
function reportSessionEnd(status: number, text: string): void {
  if (status !== 401) return;
  if (text.includes('"not-signed-in"')) signedOut();
  if (text.includes('"impersonation-over"')) impersonationOver();
}

/** Sends a contract call to this console's own server; each feature passes it to its client. */
export const send = async (
  { method, path, body, idempotencyKey, signal }: WireRequest,
  deadlineMs = DEADLINE_MS,
): Promise<WireResponse> => {
  const deadline = AbortSignal.timeout(deadlineMs);
  // The header proves over plain HTTP that no other site caused the request.
  const headers: Record<string, string> = { accept: 'application/json', 'x-requested-with': 'XMLHttpRequest' };
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
 * Returns a client of routes that are loaded on demand, for features of the first page, which does not wait
 * for the schema library.
 */
export async function loadClient<R extends Routes>(routes: Promise<R>): Promise<Client<Awaited<R>>> {
  const [definitions, { createClient }] = await Promise.all([routes, import('@switchyard/contract/client')]);
  return createClient(definitions, send);
}

/**
 * Posts to an event-stream route and yields the raw text in chunks that may split an event. Only the signal
 * ends it; there is no deadline.
 * @throws ApiError when the server responds with an error
 */
export async function* sendForEventStream(path: string, body: string, signal: AbortSignal): AsyncGenerator<string> {
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
