/** Guarded `fetch` for small responses that are read whole, such as discovery documents, keys and token exchanges. */
import { BytePieces } from '@switchyard/relay/byte-pieces';
import { parseUrl } from '@switchyard/relay/parse-url';
import type { Dispatcher } from 'undici';
import { AddressNotAllowedError, type OutboundGuard } from './outbound-guard.ts';

const DEADLINE_MS = 10_000;
const ANSWER_MAX_BYTES = 1024 * 1024;
/** Maximum redirects that are followed for one request. */
export const REDIRECTS_MAX = 3;

export type OutboundFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const bodylessStatuses = new Set([204, 205, 304]);
/** Any other header may be a credential, and is only sent to the original host. */
const headersForAnyHost = new Set(['accept', 'accept-language', 'user-agent', 'content-type']);

/** Origins of vendors → origins of their test doubles. */
export type OriginOverrides = Readonly<Record<string, string>>;

/** Creates a `fetch` that checks each address and redirect, and reads the whole response. */
export function createOutboundFetch(
  dispatcher: Dispatcher,
  guard: OutboundGuard,
  standIns: OriginOverrides,
): OutboundFetch {
  return async (url, init = {}) => {
    const { headers, method, redirect } = new Request(url, init);
    // The caller's own signal: a `Request`'s signal follows it only until the request is garbage-collected.
    const ends = init.signal == null ? [] : [init.signal];
    const deadline = AbortSignal.any([...ends, AbortSignal.timeout(DEADLINE_MS)]);
    let hop: RequestHop = { url: new URL(url), method, headers, body: toRequestBody(init.body) };
    for (let followed = 0; ; followed += 1) {
      checkTarget(hop.url, guard);
      const answer = await sendHop(dispatcher, hop, standIns[hop.url.origin] ?? hop.url.origin, deadline);
      const location = answer.headers.get('location');
      if (redirect === 'manual' || !isRedirect(answer.status) || location === null) return answer;
      if (redirect === 'error') throw new Error('The response is a redirect');
      if (followed === REDIRECTS_MAX) throw new Error('The response has too many redirects');
      hop = followRedirect(hop, answer.status, location);
    }
  };
}

/**
 * Makes the global `fetch` refuse every call in this process. No code of the server uses it; a library would load from
 * addresses that nobody has checked, without a limit of size.
 */
export function forbidGlobalFetch(): void {
  globalThis.fetch = () => Promise.reject(new Error('This process sends requests only through its outbound guard'));
}

interface RequestHop {
  url: URL;
  method: string;
  headers: Headers;
  body: string | Uint8Array | null;
}

/** Returns the body; `new Request` has already set the content type of a form. */
function toRequestBody(body: RequestInit['body']): RequestHop['body'] {
  if (body === undefined || body === null) return null;
  if (body instanceof URLSearchParams) return body.toString();
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  throw new TypeError('The body must be text, bytes or a form');
}

function checkTarget(url: URL, guard: OutboundGuard): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new AddressNotAllowedError(`The scheme ${url.protocol} is not supported. Use an http or https address.`);
  if (url.username !== '' || url.password !== '')
    throw new AddressNotAllowedError(`The address of ${url.host} contains a username or password. Remove them.`);
  guard.checkHost(url.hostname);
}

async function sendHop(
  dispatcher: Dispatcher,
  hop: RequestHop,
  origin: string,
  signal: AbortSignal,
): Promise<Response> {
  const answer = await dispatcher.request({
    origin,
    path: hop.url.pathname + hop.url.search,
    method: hop.method,
    // Responses are never decompressed, so that a small one cannot become a large one.
    headers: { ...Object.fromEntries(hop.headers), 'accept-encoding': 'identity' },
    body: hop.body,
    // The signal is the only deadline.
    headersTimeout: 0,
    signal,
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const body = await readAtMost(answer.body, ANSWER_MAX_BYTES);
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') throw new Error('The response is compressed');
  return new Response(bodylessStatuses.has(answer.statusCode) ? null : body, { status: answer.statusCode, headers });
}

/** @param count is called with the bytes of each chunk. @throws Error when more bytes arrive, or what `count` throws */
export async function readAtMost(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  count = (_bytes: number): void => {},
): Promise<Buffer<ArrayBuffer>> {
  const held = new BytePieces();
  for await (const chunk of body) {
    count(chunk.length);
    held.push(chunk);
    if (held.length > maxBytes) throw new Error('The response is too large');
  }
  return Buffer.concat([held.whole()]);
}

/** @throws Error if the redirect is invalid, would leave https, or send a body to another host */
function followRedirect(hop: RequestHop, status: number, location: string): RequestHop {
  const url = parseUrl(location, hop.url.href);
  if (url === undefined) throw new Error('The response redirects to an invalid address');
  if (hop.url.protocol === 'https:' && url.protocol !== 'https:')
    throw new Error('The response redirects from https to an unencrypted address');
  const toGet = status === 303 || (status < 303 && hop.method === 'POST');
  const next = toGet
    ? { url, method: hop.method === 'HEAD' ? 'HEAD' : 'GET', headers: new Headers(hop.headers), body: null }
    : { ...hop, url };
  if (toGet) next.headers.delete('content-type');
  if (url.origin === hop.url.origin) return next;
  if (next.body !== null) throw new Error('The response redirects the request body to another host');
  return { ...next, headers: keepSafeHeaders(next.headers) };
}

function keepSafeHeaders(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => headersForAnyHost.has(name)));
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function isRedirect(status: number): boolean {
  return redirects.has(status);
}

/** Returns the address to which a response redirects, if it is an HTTP address. */
export function resolveRedirect(status: number, location: unknown, from: string): string | undefined {
  if (!isRedirect(status) || typeof location !== 'string') return undefined;
  const next = parseUrl(location, from);
  return next !== undefined && /^https?:$/.test(next.protocol) ? next.href : undefined;
}
