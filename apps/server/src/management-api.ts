/** The management API and the console's files, on Fastify. */
import { type Features, features } from '@switchyard/contract/features';
import type { quote } from '@switchyard/contract/quote';
import type { Routes } from '@switchyard/contract/route';
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
import { createManagementServer, type ManagementApi } from './management-server.ts';
import { type MetricsPage, serveMetrics } from './metrics/serve-metrics.ts';
import type { ClientAddress } from './platform/client-address.ts';
import { serveConsole } from './platform/console-files.ts';
import { serveCustomPages } from './platform/custom-pages.ts';
import type { Handlers } from './platform/mount.ts';
import { describeApi } from './platform/open-api.ts';
import { version } from './platform/version.ts';
import { serveManifest } from './platform/web-manifest.ts';

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
  const server = createManagementServer(ctx, clientAddress);
  const { app } = server;
  serveMetrics(app, ctx, { read: readMetrics, addressOf: (request) => clientAddress.of(request.raw) });
  const handlers: Readonly<Record<string, unknown>> = handlersOf(ctx, gateway);
  for (const [name, routes] of Object.entries<Routes>(features))
    server.serve(routes, handlers[name] as Handlers<Routes>);
  server.serveDocument('/api/openapi.json', () => {
    apiDocument ??= JSON.stringify(describeApi(features, version));
    return apiDocument;
  });
  serveTelegram(app, ctx);
  serveNotices(app, ctx, (request) => clientAddress.of(request.raw));
  serveCustomPages(app, (page) => (page === 'home' ? ctx.settings.homePage : ctx.settings.about));
  serveManifest(app, () => ctx.settings.systemName);
  await serveConsole(app, {
    usesTurnstile: () => ctx.settings.turnstileCheck,
    name: () => ctx.settings.systemName,
  });
  return server.ready();
}

/** Made when it is first asked for: it takes longer than many a start. */
let apiDocument: string | undefined;
