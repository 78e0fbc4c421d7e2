/**
 * Entry of the relay API: decides which requests belong to the relay, and what serves each of them. Uses `node:http`
 * directly, without a framework, for speed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { playgroundPaths } from '@switchyard/contract/playground/playground';
import type { quote } from '@switchyard/contract/playground/quote';
import type { RequestRoute } from '@switchyard/relay';
import { startBatches } from '../batches/batches.ts';
import type { Context } from '../context.ts';
import { type GatewayState, observeCommit } from '../operations/metrics/metrics.ts';
import type { ClientAddress } from '../platform/http/client-address.ts';
import type { Handlers } from '../platform/http/mount-routes.ts';
import { newRequestId } from '../platform/http/request-id.ts';
import { SlotList } from '../platform/slot-list.ts';
import { createBatchEndpoints } from './batches/file-and-batch-endpoints.ts';
import { prepareLine } from './batches/prepare-vendor-batch-line.ts';
import { createBatchExecution } from './batches/relay-batch-line.ts';
import { recordCharge } from './billing/request-telemetry.ts';
import { quoteRoutes } from './endpoints/quote.ts';
import { isArtifactPath } from './endpoints/send-artifact.ts';
import { type ClientResponse, createClientResponse } from './http/client-response.ts';
import { leaseLostError, RelayError } from './http/relay-error.ts';
import {
  describeUnknownPath,
  detectDialect,
  findDisabledDialect,
  isRelayPath,
  parsePath,
  parseQuery,
  resolveCountRoute,
  resolveRoute,
} from './http/relay-paths.ts';
import { createInvalidKeyLimit } from './limits/invalid-key-limit.ts';
import { checkFunds } from './pipeline/check-funds.ts';
import { createParts, type GatewayParts } from './pipeline/gateway-parts.ts';
import { createSendInternalRequest, type SendInternalRequest } from './pipeline/internal-request.ts';
import { relayRequest } from './pipeline/relay-request.ts';
import { sendError } from './pipeline/send-response.ts';
import { serveRealtime } from './realtime/realtime.ts';
import { createUpgradeResponse } from './realtime/realtime-handshake.ts';
import { createBackgroundResponses } from './responses-api/background-responses.ts';
import { createResponseEndpoints } from './responses-api/response-endpoints.ts';
import { createRoutes } from './route-table.ts';
import type { GatewayRoute, RequestTarget, RouteAccess } from './route-types-and-handlers.ts';
import {
  createAuthenticate,
  isChannelAdministrator,
  type KeyBearer,
  type Principal,
} from './snapshot/authenticate-api-key.ts';
import { createIdentifySession, type IdentifySession } from './snapshot/authenticate-session.ts';

export interface Gateway {
  serves(request: IncomingMessage): boolean;
  handle(message: IncomingMessage, response: ServerResponse): void;
  /** Returns whether an upgrade request is upgraded; any other is served as a plain request. */
  upgrades(request: IncomingMessage): boolean;
  upgrade(message: IncomingMessage, socket: Socket, head: Buffer): void;
  quoteRoutes: Handlers<typeof quote>;
  /** Routes that `handle` serves; realtime sessions begin in `upgrade`, with a key. */
  routes: readonly GatewayRoute[];
  /** Relay requests that occupy a concurrency slot. */
  readonly running: number;
  /** State of the gateway, for monitoring. */
  state: GatewayState;
  /** Stops starting background work. */
  drain(): void;
  /** Waits for running requests and background responses. */
  waitUntilSettled(): Promise<void>;
  /** Ends the running requests with an error, and charges what was delivered. */
  abortRunning(): void;
  close(): Promise<void>;
}

const REALTIME_PATH = '/v1/realtime';
/** Responses belong to one credential, so they must not be cached. */
const NO_STORE = 'no-store';
const CREDENTIALS = 'authorization, x-api-key, x-goog-api-key, mj-api-secret, cookie';
const playgroundRoutes = new Map<string, RequestRoute>([
  [playgroundPaths.text, { operation: 'chat', format: 'openai-chat' }],
  [playgroundPaths.pictures, { operation: 'images', format: 'openai-images' }],
  [playgroundPaths.speech, { operation: 'speech', format: 'openai-speech' }],
  [playgroundPaths.transcript, { operation: 'transcription', format: 'openai-transcription', form: 'only' }],
]);

