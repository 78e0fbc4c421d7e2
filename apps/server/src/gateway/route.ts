/**
 * Entrances of the relay's listener, as data: which requests an entrance serves, who may use it, and what serves it.
 * The gateway serves nothing that is not in its table (`route-table.ts`), so that no entrance exists without a
 * declaration.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DialectId, RequestRoute } from '@switchyard/relay';
import type { ClientAddress } from '../platform/http/client-address.ts';
import type { Log } from '../platform/log.ts';
import type { EndpointRequest, TaskEndpointRequest } from './endpoints/task-endpoint.ts';
import type { ConcurrencySlot } from './limits/concurrency-limiter.ts';
import { type AdmitAddressParts, admitAddress, admitEndpointRequest } from './pipeline/admit-address.ts';
import { sendError } from './pipeline/respond.ts';
import type { Principal } from './snapshot/authenticate.ts';

/** Parts of the gateway that the functions below need. */
export interface RouteParts extends AdmitAddressParts {
  siteOf: ClientAddress['getSiteOrigin'];
  log: Log;
}

/**
 * `key`: an API key that is enabled, has not expired and may be used from the address; limited by key, user and address.
 * `session`: the console's session, or an access token; limited by user and address.
 * `anyone`: whoever knows the address of an artifact or of a notice; limited by address.
 */
export type RouteAccess = 'key' | 'session' | 'anyone';

/** `spends`: costs points. `changes`: removes or cancels. `reads`: leaves everything as it is. */
export type RouteEffect = 'spends' | 'changes' | 'reads';

/** A request as its address tells it. */
export interface RequestTarget {
  method: string;
  /** Without query and slash at the end. */
  path: string;
  /** The relayed call, or the call whose tokens are to be counted, that the address names. */
  relayRoute: RequestRoute | undefined;
  isCount: boolean;
  isPlayground: boolean;
}

/** A request that an entrance serves. */
export interface RouteRequest extends EndpointRequest, RequestTarget {
  response: ServerResponse;
  /** Identifies the caller as the entrance declares. @throws RelayError */
  identify(): Principal | Promise<Principal>;
}

export interface GatewayRoute {
  name: string;
  access: RouteAccess;
  effect: RouteEffect;
  /** Requests that it serves, as `METHOD path`, for tests and documentation. */
  examples: readonly [string, ...string[]];
  serves(request: RequestTarget): boolean;
  /** Dialect of errors, where the path alone does not tell it. */
  errorDialect?(message: IncomingMessage, path: string): DialectId;
  /** Answers the client in every case; never rejects. */
  serve(asked: RouteRequest): Promise<void>;
}

type HandleEndpoint = (
  principal: Principal,
  lookup: TaskEndpointRequest,
  slot: ConcurrencySlot,
) => Promise<string | undefined>;

/** Serves a look-up with a key: identifies and admits the caller, and sends the JSON that `lookUp` returns. */
export function createEndpointHandler(
  parts: RouteParts,
  lookUp: HandleEndpoint,
  occupiesSlot: (asked: RouteRequest) => boolean,
): GatewayRoute['serve'] {
  return (asked) =>
    respondWith(parts, asked, async (lookup, hold) => {
      const principal = await asked.identify();
      const occupies = occupiesSlot(asked) ? principal : {};
      const slot = hold(await admitEndpointRequest(parts, principal, asked.address, occupies));
      return lookUp(principal, lookup, slot);
    });
}

/** Serves what is limited by the address of the client alone. */
export function createPublicHandler(
  parts: RouteParts,
  show: (lookup: TaskEndpointRequest) => Promise<string | undefined>,
): GatewayRoute['serve'] {
  return (asked) =>
    respondWith(parts, asked, async (lookup, hold) => {
      hold(await admitAddress(parts, asked.address));
      return show(lookup);
    });
}

type TrackSlot = (slot: ConcurrencySlot) => ConcurrencySlot;

async function respondWith(
  parts: RouteParts,
  asked: RouteRequest,
  work: (lookup: TaskEndpointRequest, hold: TrackSlot) => Promise<string | undefined>,
): Promise<void> {
  const { client, message } = asked;
  let slot: ConcurrencySlot | undefined;
  const hold: TrackSlot = (taken) => {
    slot = taken;
    return taken;
  };
  try {
    const json = await work({ ...asked, site: parts.siteOf(message) }, hold);
    if (json !== undefined) client.send(200, 'application/json; charset=utf-8', json);
  } catch (error) {
    // Among bytes that have begun, nothing can be said.
    if (client.hasSentHead) client.disconnect();
    else sendError(parts.log, asked, error);
  } finally {
    slot?.release();
  }
}
