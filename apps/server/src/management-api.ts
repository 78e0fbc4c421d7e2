/** Serves the management API and the console's files, on Fastify. */
import { type Features, features } from '@switchyard/contract/all-feature-routes';
import type { quote } from '@switchyard/contract/playground/quote';
import type { Routes } from '@switchyard/contract/route';
import { accessTokenRoutes } from './accounts/access-tokens/routes.ts';
import { apiKeyRoutes } from './accounts/api-keys/routes.ts';
import { identityRoutes } from './accounts/identities/routes.ts';
import { impersonationRoutes } from './accounts/impersonation/routes.ts';
import { invitationRoutes } from './accounts/invitations/routes.ts';
import { passkeyRoutes } from './accounts/passkeys/routes.ts';
import { profileRoutes } from './accounts/profile/routes.ts';
import { secondFactorRoutes } from './accounts/second-factor/routes.ts';
import { setUpRoutes } from './accounts/set-up/routes.ts';
import { signInRoutes } from './accounts/sign-in/routes.ts';
import { signUpRoutes } from './accounts/sign-up/routes.ts';
import { staffRoleRoutes } from './accounts/staff-roles/routes.ts';
import { userDetailRoutes } from './accounts/user-details/routes.ts';
import { userGroupRoutes } from './accounts/user-groups/routes.ts';
import { userRoutes } from './accounts/users/routes.ts';
import { moneyOverviewRoutes } from './billing/money-overview/routes.ts';
import { orderRoutes } from './billing/orders/routes.ts';
import { serveWebhooks } from './billing/orders/webhooks.ts';
import { paymentProviderRoutes } from './billing/payment-providers/routes.ts';
import { redemptionCodeRoutes } from './billing/redemption-codes/routes.ts';
import { statementRoutes } from './billing/statements/routes.ts';
import { catalogueRoutes } from './catalog/catalog-updates/routes.ts';
import { modelDetailRoutes } from './catalog/model-details/routes.ts';
import { modelOwnerRoutes } from './catalog/model-owners/routes.ts';
import { modelRoutes } from './catalog/models/routes.ts';
import { priceRoutes } from './catalog/prices/routes.ts';
import { channelEditRoutes } from './channels/bulk-edit/edit-and-import-routes.ts';
import { channelTestRoutes } from './channels/channel-tests/routes.ts';
import { channelKeyRoutes, channelRoutes } from './channels/registry/routes.ts';
import type { Context } from './context.ts';
import { createManagementServer, type ManagementApi } from './management-server.ts';
import { auditRoutes } from './operations/audit/routes.ts';
import { bellRoutes } from './operations/bell/routes.ts';
import { contentSafetyRoutes } from './operations/content-safety/routes.ts';
import { secretRoutes } from './operations/data-keys/routes.ts';
import { loadRoutes } from './operations/load/routes.ts';
import { mailRoutes } from './operations/mail/routes.ts';
import { type MetricsEndpoint, serveMetrics } from './operations/metrics/prometheus-endpoint.ts';
import { notificationRoutes } from './operations/notifications/routes.ts';
import { serviceTestRoutes } from './operations/service-connection-tests/routes.ts';
import { settingRoutes } from './operations/settings/routes.ts';
import { statusRoutes } from './operations/site-info/routes.ts';
import { systemInfoRoutes } from './operations/system-info/routes.ts';
import { telegramRoutes } from './operations/telegram/routes.ts';
import { serveTelegram } from './operations/telegram/telegram.ts';
import type { ClientAddress } from './platform/http/client-address.ts';
import { serveConsole } from './platform/http/console-files.ts';
import { serveCustomPages, serveManifest } from './platform/http/custom-pages-and-manifest.ts';
import type { Handlers } from './platform/http/mount-routes.ts';
import { describeApi } from './platform/http/open-api.ts';
import { version } from './platform/version.ts';
import { playgroundRoutes } from './playground/routes.ts';
import { taskRoutes } from './tasks/routes.ts';
import { analyticsRoutes } from './usage/analytics/routes.ts';
import { dashboardRoutes } from './usage/dashboard/routes.ts';
import { usageRecordRoutes } from './usage/usage-records/routes.ts';

/** Data that only the gateway has: quotes of relayed requests, and the number of running ones. */
interface ManagedGateway {
  quoteRoutes: Handlers<typeof quote>;
  readonly running: number;
}

/** Returns the handlers of every feature. A missing one does not compile. */
function buildHandlers(
  ctx: Context,
  gateway: ManagedGateway,
): { readonly [K in keyof Features]: Handlers<Features[K]> } {
  return {
    accessTokens: accessTokenRoutes(ctx),
    alerts: notificationRoutes(ctx),
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
    notices: bellRoutes(ctx),
    orders: orderRoutes(ctx),
    moneyOverview: moneyOverviewRoutes(ctx),
    passkeys: passkeyRoutes(ctx),
    playground: playgroundRoutes(ctx),
    prices: priceRoutes(ctx),
    processors: paymentProviderRoutes(ctx),
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
  gateway: ManagedGateway,
  readMetrics: MetricsEndpoint['read'],
): Promise<ManagementApi> {
  const server = createManagementServer(ctx, clientAddress);
  const { app } = server;
  serveMetrics(app, ctx, { read: readMetrics, addressOf: (request) => clientAddress.getAddress(request.raw) });
  const handlers: Readonly<Record<string, unknown>> = buildHandlers(ctx, gateway);
  for (const [name, routes] of Object.entries<Routes>(features))
    server.serve(routes, handlers[name] as Handlers<Routes>);
  server.serveDocument('/api/openapi.json', () => {
    apiDocument ??= JSON.stringify(describeApi(features, version));
    return apiDocument;
  });
  serveTelegram(app, ctx);
  serveWebhooks(app, ctx, (request) => clientAddress.getAddress(request.raw));
  serveCustomPages(app, (page) => (page === 'home' ? ctx.settings.homePage : ctx.settings.about));
  serveManifest(app, () => ctx.settings.systemName);
  await serveConsole(app, { usesTurnstile: () => ctx.settings.turnstileCheck, name: () => ctx.settings.systemName });
  return server.ready();
}

/** Created on the first request, because it can take longer than the start. */
let apiDocument: string | undefined;
