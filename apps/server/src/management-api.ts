/** The management API and the console's files, on Fastify. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiKeys } from '@switchyard/contract/api-keys';
import { channels } from '@switchyard/contract/channels';
import { dashboard } from '@switchyard/contract/dashboard';
import type { Envelope } from '@switchyard/contract/errors';
import { models } from '@switchyard/contract/models';
import { playground } from '@switchyard/contract/playground';
import { prices } from '@switchyard/contract/prices';
import { profile } from '@switchyard/contract/profile';
import type { Routes } from '@switchyard/contract/route';
import { setUp } from '@switchyard/contract/set-up';
import { settings } from '@switchyard/contract/settings';
import { signIn } from '@switchyard/contract/sign-in';
import { status } from '@switchyard/contract/status';
import { usageRecords } from '@switchyard/contract/usage-records';
import { userGroups } from '@switchyard/contract/user-groups';
import { users } from '@switchyard/contract/users';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Context } from './context.ts';
import { apiKeyRoutes } from './features/api-keys/routes.ts';
import { channelRoutes } from './features/channels/routes.ts';
import { dashboardRoutes } from './features/dashboard/routes.ts';
import { modelRoutes } from './features/models/routes.ts';
import { playgroundRoutes } from './features/playground/routes.ts';
import { priceRoutes } from './features/prices/routes.ts';
import { profileRoutes } from './features/profile/routes.ts';
import { identifyCaller } from './features/sessions/sessions.ts';
import { setUpRoutes } from './features/set-up/routes.ts';
import { settingRoutes } from './features/settings/routes.ts';
import { signInRoutes } from './features/sign-in/routes.ts';
import { statusRoutes } from './features/status/routes.ts';
import { usageRecordRoutes } from './features/usage-records/routes.ts';
import { userGroupRoutes } from './features/user-groups/routes.ts';
import { userRoutes } from './features/users/routes.ts';
import type { Gateway } from './gateway/gateway.ts';
import { AppError, statusOfError } from './platform/app-error.ts';
import type { ClientAddress } from './platform/client-address.ts';
import { serveConsole } from './platform/console-files.ts';
import { type Handlers, mount } from './platform/mount.ts';
import { newRequestId } from './platform/request-id.ts';

const BODY_MAX_BYTES = 1_048_576;

export interface ManagementApi {
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/** Every feature of the management API: its contract and its handlers. */
function features(ctx: Context, _gateway: Gateway) {
  const feature = <R extends Routes>(definitions: R, handlers: Handlers<R>) => ({
    definitions,
    handlers: handlers as Handlers<Routes>,
  });
  return [
    feature(apiKeys, apiKeyRoutes(ctx)),
    feature(settings, settingRoutes(ctx)),
    feature(channels, channelRoutes(ctx)),
    feature(models, modelRoutes(ctx)),
    feature(playground, playgroundRoutes(ctx)),
    feature(prices, priceRoutes(ctx)),
    feature(profile, profileRoutes(ctx)),
    feature(setUp, setUpRoutes(ctx)),
    feature(signIn, signInRoutes(ctx)),
    feature(status, statusRoutes(ctx)),
    feature(usageRecords, usageRecordRoutes(ctx)),
    feature(dashboard, dashboardRoutes(ctx)),
    feature(userGroups, userGroupRoutes(ctx)),
    feature(users, userRoutes(ctx)),
  ];
}

export async function buildManagementApi(
  ctx: Context,
  clientAddress: ClientAddress,
  gateway: Gateway,
): Promise<ManagementApi> {
  const app = Fastify({
    bodyLimit: BODY_MAX_BYTES,
    genReqId: newRequestId,
    // The longest name of a model, each of its characters written as `%XX`.
    routerOptions: { maxParamLength: 512 },
    forceCloseConnections: true,
  });
  app.removeContentTypeParser('text/plain');
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (request.url.startsWith('/api'))
      reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
  });
  app.setErrorHandler((error: FastifyError | AppError, request, reply) =>
    answerError(ctx, error, request, reply),
  );
  mountFeatures(app, ctx, clientAddress, gateway);
  await serveConsole(app);
  await app.ready();
  return { handle: (request, response) => app.routing(request, response), close: () => app.close() };
}

function mountFeatures(
  app: FastifyInstance,
  ctx: Context,
  clientAddress: ClientAddress,
  gateway: Gateway,
): void {
  const secure = (request: FastifyRequest) => clientAddress.isSecure(request.raw);
  const options = {
    secure,
    address: (request: FastifyRequest) => clientAddress.of(request.raw),
    identify: (request: FastifyRequest) => identifyCaller(ctx, request.headers, secure(request)),
    publicUrl: ctx.config.publicUrl,
  };
  for (const { definitions, handlers } of features(ctx, gateway)) mount(app, definitions, handlers, options);
}

function answerError(
  ctx: Context,
  error: FastifyError | AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = error instanceof AppError ? error : fromFastify(error);
  if (known.code === 'internal')
    ctx.log.error(
      { err: error, request_id: request.id, path: request.routeOptions.url },
      'a management call failed',
    );
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds);
  const envelope: Envelope<never> = {
    success: false,
    message: known.message,
    code: known.code,
    ...(known.fields === undefined ? {} : { fields: [...known.fields] }),
    request_id: request.id,
  };
  return reply.status(statusOfError[known.code]).send(envelope);
}

function fromFastify(error: FastifyError): AppError {
  if (error.statusCode === 413) return new AppError('too-large', 'The body is too large');
  if (error.statusCode === 415) return new AppError('invalid-input', 'The body must be JSON');
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new AppError('invalid-input', 'The request is not valid JSON over HTTP');
  return new AppError('internal', 'Something went wrong on the server', { cause: error });
}
