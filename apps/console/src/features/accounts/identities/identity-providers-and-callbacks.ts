import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import type { Self } from '@switchyard/contract/accounts/profile';
import type { ErrorCode } from '@switchyard/contract/errors';
import { ApiError } from '@switchyard/contract/http-exchange';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { useSite } from '../../site/site/queries.ts';
import { currentUserQuery } from '../session/queries.ts';

/** Returns a function that gives an identity provider's name in the user's language. */
export function useProviderName(): (provider: IdentityProvider) => string {
  const { t } = useTranslation('identities');
  return (provider) => (provider === 'github' ? 'GitHub' : t(`provider.${provider}`));
}

const providers = ['github', 'wechat', 'lark', 'oidc'] as const satisfies readonly IdentityProvider[];
const flags = { github: 'github_oauth', wechat: 'wechat_login', lark: 'lark_login', oidc: 'oidc_auth' } as const;

/** Returns the identity providers that the operator has enabled. */
export function useOfferedProviders(): readonly IdentityProvider[] {
  const site = useSite();
  return providers.filter((provider) => site?.[flags[provider]] === true);
}

/** Error codes with a special meaning between an identity provider and an account. */
const own = ['switched-off', 'link-expired', 'already-exists', 'conflict'] as const satisfies readonly ErrorCode[];

/** Returns a function that explains why a sign-in or the linking of an identity was refused. */
export function useProviderErrorText(): (provider: IdentityProvider, error: unknown) => string {
  const { t } = useTranslation('identities');
  const sentence = useErrorText();
  const nameOf = useProviderName();
  return (provider, error) => {
    const code = error instanceof ApiError ? own.find((one) => one === error.code) : undefined;
    return code === undefined ? sentence(error) : t(`refused.${code}`, { name: nameOf(provider) });
  };
}

/**
 * Returns handlers that finish a sign-in or the linking of an identity, or continue with the second factor.
 */
export function useIdentityCallbacks() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const nameOf = useProviderName();
  const { t } = useTranslation('identities');
  return {
    arrive: async (provider: IdentityProvider, self: Self | null) => {
      if (self !== null) client.setQueryData(currentUserQuery.queryKey, self);
      notify('success', t(self === null ? 'bound' : 'signedIn', { name: nameOf(provider) }));
      await navigate({ href: '/panel', replace: true });
    },
    /** @returns whether the sign-in continues with the second factor */
    goesOn: async (error: unknown): Promise<boolean> => {
      if (!(error instanceof ApiError) || error.code !== 'second-factor-required') return false;
      await navigate({ to: paths.signIn, search: { step: 'second' }, replace: true });
      return true;
    },
  };
}
