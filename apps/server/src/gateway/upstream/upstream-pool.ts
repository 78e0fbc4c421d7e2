/**
 * Connections to upstreams: single connections on a free list for each origin, last used first, so that few stay warm
 * and finding a free one costs the same however many there are.
 */
import type { Readable } from 'node:stream';
import type { Client, Dispatcher } from 'undici';
import type { HttpClient } from '../../platform/outbound/outbound.ts';
import { isDescriptorShortage } from '../../platform/outbound/resource-shortage.ts';
import { guardResponse } from '../../platform/outbound/response-guard.ts';
import type { FreeClients, UpstreamClients } from './upstream-clients.ts';

export interface UpstreamPool {
  /** Sends a request; the handler hears everything that follows. */
  dispatch(target: UpstreamTarget, handler: PooledHandler): void;
  /** Ends the connections of all pools. */
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

const ADDRESSES_MAX = 10_000;

/** @param clients shared by all pools */
export function createUpstreamPool(
  ways: Pick<HttpClient, 'connect' | 'getProxyDispatcher'>,
  clients: UpstreamClients,
): UpstreamPool {
  const free: FreeClients = new Map();
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

  /** Without a descriptor, no connection can be established until free ones are closed. */
  const onFailure = (error: Error): void => {
    if (isDescriptorShortage(error)) clients.closeFree();
  };

  const clientFor = (handler: PooledHandler, origin: string, connectMs: number): Client => {
    const taken = clients.take(free, origin) ?? clients.add(free, origin, ways.connect(origin, connectMs));
    handler.release = (controller, error) => {
      detach(handler);
      if (error === undefined || controller?.aborted === true) return clients.free(taken);
      clients.discard(taken);
      onFailure(error);
    };
    handler.cancel = (reason) => void taken.client.destroy(reason).catch(() => {});
    return taken.client;
  };

  return {
    dispatch({ url, headers, body, method = 'POST', proxy, connectMs }, handler) {
      const { origin, path } = addressOf(url);
      const options = { path, method, headers, body } as const;
      if (proxy !== '') {
        detach(handler);
        handler.release = (_controller, error) => {
          detach(handler);
          if (error !== undefined) onFailure(error);
        };
        ways.getProxyDispatcher(proxy, origin).dispatch({ ...options, origin, headersTimeout: 0 }, handler);
        return;
      }
      clientFor(handler, origin, connectMs).dispatch(options, guardResponse(handler));
    },
    close: () => clients.closeAll(),
  };
}

function doNothing(): void {}

function detach(handler: PooledHandler): void {
  handler.release = doNothing;
  handler.cancel = doNothing;
}
