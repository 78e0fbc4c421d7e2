/** The management API and the console's files, on Fastify. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Envelope } from '@switchyard/contract/errors';
import { type Features, features } from '@switchyard/contract/features';
import type { quote } from '@switchyard/contract/quote';
import type { Routes } from '@switchyard/contract/route';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Context } from './context.ts';
import { accessTokenRoutes } from './features/access-tokens/routes.ts';
import { alertRoutes } from './features/alerts/routes.ts';
import { analyticsRoutes } from './features/analytics/routes.ts';
import { apiKeyRoutes } from './features/api-keys/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { catalogueRoutes } from './features/catalogue/routes.ts';
import { channelKeyRoutes } from './features/channel-keys/routes.ts';
import { channelTestRoutes } from './features/channel-tests/routes.ts';
import { channelEditRoutes } from './features/channels/edit-routes.ts';
import { channelRoutes } from './features/channels/routes.ts';
import { contentSafetyRoutes } from './features/content-safety/routes.ts';
import { dashboardRoutes } from './features/dashboard/routes.ts';
import { identityRoutes } from './features/identities/routes.ts';
import { impersonationRoutes } from './features/impersonation/routes.ts';
import { invitationRoutes } from './features/invitations/routes.ts';
import { loadRoutes } from './features/load/routes.ts';
import { mailRoutes } from './features/mail/routes.ts';
import { modelDetailRoutes } from './features/model-details/routes.ts';
import { modelOwnerRoutes } from './features/model-owners/routes.ts';
import { modelRoutes } from './features/models/routes.ts';
import { moneyOverviewRoutes } from './features/money-overview/routes.ts';
import { noticeRoutes } from './features/notices/routes.ts';
import { serveNotices } from './features/orders/notice-route.ts';
import { orderRoutes } from './features/orders/routes.ts';
import { passkeyRoutes } from './features/passkeys/routes.ts';
import { playgroundRoutes } from './features/playground/routes.ts';
import { priceRoutes } from './features/prices/routes.ts';
import { processorRoutes } from './features/processors/routes.ts';
import { profileRoutes } from './features/profile/routes.ts';
import { redemptionCodeRoutes } from './features/redemption-codes/routes.ts';
import { secondFactorRoutes } from './features/second-factor/routes.ts';
import { secretRoutes } from './features/secrets/routes.ts';
import { serviceTestRoutes } from './features/service-tests/routes.ts';
import { identifyCaller } from './features/sessions/sessions.ts';
import { setUpRoutes } from './features/set-up/routes.ts';
import { settingRoutes } from './features/settings/routes.ts';
import { signInRoutes } from './features/sign-in/routes.ts';
import { signUpRoutes } from './features/sign-up/routes.ts';
import { staffRoleRoutes } from './features/staff-roles/routes.ts';
import { statementRoutes } from './features/statements/routes.ts';
import { statusRoutes } from './features/status/routes.ts';
import { systemInfoRoutes } from './features/system-info/routes.ts';
import { taskRoutes } from './features/tasks/routes.ts';
import { telegramRoutes } from './features/telegram/routes.ts';
import { serveTelegram } from './features/telegram/telegram.ts';
import { usageRecordRoutes } from './features/usage-records/routes.ts';
import { userDetailRoutes } from './features/user-details/routes.ts';
import { userGroupRoutes } from './features/user-groups/routes.ts';
import { userRoutes } from './features/users/routes.ts';
import { unavailableWhenStorageFails } from './ledger/ledger.ts';
import { type MetricsPage, serveMetrics } from './metrics/serve-metrics.ts';
import { watchRequests } from './metrics/watch-requests.ts';
import { AppError, statusOfError } from './platform/app-error.ts';
import type { ClientAddress } from './platform/client-address.ts';
import { serveConsole } from './platform/console-files.ts';
import { serveCustomPages } from './platform/custom-pages.ts';
import { createLanes } from './platform/lanes.ts';
import { type Handlers, mount } from './platform/mount.ts';
import { describeApi } from './platform/open-api.ts';
import { newRequestId } from './platform/request-id.ts';
import { version } from './platform/version.ts';
import { serveManifest } from './platform/web-manifest.ts';

const BODY_MAX_BYTES = 1_048_576;
/** Of one user: half of what a node has connections for on PostgreSQL. */
const READS_AT_ONCE = 3;
/** A list or a report that takes longer is given up, so that its turn is over by then. */
const READ_WAIT_MS = 20_000;

