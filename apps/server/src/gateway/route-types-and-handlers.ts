/**
 * Routes of the relay's listener as data: which requests a route serves, who may use it, and what handles it. The
 * gateway serves only what is in its table (`route-table.ts`), so that no route exists without a declaration.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DialectId, RequestRoute } from '@switchyard/relay';
import type { ClientAddress } from '../platform/http/client-address.ts';
import type { Log } from '../platform/log.ts';
import type { EndpointRequest, TaskEndpointRequest } from './endpoints/read-own-tasks.ts';
import type { ConcurrencySlot } from './limits/concurrency-limiter.ts';
import { type AdmitAddressParts, admitAddress, admitEndpointRequest } from './pipeline/admit-endpoint-requests.ts';
import { sendError } from './pipeline/send-response.ts';
import { type WatchRightsParts, watchRights } from './pipeline/stop-unauthorized-requests.ts';
import type { Principal } from './snapshot/authenticate-api-key.ts';

export interface RouteParts extends AdmitAddressParts, WatchRightsParts {
  siteOf: ClientAddress['getSiteOrigin'];
  log: Log;
}

/**
 * `key`: an API key that is enabled, has not expired and may be used from the address; limited by key, user and address.
 * `session`: the console's session, or an access token; limited by user and address.
 * `anyone`: no credentials, for artifacts at public addresses and callbacks; limited by address.
 */
export type RouteAccess = 'key' | 'session' | 'anyone';

/** `spends`: costs points. `changes`: removes or cancels. `reads`: changes nothing. */
export type RouteEffect = 'spends' | 'changes' | 'reads';

/** Properties of a request that its address determines. */
export interface RequestTarget {
  method: string;
  /** Path without the query and without a trailing slash. */
  path: string;
  /** Relayed route, or the route whose tokens are counted. */
  relayRoute: RequestRoute | undefined;
  isCount: boolean;
  isPlayground: boolean;
}

/** Request that a route serves. */
export interface RouteRequest extends EndpointRequest, RequestTarget {
  response: ServerResponse;
  /** Identifies the caller as the route declares. @throws RelayError */
  identify(): Principal | Promise<Principal>;
}

export interface GatewayRoute {
  name: string;
  access: RouteAccess;
  effect: RouteEffect;
  /** Example requests, as `METHOD path`, for tests and documentation. */
  examples: readonly [string, ...string[]];
  serves(request: RequestTarget): boolean;
  /** Dialect of errors, if the path alone does not determine it. */
  errorDialect?(message: IncomingMessage, path: string): DialectId;
  /** Responds in every case; never rejects. */
  serve(request: RouteRequest): Promise<void>;
}

type HandleEndpoint = (
  principal: Principal,
  request: TaskEndpointRequest,
  slot: ConcurrencySlot,
) => Promise<string | undefined>;

/** Serves a query with a key: identifies and admits the caller, and sends the JSON that `handle` returns. */
export function createEndpointHandler(
  parts: RouteParts,
  handle: HandleEndpoint,
  occupiesSlot: (request: RouteRequest) => boolean,
): GatewayRoute['serve'] {
  return (request) =>
    respondWith(parts, request, async (endpointRequest, hold) => {
      const principal = await request.identify();
      const occupies = occupiesSlot(request) ? principal : {};
      const slot = hold(await admitEndpointRequest(parts, principal, request.address, occupies));
      const stopWatching = watchRights(parts, { ...request, principal });
      return handle(principal, endpointRequest, slot).finally(stopWatching);
    });
}

/** Serves a request that is only limited by its client address. */
export function createPublicHandler(
  parts: RouteParts,
  show: (request: TaskEndpointRequest) => Promise<string | undefined>,
): GatewayRoute['serve'] {
  return (request) =>
    respondWith(parts, request, async (endpointRequest, hold) => {
      hold(await admitAddress(parts, request.address));
      return show(endpointRequest);
    });
}

type TrackSlot = (slot: ConcurrencySlot) => ConcurrencySlot;

async function respondWith(
  parts: RouteParts,
  request: RouteRequest,
  work: (request: TaskEndpointRequest, hold: TrackSlot) => Promise<string | undefined>,
): Promise<void> {
  const { client, message } = request;
  let slot: ConcurrencySlot | undefined;
  const hold: TrackSlot = (taken) => {
    slot = taken;
    return taken;
  };
  try {
    const json = await work({ ...request, site: parts.siteOf(message) }, hold);
    if (client.stopReason !== undefined) throw client.stopReason;
    if (json === undefined) return;
    slot?.growTo(Buffer.byteLength(json));
    client.send(200, 'application/json; charset=utf-8', json);
  } catch (error) {
    // A started byte stream cannot contain an error.
    if (client.hasSentHead) client.disconnect();
    else sendError(parts.log, request, error);
  } finally {
    slot?.release(client, 'memory and count');
  }
}
