/**
 * Connections to upstreams: single connections on a free list for each origin, last used first, so that few stay warm
 * and finding a free one costs the same however many there are.
 */
import type { Readable } from 'node:stream';
import type { Client, Dispatcher } from 'undici';
import { afterOthers } from '../../platform/clock.ts';
import type { HttpWays } from '../../platform/outbound/outbound.ts';
import { guardResponse } from '../../platform/outbound/response-guard.ts';

export interface UpstreamPool {
  /** Sends a request; the handler hears everything that follows. */
  dispatch(target: UpstreamTarget, handler: PooledHandler): void;
  close(): Promise<void>;
}

export interface PooledHandler extends Dispatcher.DispatchHandler {
  /**
   * Set by the pool; to be called once, when the response has ended, or has failed: then with the arguments of
   * `onResponseError`. A failure that is not an abort of the gateway's own ends the connection.
   */
  release: (controller?: Dispatcher.DispatchController, error?: Error) => void;
  /**
   * Set by the pool: ends the request by ending its connection, also one that has not started, which has no controller
   * that could abort it. An HTTP/2 upstream that allows no streams would keep the body and the connection for ever.
   * Does nothing after the release, nor to a connection through a proxy, which other requests use too.
   */
  cancel: (reason: Error) => void;
}

export interface UpstreamTarget {
  url: string;
  headers: string[];
  body: Buffer | Readable | null;
  /** POST where it is absent. */
  method?: Dispatcher.HttpMethod;
  /** Empty: none. */
  proxy: string;
  /** Milliseconds within which a new connection must come about. */
  connectMs: number;
}

interface Origin {
  free: Client[];
}

const FREE_MAX = 256;
const ADDRESSES_MAX = 10_000;

export function createUpstreamPool(ways: Pick<HttpWays, 'connect' | 'through'>): UpstreamPool {
  const origins = new Map<string, Origin>();
  const clients = new Set<Client>();
  const addresses = new Map<string, { origin: string; path: string }>();

  const addressOf = (url: string): { origin: string; path: string } => {
    const known = addresses.get(url);
    if (known !== undefined) return known;
    const parsed = new URL(url);
    const address = { origin: parsed.origin, path: parsed.pathname + parsed.search };
    if (addresses.size >= ADDRESSES_MAX) addresses.clear();
    addresses.set(url, address);
    return address;
  };

  const originOf = (name: string): Origin => {
    const known = origins.get(name);
    const origin = known ?? { free: [] };
    if (known === undefined) origins.set(name, origin);
    return origin;
  };

  const free = (origin: Origin, client: Client): void => {
    if (client.destroyed || origin.free.length >= FREE_MAX) {
      clients.delete(client);
      if (!client.destroyed) client.close().catch(() => {});
    } else {
      origin.free.push(client);
    }
  };

  /** undici reports a failed HTTP/2 session before it has left it: a request that comes at once would fail as well. */
  const discard = (client: Client): void => {
    clients.delete(client);
    afterOthers(() => void client.destroy().catch(() => {}));
  };

  const connectFor = (handler: PooledHandler, name: string, connectMs: number): Client => {
    const origin = originOf(name);
    const client = takeUsable(origin) ?? ways.connect(name, connectMs);
    clients.add(client);
    handler.release = (controller, error) => {
      detach(handler);
      if (error === undefined || controller?.aborted === true) free(origin, client);
      else discard(client);
    };
    handler.cancel = (reason) => void client.destroy(reason).catch(() => {});
    return client;
  };

  return {
    dispatch({ url, headers, body, method = 'POST', proxy, connectMs }, handler) {
      const { origin, path } = addressOf(url);
      const options = { path, method, headers, body } as const;
      if (proxy !== '') {
        detach(handler);
        ways.through(proxy, origin).dispatch({ ...options, origin, headersTimeout: 0 }, handler);
        return;
      }
      connectFor(handler, origin, connectMs).dispatch(options, guardResponse(handler));
    },
    async close() {
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };
}

function doNothing(): void {}

function detach(handler: PooledHandler): void {
  handler.release = doNothing;
  handler.cancel = doNothing;
}

function takeUsable(origin: Origin): Client | undefined {
  let client = origin.free.pop();
  while (client?.destroyed === true) client = origin.free.pop();
  return client;
}
