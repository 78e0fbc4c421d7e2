/** Calls the management API of a running server, as the console does. */

import { ApiError, type Send } from '@switchyard/contract/billing/exchange';
import { createClient } from '@switchyard/contract/client';
import type { Config } from '../../config.ts';
import { messageOf } from '../../platform/message-of.ts';
import { createOutbound, type Outbound } from '../../platform/outbound/outbound.ts';
import type { Api } from './plan.ts';

/** Timeout in milliseconds; checking thousands of channels takes a while. */
const ANSWER_TIMEOUT_MS = 120_000;

export interface Connection {
  api: Api;
  close: () => Promise<void>;
}

/** @param said the server's address; undefined: where a server of this configuration would listen */
export function connect(config: Config, said: string | undefined): Connection {
  const token = config.accessToken;
  if (token === undefined) throw new Error('Set SWITCHYARD_TOKEN to an access token of the server');
  const url = addressOf(said ?? localAddress(config), said === undefined || config.plainHttpStaff);
  // Where the server is, the operator says.
  const outbound = createOutbound([url.hostname]);
  const send = sendBy(outbound, url.href.replace(/\/+$/, ''), token);
  return { api: (routes) => createClient(routes, send), close: () => outbound.close() };
}

function localAddress({ host, port }: Config): string {
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${own.includes(':') ? `[${own}]` : own}:${port}`;
}

/** A token that was sent in the clear is known, whatever the server answers. */
function addressOf(text: string, allowsPlain: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw new Error('--server must be a URL that begins with https:// or http://');
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLocal && !allowsPlain)
    throw new Error(
      'Over plain HTTP the access token is sent only to this machine. Use https://, or set PLAIN_HTTP_STAFF=true.',
    );
  return url;
}

function sendBy(outbound: Outbound, address: string, token: string): Send {
  return async ({ method, path, body, signal }) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const { status, text } = await outbound.fetchJson({
        method: methodOf(method),
        url: `${address}${path}`,
        headers,
        body,
        proxy: '',
        timeoutMs: ANSWER_TIMEOUT_MS,
        signal,
      });
      return { status, text };
    } catch (error) {
      throw new Error(`The server at ${address} does not respond: ${messageOf(error)}`, { cause: error });
    }
  };
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;

function methodOf(text: string): (typeof methods)[number] {
  const method = methods.find((one) => one === text);
  if (method === undefined) throw new Error(`Unsupported HTTP method ${text}`);
  return method;
}

/** Converts a refused call into an error for the person who runs the command. */
export function explained(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const sentence = sentences[error.code] ?? error.message;
  const fields = error.fields.map(({ path, message }) => `\n${path}: ${message}`).join('');
  return new Error(`${sentence}${fields}`, { cause: error });
}

const sentences: Partial<Record<ApiError['code'], string>> = {
  'not-signed-in': 'The server rejected the access token in SWITCHYARD_TOKEN',
  'not-allowed':
    'The access token lacks a permission: it needs channels.write, groups.write and prices.write, root for settings, and must not be read-only',
};
