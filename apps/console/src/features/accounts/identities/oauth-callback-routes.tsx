import type { RedirectingProvider } from '@switchyard/contract/accounts/identities';
import { lazyRouteComponent } from '@tanstack/react-router';

const load = (provider: RedirectingProvider) =>
  lazyRouteComponent(async () => {
    const { ReturnPage } = await import('./oauth-callback-page.tsx');
    return { default: () => <ReturnPage provider={provider} /> };
  });

/** Pages to which the identity providers redirect. */
export const returnPages = (['github', 'oidc', 'lark'] as const).map((provider) => ({
  path: `/oauth/${provider}`,
  component: load(provider),
}));
