import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import { useState } from 'react';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { redirectToProvider, startWechatSignIn } from './queries.ts';

/** Begins signing in or binding: leaves for the provider, or opens the dialog for a WeChat code. */
export function useStartIdentitySignIn() {
  const notifyError = useNotifyError();
  const [busy, setBusy] = useState<IdentityProvider>();
  const [typing, setTyping] = useState(false);
  const begin = async (provider: IdentityProvider) => {
    setBusy(provider);
    try {
      if (provider === 'wechat') {
        await startWechatSignIn();
        setTyping(true);
      } else await redirectToProvider(provider);
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(undefined);
    }
  };
  return {
    busy,
    begin: (provider: IdentityProvider) => void begin(provider),
    typing,
    stopTyping: () => setTyping(false),
  };
}