export interface ManagementApi {
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/** What only the gateway knows: what a relayed request would meet, and how many are on their way. */
interface GatewaySide {
  quoteRoutes: Handlers<typeof quote>;
  readonly running: number;
}

/** The handlers of every feature; one that is missing does not compile. */
function handlersOf(
  ctx: Context,
  gateway: GatewaySide,
): { readonly [K in keyof Features]: Handlers<Features[K]> } {
  return {
    accessTokens: accessTokenRoutes(ctx),
    alerts: alertRoutes(ctx),
    analytics: analyticsRoutes(ctx),
    apiKeys: apiKeyRoutes(ctx),
    audit: auditRoutes(ctx),
    channelEdits: channelEditRoutes(ctx),
    catalogue: catalogueRoutes(ctx),
    channels: channelRoutes(ctx),
    channelKeys: channelKeyRoutes(ctx),
    channelTests: channelTestRoutes(ctx),
    contentSafety: contentSafetyRoutes(ctx),
    dashboard: dashboardRoutes(ctx),
    identities: identityRoutes(ctx),
    impersonation: impersonationRoutes(ctx),
    invitations: invitationRoutes(ctx),
    load: loadRoutes(ctx),
    mail: mailRoutes(ctx),
    modelDetails: modelDetailRoutes(ctx),
    modelOwners: modelOwnerRoutes(ctx),
    models: modelRoutes(ctx),
    notices: noticeRoutes(ctx),
    orders: orderRoutes(ctx),
    moneyOverview: moneyOverviewRoutes(ctx),
    passkeys: passkeyRoutes(ctx),
    playground: playgroundRoutes(ctx),
    prices: priceRoutes(ctx),
    processors: processorRoutes(ctx),
    profile: profileRoutes(ctx),
    quote: gateway.quoteRoutes,
    redemptionCodes: redemptionCodeRoutes(ctx),
    secondFactor: secondFactorRoutes(ctx),
    secrets: secretRoutes(ctx),
    serviceTests: serviceTestRoutes(ctx),
    setUp: setUpRoutes(ctx),
    settings: settingRoutes(ctx),
    signIn: signInRoutes(ctx),
    signUp: signUpRoutes(ctx),
    staffRoles: staffRoleRoutes(ctx),
    statements: statementRoutes(ctx),
    status: statusRoutes(ctx),
    systemInfo: systemInfoRoutes(ctx, gateway),
    tasks: taskRoutes(ctx),
    telegram: telegramRoutes(ctx),
    usageRecords: usageRecordRoutes(ctx),
    userDetails: userDetailRoutes(ctx),
    userGroups: userGroupRoutes(ctx),
    users: userRoutes(ctx),
  };
}

export async function buildManagementApi(
  ctx: Context,
  clientAddress: ClientAddress,
  gateway: GatewaySide,
  readMetrics: MetricsPage['read'],
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
    if (clientAddress.isSecure(request.raw)) reply.header('strict-transport-security', 'max-age=31536000');
    if (request.url.startsWith('/api'))
      reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
  });
  app.setErrorHandler((error: FastifyError | AppError, request, reply) =>
    answerError(ctx, error, request, reply),
  );
  watchRequests(app, ctx);
  serveMetrics(app, ctx, { read: readMetrics, addressOf: (request) => clientAddress.of(request.raw) });
  mountFeatures(app, ctx, clientAddress, handlersOf(ctx, gateway));
  serveTelegram(app, ctx);
  serveNotices(app, ctx, (request) => clientAddress.of(request.raw));
  serveCustomPages(app, (page) => (page === 'home' ? ctx.settings.homePage : ctx.settings.about));
  serveManifest(app, () => ctx.settings.systemName);
  await serveConsole(app, {
    usesTurnstile: () => ctx.settings.turnstileCheck,
    name: () => ctx.settings.systemName,
  });
  await app.ready();
  return { handle: (request, response) => app.routing(request, response), close: () => app.close() };
}

/** Made when it is first asked for: it takes longer than many a start. */
let apiDocument: string | undefined;

function mountFeatures(
  app: FastifyInstance,
  ctx: Context,
  clientAddress: ClientAddress,
  handlers: Readonly<Record<string, unknown>>,
): void {
  const secure = (request: FastifyRequest) => clientAddress.isSecure(request.raw);
  const options = {
    secure,
    fingerprint: (secret: string) => ctx.vault.fingerprint(secret),
    address: (request: FastifyRequest) => clientAddress.of(request.raw),
    identify: (request: FastifyRequest) => identifyCaller(ctx, request.headers, secure(request)),
    publicUrl: ctx.config.publicUrl,
    inLane: createLanes(READS_AT_ONCE, READ_WAIT_MS),
  };
  for (const [name, routes] of Object.entries<Routes>(features))
    mount(app, routes, handlers[name] as Handlers<Routes>, options);
  app.get('/api/openapi.json', (_request, reply) => {
    apiDocument ??= JSON.stringify(describeApi(features, version));
    return reply.type('application/json').send(apiDocument);
  });
}

function answerError(
  ctx: Context,
  error: FastifyError | AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = error instanceof AppError ? error : fromFastify(error);
  if (known !== error && known.cause !== undefined)
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
    ...(known.problem === undefined ? {} : { problem: known.problem }),
    request_id: request.id,
  };
  return reply.status(statusOfError[known.code]).send(envelope);
}

function fromFastify(error: FastifyError): AppError {
  if (error.statusCode === 413) return new AppError('too-large', 'The body is too large');
  if (error.statusCode === 415) return new AppError('invalid-input', 'The body must be JSON');
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new AppError('invalid-input', 'The request is not valid JSON over HTTP');
  const failure = unavailableWhenStorageFails(error);
  if (failure instanceof AppError) return failure;
  return new AppError('internal', 'Something went wrong on the server', { cause: error });
}
