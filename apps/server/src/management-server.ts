/** Serves management API routes on Fastify: identifies callers, formats errors and counts requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Envelope } from '@switchyard/contract/errors';
import { BODY_MAX_BYTES, type Routes } from '@switchyard/contract/route';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { identifyCaller, type SessionUse } from './accounts/authentication/authentication.ts';
import type { Context } from './context.ts';
import { createPacedExecutor, LONG_BYTES } from './gateway/limits/paced-executor.ts';
import { toUnavailable } from './ledger/ledger.ts';
import { auditFirst } from './operations/audit/audit.ts';
import { observeRequests } from './operations/metrics/observe-requests.ts';
import { systemTimers } from './platform/clock.ts';
import { AppError, errorStatuses } from './platform/http/app-error.ts';
import { cacheBytes, sendCachedBytes } from './platform/http/cached-public-responses.ts';
import { buildLimitKey, type Caller } from './platform/http/caller.ts';
import type { ClientAddress } from './platform/http/client-address.ts';
import { endStalledResponses } from './platform/http/connection-limit.ts';
import { type DeclaredRoute, isThrottledOutsideParty, trackRoutes } from './platform/http/declared-routes.ts';
import { limitJsonBodies } from './platform/http/json-body-limits.ts';
import {
  type Call,
  CONCURRENT_BODIES_MAX,
  CONCURRENT_READS_MAX,
  type Handlers,
  mountRoutes,
} from './platform/http/mount-routes.ts';
import { newRequestId } from './platform/http/request-id.ts';
import { createWriteLimit } from './platform/http/user-write-limit.ts';
import { createKeyedSemaphore } from './platform/limits/keyed-semaphore.ts';
import { createLocalLimit, toNetwork } from './platform/limits/rate-limit.ts';
import { isLocalResourceShortage } from './platform/outbound/system-resolver.ts';

const NO_DESCRIPTORS = 'The server has too many open connections. Try again in a moment';
/**
 * Milliseconds that a read waits for a slot. A query is aborted earlier; a client that reads slowly keeps its own
 * slot.
 */
const READ_WAIT_MS = 20_000;
/** Milliseconds that a long body waits for a slot, as long as another one may take to arrive. */
const BODY_WAIT_MS = 60_000;
/**
 * Limit per address without a session, and per user. An office behind one address can open the console some hundred
 * times in a minute; a user's screens make far fewer calls.
 */
const CALLS_PER_MINUTE = 1_200;
const MINUTE_MS = 60_000;
const CONTENT_TYPE_SHOWN = 80;
const REASON_SHOWN = 200;
/**
 * Milliseconds without progress after which a connection is closed, because the client is gone or makes the server
 * hold its response.
 */
const UNREAD_TIMEOUT_MS = 60_000;

export interface ManagementApi {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Every route that `handle` serves. */
  routes: readonly DeclaredRoute[];
  close(): Promise<void>;
}

export interface ManagementServer {
  /** The Fastify instance, to add routes that are not in the contract. */
  app: FastifyInstance;
  /** Serves a public document at a path. It is serialized again only when `text` returns another value. */
  serveDocument(path: string, text: () => string): void;
  /** Serves the routes of one feature. */
  serve<R extends Routes>(routes: R, handlers: Handlers<R>): void;
  /**
   * Resolves when the server accepts requests. Routes cannot be added afterwards.
   * @throws RangeError for a route that does not declare its permission
   */
  ready(): Promise<ManagementApi>;
}