export async function createGateway(ctx: Context, clientAddress: ClientAddress): Promise<Gateway> {
  const parts = await createParts(ctx, clientAddress);
  watchLedger(parts);
  const identifySession = createIdentifySession(ctx, parts.snapshot, clientAddress);

  const requests = trackRequests(parts.log);

  parts.ledger.onLeaseLost(() => requests.interrupt());

  const callInside = createInternalRelay(parts, requests);
  const background = await createBackgroundResponses(ctx, callInside, parts.pacedExecutor, (call) =>
    checkFunds(parts, { ...call, groups: call.acquired.caller.groups }),
  );
  const batches = startBatches(ctx, createBatchExecution(parts, callInside));
  const entrances = createRoutes(parts, {
    background,
    identifySession,
    batchEndpoints: createBatchEndpoints(ctx, parts, batches),
    responseEndpoints: createResponseEndpoints(ctx, parts, background),
  });
  const authenticate = createAuthenticate(ctx.vault, parts.snapshot, (caller) => isChannelAdministrator(parts, caller));
  const identify = createIdentifiers(ctx, { authenticate, identifySession, clientAddress });
  const handle = (message: IncomingMessage, response: ServerResponse, path: string): void => {
    const { method = '', url: address = '' } = message;
    if (method !== 'POST') response.setHeader('cache-control', NO_STORE).setHeader('vary', CREDENTIALS);
    const requestId = newRequestId();
    const client = createClientResponse(response, requestId);
    const request = parseTarget(method, path, address);
    const answering = { client, requestId, route: request.relayRoute ?? { format: detectDialect(path) } };
    const closed = findDisabledDialect(answering.route.format, parts.settings);
    if (closed !== undefined) {
      const message = `The ${closed} API is disabled on this gateway. Use another, or ask the operator to enable it.`;
      return void sendError(parts.log, answering, new RelayError('not_found', message));
    }
    const entrance = entrances.find((one) => one.serves(request));
    if (entrance === undefined)
      return void sendError(parts.log, answering, new RelayError('not_found', describeUnknownPath(method, path)));
    const format = entrance.errorDialect?.(message, path);
    const served = entrance.serve({
      ...request,
      ...answering,
      ...(format === undefined ? {} : { route: { format } }),
      message,
      response,
      query: parseQuery(address),
      address: clientAddress.getAddress(message),
      identify: () => identify[entrance.access](message),
    });
    requests.run(client, requestId, served);
  };

  const settled = async (): Promise<void> => {
    await requests.settled();
    await background.settled();
  };

  return {
    serves: ({ url = '', method = '' }) => {
      const path = parsePath(url);
      return isRelayPath(path) || playgroundRoutes.has(path) || isArtifactPath(method, path);
    },
    handle(message, response) {
      const path = parsePath(message.url ?? '');
      if (message.method === 'OPTIONS' && isRelayPath(path)) return answerPreflight(response);
      return handle(message, response, path);
    },
    upgrades: ({ url = '', headers }) =>
      parsePath(url) === REALTIME_PATH && headers.upgrade?.toLowerCase() === 'websocket',
    upgrade(message, socket, head) {
      const [requestId, address] = [newRequestId(), clientAddress.getAddress(message)];
      const client = createUpgradeResponse(message, socket, requestId);
      if (client === undefined) return;
      const identifyBearer = (bearer: KeyBearer) => identify.key(message, bearer);
      const inbound = { message, socket, head, client, identify: identifyBearer, requestId, address };
      requests.run(client, requestId, serveRealtime(parts, inbound));
    },
    quoteRoutes: quoteRoutes(parts),
    routes: entrances,
    get running() {
      return parts.concurrencyLimiter.inUse;
    },
    state: createState(parts, requests),
    drain: () => batches.stop(),
    abortRunning() {
      background.stop();
      requests.stop();
    },
    waitUntilSettled: settled,
    async close() {
      await batches.close();
      await settled();
      await closeParts(parts);
    },
  };
}

