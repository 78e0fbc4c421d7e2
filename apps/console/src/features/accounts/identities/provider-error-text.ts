import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import { ApiError } from '@switchyard/contract/billing/exchange';
import type { ErrorCode } from '@switchyard/contract/errors';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { useProviderName } from './provider-text.ts';

/** Codes that mean something of their own between a provider and an account. */
const own = [
  'switched-off',
  'link-expired',
  'already-exists',
  'conflict',
] as const satisfies readonly ErrorCode[];

/** Why a sign-in or a binding was refused. */
export function useProviderErrorText(): (provider: IdentityProvider, error: unknown) => string {
  const { t } = useTranslation('identities');
  const sentence = useErrorText();
  const nameOf = useProviderName();
  return (provider, error) => {
    const code = error instanceof ApiError ? own.find((one) => one === error.code) : undefined;
    return code === undefined ? sentence(error) : t(`refused.${code}`, { name: nameOf(provider) });
  };
}
