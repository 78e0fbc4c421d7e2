/** Pool of upstream connections, and a pool that replays a response in its place. */
import type { Readable } from 'node:stream';
import type { Client, Dispatcher } from 'undici';
import type { HttpClient } from '../../platform/outbound/outbound.ts';
import { guardResponse } from '../../platform/outbound/response-framing-guard.ts';
import { isDescriptorShortage } from '../../platform/outbound/system-resolver.ts';
import type { FreeClients, UpstreamClients } from './upstream-clients.ts';

export interface UpstreamPool {
  /** Sends a request; the handler receives all later events. */
  dispatch(target: UpstreamTarget, handler: PooledHandler): void;
  /** Ends the connections of all pools. */
  close(): Promise<void>;
}

export interface PooledHandler extends Dispatcher.DispatchHandler {
  /**
   * Set by the pool. Must be called once when the response has ended, or with the arguments of `onResponseError` when
   * it failed. A failure that is not the gateway's own abort closes the connection.
   */
  release: (controller?: Dispatcher.DispatchController, error?: Error) => void;
  /**
   * Set by the pool. Cancels the request by closing its connection, even before a controller exists that could abort
   * it. Does nothing after the release, nor to a connection through a proxy, which other requests share.
   */
  cancel: (reason: Error) => void;
}

export interface UpstreamTarget {
  url: string;
  headers: string[];
  body: Buffer | Readable | null;
  /** Absent for POST. */
  method?: Dispatcher.HttpMethod;
  /** Empty for none. */
  proxy: string;
  /** Milliseconds within which a new connection must be established. */
  connectMs: number;
}

const ADDRESSES_MAX = 10_000;

/**
 * Creates a pool with an idle list per origin, last used first, so that few connections stay warm and taking one costs
 * the same however many there are.
 * @param clients shared by all pools
 */
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

  /** Closes idle connections when descriptors run out, since no new connection can be opened until then. */
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

export interface VendorResponse {
  status: number;
  /** JSON. */
  body: Buffer;
}

/** Creates a pool that replays a vendor's response that was already received, without an upstream call. */
export function createReplayPool({ status, body }: VendorResponse): Pick<UpstreamPool, 'dispatch'> {
  return {
    dispatch(_target, handler) {
      handler.release = () => {};
      handler.cancel = () => {};
      const controller = {
        aborted: false,
        paused: false,
        reason: null,
        abort: () => {},
        pause: () => {},
        resume: () => {},
      };
      queueMicrotask(() => {
        handler.onRequestStart?.(controller, undefined);
        handler.onResponseStart?.(controller, status, { 'content-type': 'application/json' });
        handler.onResponseData?.(controller, body);
        handler.onResponseEnd?.(controller, {});
      });
    },
  };
}