/** Returns the function that identifies the caller, for each kind of entry. */
function createIdentifiers(
  { clock }: Context,
  ways: {
    authenticate: (bearer: KeyBearer) => Principal;
    identifySession: IdentifySession;
    clientAddress: ClientAddress;
  },
) {
  const { authenticate, identifySession, clientAddress } = ways;
  const limitFailedKeys = createInvalidKeyLimit(clock);
  const limited = (message: IncomingMessage, identify: () => Principal | Promise<Principal>) =>
    limitFailedKeys(() => clientAddress.getAddress(message), identify);
  return {
    key: (message: IncomingMessage, bearer: KeyBearer = message) => limited(message, () => authenticate(bearer)),
    session: (message: IncomingMessage) =>
      limited(message, async () => (await identifySession(message, { method: 'POST', access: ['user'] })).principal),
    anyone: (_message: IncomingMessage): Principal => {
      throw new RelayError('server_error', 'This endpoint does not authenticate callers.');
    },
  } satisfies Record<RouteAccess, (message: IncomingMessage) => Principal | Promise<Principal>>;
}

/** @param address path and query */
function parseTarget(method: string, path: string, address: string): RequestTarget {
  const playgroundRoute = playgroundRoutes.get(path);
  const counted = resolveCountRoute(address);
  return {
    method,
    path,
    relayRoute: counted ?? playgroundRoute ?? resolveRoute(address),
    isCount: counted !== undefined,
    isPlayground: playgroundRoute !== undefined,
  };
}

function createState(
  { concurrencyLimiter, memory, snapshot }: GatewayParts,
  requests: ReturnType<typeof trackRequests>,
): GatewayState {
  return {
    get running() {
      return concurrencyLimiter.inUse;
    },
    get streams() {
      return requests.streams;
    },
    get memoryBytes() {
      return memory.usedBytes;
    },
    channels: () => snapshot.channels().map(({ id, target }) => ({ id, provider: target.provider.id })),
  };
}

function watchLedger(parts: GatewayParts): void {
  parts.ledger.observe({
    charged: (charge, record) => recordCharge(parts, charge, record),
    committed: (written, failed, ms) => observeCommit(parts.metrics, written, failed, ms),
  });
}

/** Relays the requests that the server itself makes for its users. */
function createInternalRelay(parts: GatewayParts, requests: ReturnType<typeof trackRequests>): SendInternalRequest {
  return createSendInternalRequest((message, response, call) => {
    const { requestId } = call;
    const client = createClientResponse(response, requestId);
    const route = resolveRoute(message.url ?? '');
    if (route === undefined) return void response.destroy();
    const serve = call.isPrepareOnly === true ? prepareLine : relayRequest;
    const work = serve(parts, { ...call, message, route, client });
    requests.run(client, requestId, work);
    return work;
  });
}

async function closeParts({ tasks, deadlines, tokens, pool, publicPool }: GatewayParts): Promise<void> {
  await tasks.close();
  deadlines.close();
  await tokens.close();
  await pool.close();
  await publicPool.close();
}

/** Tracks the running requests. */
function trackRequests(log: Context['log']) {
  const running = new SlotList<{ client: ClientResponse; done: Promise<void> }>();
  let stopped: RelayError | undefined;
  return {
    /**
     * Tracks work that reports its own failures to the client. If it rejects nevertheless, disconnects the client
     * instead of ending the process.
     */
    run(client: ClientResponse, requestId: string, work: Promise<void>): void {
      const done = work
        .catch((error: unknown) => {
          log.error({ err: error, request_id: requestId }, 'a relayed request could not be answered');
          client.disconnect();
        })
        .finally(() => running.remove(slot));
      const slot = running.add({ client, done });
      // The server's own requests can still begin during shutdown.
      if (stopped !== undefined) client.stop(stopped);
    },
    /** Number of running responses of which a client has received a part. */
    get streams() {
      return [...running].filter(({ client }) => client.isDelivering).length;
    },
    stop(): void {
      stopped ??= new RelayError('gateway_stopping', 'The gateway is shutting down. Retry in a moment.');
      for (const { client } of running) client.stop(stopped);
    },
    /** Stops the running requests, and continues to accept new ones. */
    interrupt(): void {
      for (const { client } of running) client.stop(leaseLostError);
    },
    async settled(): Promise<void> {
      await Promise.all([...running].map(({ done }) => done));
    },
  };
}

/** Allows any origin: keys are sent in explicit headers, never by the browser itself. */
function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
    'access-control-allow-headers': '*, authorization',
    'access-control-max-age': '86400',
  });
  response.end();
}
