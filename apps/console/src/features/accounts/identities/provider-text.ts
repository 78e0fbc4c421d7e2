import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import { useTranslation } from 'react-i18next';
import { useSite } from '../../site/site/queries.ts';

/** Returns a function that gives an identity provider's common name in the user's language. */
export function useProviderName(): (provider: IdentityProvider) => string {
  const { t } = useTranslation('identities');
  return (provider) => (provider === 'github' ? 'GitHub' : t(`provider.${provider}`));
}

const providers = ['github', 'wechat', 'lark', 'oidc'] as const satisfies readonly IdentityProvider[];
const flags = {
  github: 'github_oauth',
  wechat: 'wechat_login',
  lark: 'lark_login',
  oidc: 'oidc_auth',
} as const;

/** Those that the operator has switched on. */
export function useOfferedProviders(): readonly IdentityProvider[] {
  const site = useSite();
  return providers.filter((provider) => site?.[flags[provider]] === true);
}
