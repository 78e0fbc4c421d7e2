import { identityProvider } from '@switchyard/contract/accounts/identities';
import { useTranslation } from 'react-i18next';

const ways = ['password', 'passkey', 'set-up', 'impersonation'] as const;

/** Returns a function that names a sign-in method; a method unknown to this console keeps its own name. */
export function useSignInMethodName(): (method: string) => string {
  const { t } = useTranslation(['user-details', 'identities']);
  return (method) => {
    const way = ways.find((known) => known === method);
    if (way !== undefined) return t(`method.${way}`);
    const provider = identityProvider.safeParse(method).data;
    if (provider === undefined) return method;
    return provider === 'github' ? 'GitHub' : t(`identities:provider.${provider}`);
  };
}