export function createManagementServer(ctx: Context, clientAddress: ClientAddress): ManagementServer {
  const app = Fastify({
    bodyLimit: BODY_MAX_BYTES,
    genReqId: newRequestId,
    // The longest name of a model, with each character encoded as `%XX`.
    routerOptions: { maxParamLength: 512 },
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => void sendError(ctx, error, request, reply),
  });
  const declared = trackRoutes(app);
  app.removeContentTypeParser('text/plain');
  limitJsonBodies(app);
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (clientAddress.isSecure(request.raw)) reply.header('strict-transport-security', 'max-age=31536000');
    // Regardless of the path, which a client can spell in several ways: a route that may be cached says so itself.
    reply.header('x-content-type-options', 'nosniff');
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
  app.setErrorHandler((error: FastifyError | AppError, request, reply) => sendError(ctx, error, request, reply));
  observeRequests(app, ctx);
  endStalledResponses(app, UNREAD_TIMEOUT_MS);
  const secure = (request: FastifyRequest): boolean => clientAddress.isSecure(request.raw);
  const executor = createPacedExecutor(systemTimers);
  const options = {
    timers: ctx.clock,
    secure,
    fingerprint: (secret: string) => ctx.vault.fingerprint(secret),
    address: (request: FastifyRequest) => clientAddress.getAddress(request.raw),
    identify: (request: FastifyRequest, use?: SessionUse) => identifyCaller(ctx, request.headers, secure(request), use),
    publicUrl: ctx.config.publicUrl,
    countWrite: createWriteLimit(ctx),
    acquireReadSlot: createKeyedSemaphore(ctx.clock, CONCURRENT_READS_MAX, READ_WAIT_MS),
    acquireBodySlot: createKeyedSemaphore(ctx.clock, CONCURRENT_BODIES_MAX, BODY_WAIT_MS),
    runPaced: <T>(userId: number, length: number, work: () => T): T | Promise<T> =>
      length < LONG_BYTES ? executor.runShort(userId, work) : executor.run(userId, work),
    reportStreamError: (error: unknown, { id, routeOptions }: FastifyRequest) =>
      ctx.log.error({ err: error, request_id: id, path: routeOptions.url }, 'a file download was interrupted'),
    countCall: createCallLimit(ctx),
    audit: (call: Call, entry: Parameters<typeof auditFirst>[2]) => auditFirst(ctx, call, entry),
  };
  app.addHook('onRequest', async (request) => {
    const { entrance, isKnownFile } = request.routeOptions.config;
    const isUnknown = request.is404 || isKnownFile?.(request.url) === false;
    const caller = isUnknown ? await options.identify(request, 'check') : undefined;
    if (isUnknown || isThrottledOutsideParty(entrance?.access)) options.countCall(options.address(request), caller);
  });
  return {
    app,
    serveDocument(path, text) {
      const bytesOf = cacheBytes((document: string) => document);
      app.get(path, { config: { entrance: { access: 'anyone' } } }, async (request, reply) => {
        options.countCall(options.address(request));
        return sendCachedBytes(request, reply, bytesOf(text()));
      });
    },
    serve: (routes, handlers) => mountRoutes(app, routes, handlers, options),
    async ready() {
      await app.ready();
      return {
        handle: (request, response) => app.routing(request, response),
        routes: declared.list(),
        close: () => app.close(),
      };
    },
  };
}

/**
 * Limits the requests of a user, and of an address without a session, on this node. Staff are exempt, as from the limit
 * of writes, and so is root as a user.
 */
function createCallLimit(ctx: Context): (address: string, caller?: Caller) => void {
  const byAddress = createLocalLimit(ctx.clock, CALLS_PER_MINUTE, MINUTE_MS);
  const byUser = createLocalLimit(ctx.clock, CALLS_PER_MINUTE, MINUTE_MS);
  return (address, caller) => {
    if (caller !== undefined && (caller.role !== 'user' || caller.impersonator !== undefined)) return;
    const isKnown = caller !== undefined;
    if (isKnown ? byUser.tryConsume(buildLimitKey(caller)) : byAddress.tryConsume(toNetwork(address))) return;
    const [excess, advice] = isKnown
      ? ['requests came from your account', 'Retry in 60 seconds']
      : [`unauthenticated requests came from ${address}`, 'Retry in 60 seconds, or sign in'];
    throw new AppError('too-many-requests', `More than ${CALLS_PER_MINUTE} ${excess} within a minute. ${advice}.`, {
      retryAfterSeconds: MINUTE_MS / 1000,
    });
  };
}

function sendError(
  ctx: Context,
  error: FastifyError | AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = error instanceof AppError ? error : toAppError(error, request);
  if (known !== error && known.cause !== undefined)
    ctx.log.error({ err: error, request_id: request.id, path: request.routeOptions.url }, 'a management call failed');
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds);
  const envelope: Envelope<never> = {
    success: false,
    message: known.message,
    code: known.code,
    ...(known.fields === undefined ? {} : { fields: [...known.fields] }),
    ...(known.retryAfterSeconds === undefined ? {} : { retry_after: known.retryAfterSeconds }),
    ...(known.problem === undefined ? {} : { problem: known.problem }),
    request_id: request.id,
  };
  return reply.status(errorStatuses[known.code]).send(envelope);
}

function toAppError(error: FastifyError, { id, headers, routeOptions }: FastifyRequest): AppError {
  if (error.statusCode === 413)
    return new AppError('too-large', `The request body exceeds ${routeOptions.bodyLimit} bytes. Send less at once.`);
  if (error.statusCode === 415) {
    const type = (headers['content-type'] ?? '').slice(0, CONTENT_TYPE_SHOWN);
    return new AppError('invalid-input', `The content type is ${JSON.stringify(type)}. Send application/json.`);
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    // Messages of Fastify itself contain only what the client sent.
    const isSafe = error.code.startsWith('FST_');
    const reason = isSafe ? error.message.slice(0, REASON_SHOWN) : 'it is not HTTP with a JSON body';
    return new AppError('invalid-input', `The request is not valid: ${reason}`);
  }
  if (isLocalResourceShortage(error)) return new AppError('unavailable', NO_DESCRIPTORS, { cause: error });
  const failure = toUnavailable(error);
  if (failure instanceof AppError) return failure;
  const message = `The server failed because of an internal error. Send the request ID ${id} to the operator.`;
  return new AppError('internal', message, { cause: error });
}
