/** Client that calls the server like the console. */

import { type Client, createClient } from '@switchyard/contract/client';
import type { Send } from '@switchyard/contract/http-exchange';
import type { Routes } from '@switchyard/contract/route';

export interface Visitor {
  /** Headers that identify the visitor: a cookie, or an access token. */
  identity: Readonly<Record<string, string>>;
  /** Typed calls of one feature. */
  api<R extends Routes>(routes: R): Client<R>;
  /** Sends any request; `path` begins with a slash. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export function createVisitor(url: string, identity: Readonly<Record<string, string>>): Visitor {
  const request = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers({ origin: url, ...identity });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    return fetch(url + path, { redirect: 'manual', ...init, headers });
  };
  return { identity, api: (routes) => createClient(routes, createSend(request)), fetch: request };
}

const createSend =
  (request: Visitor['fetch']): Send =>
  async ({ method, path, body, idempotencyKey, signal }) => {
    const headers = new Headers();
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
    const response = await request(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: response.status, text: await response.text() };
  };

/** @returns the cookies of the session and of a new browser, as a request header */
export async function signIn(url: string, username: string, password: string): Promise<{ cookie: string }> {
  const response = await createVisitor(url, {}).fetch('/api/user/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const cookie = readSetCookies(response);
  if (response.status !== 200) throw new Error(`Sign-in failed: ${await response.text()}`);
  return { cookie };
}

/** Creates a client with a browser that keeps its cookies. @param headers of each of its requests */
export function createBrowserVisitor(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Visitor & { cookies: ReadonlyMap<string, string> } {
  const cookies = new Map<string, string>();
  const identity = (): Record<string, string> =>
    cookies.size === 0
      ? { ...headers }
      : { ...headers, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  const request: Visitor['fetch'] = async (path, init) => {
    const response = await createVisitor(url, identity()).fetch(path, init);
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';', 1);
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    cookies,
    get identity() {
      return identity();
    },
    fetch: request,
    api: (routes) => createClient(routes, createSend(request)),
  };
}

/** Returns the cookies that a browser would send after this response. */
function readSetCookies(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
}
