import { emptyBuffer } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import type { Target } from '../model/provider.ts';

/** Headers of the connection, which an operator's value would break. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'upgrade',
  'te',
]);

/** Version at the end of a base URL, which operators include or omit and which the paths contain. */
const versionAtEnd = /\/v\d+[a-z]*$/;

/** @param path path below the base URL, or a whole URL */
export function buildUpstreamUrl(target: Target, path: string): string {
  if (path.startsWith('https://')) return path;
  const base = target.baseUrl.replace(/\/+$/, '');
  const url = withoutBeginningOf(path, base) + path;
  const { provider } = target;
  const fields = provider.query?.(target) ?? {};
  if (Object.keys(fields).length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(fields).toString()}`;
}

/**
 * Returns the base URL without the end that the path repeats: a version, or a prefix such as `/openai/v1`. Another
 * dialect may be beside it: `/anthropic/v1`.
 */
function withoutBeginningOf(path: string, base: string): string {
  const host = base.indexOf('//') + 2;
  for (let at = base.indexOf('/', host); at !== -1; at = base.indexOf('/', at + 1))
    if (`${path}/`.startsWith(`${base.slice(at)}/`)) return base.slice(0, at);
  const version = versionAtEnd.exec(base)?.[0];
  return version !== undefined && path.includes(`${version}/`) ? base.slice(0, -version.length) : base;
}

/** Cache of a channel's headers, which differ only by the forwarded client headers. */
const cachedHeaders = new WeakMap<Target['credentials'], Map<string, string[]>>();
const CACHED_HEADERS_MAX = 50;

/**
 * Returns name, value, name, value, …: the gateway's headers, then the client's, the operator's and the credentials,
 * of which later ones take precedence. The caller must not change the list.
 */
export function buildUpstreamHeaders(target: Target, format: UpstreamDialectId, request: ClientRequest): string[] {
  const { stream } = request.facts;
  const [family = ''] = format.split('-');
  const said = selectHeaders(request.headers, `${family}-`);
  const known = cachedHeaders.get(target.credentials) ?? new Map<string, string[]>();
  const accept = request.framing === 'bytes' ? '*/*' : stream ? 'text/event-stream' : 'application/json';
  const name = `${format} ${accept} ${said.join('\n')}`;
  const headers = known.get(name) ?? makeHeaders(target, accept, said);
  if (known.size < CACHED_HEADERS_MAX) cachedHeaders.set(target.credentials, known.set(name, headers));
  return headers;
}

/** Returns the headers with those of one body, for instance the boundary of a form, instead of the operator's. */
export function replaceHeaders(headers: string[], own: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(own);
  if (names.length === 0) return headers;
  const others = headers.flatMap((name, at) =>
    at % 2 === 0 && !names.includes(name) ? [name, headers[at + 1] ?? ''] : [],
  );
  return [...Object.entries(own).flat(), ...others];
}

function makeHeaders(target: Target, accept: string, said: readonly [string, string][]): string[] {
  const { provider } = target;
  const headers = new Map<string, string>([
    ['content-type', 'application/json'],
    ['accept', accept],
    // The response is read on its way, so that it must not be compressed.
    ['accept-encoding', 'identity'],
  ]);
  const layers = [
    provider.headers ?? {},
    Object.fromEntries(said),
    operatorHeaders(target),
    provider.authorize(target),
  ];
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer)) headers.set(name.toLowerCase(), value);
  }
  return [...headers].flat();
}

/** Returns the headers of a request with its signature, if the provider signs requests. */
export function signHeaders(target: Target, headers: string[], url: string, body: Buffer): string[] {
  const signature = target.provider.sign?.({ method: 'POST', url, body }, target, Date.now());
  return signature === undefined ? headers : [...headers, ...Object.entries(signature).flat()];
}

/** Returns the headers of a request that is not relayed. */
export function buildAccountHeaders(
  target: Target,
  url: string,
  method: 'GET' | 'POST' | 'DELETE' = 'GET',
  body: Buffer = emptyBuffer,
): Record<string, string> {
  const { provider } = target;
  return {
    accept: 'application/json',
    ...provider.headers,
    ...operatorHeaders(target),
    ...provider.authorize(target),
    ...provider.sign?.({ method, url, body }, target, Date.now()),
  };
}

function selectHeaders(headers: Readonly<Record<string, string>>, prefix: string): [string, string][] {
  return Object.entries(headers).filter(([name]) => name.startsWith(prefix));
}

function operatorHeaders(target: Target): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(target.headers)) {
    if (!connectionHeaders.has(name.toLowerCase())) own[name.toLowerCase()] = value;
  }
  return own;
}
