import type { RedirectingProvider } from '@switchyard/contract/accounts/identities';
import { lazyRouteComponent } from '@tanstack/react-router';

const load = (provider: RedirectingProvider) =>
  lazyRouteComponent(async () => {
    const { OAuthCallbackPage } = await import('./oauth-callback-page.tsx');
    return { default: () => <OAuthCallbackPage provider={provider} /> };
  });

/** Pages to which the identity providers redirect. */
export const oauthCallbackRoutes = (['github', 'oidc', 'lark'] as const).map((provider) => ({
  path: `/oauth/${provider}`,
  component: load(provider),
}));
