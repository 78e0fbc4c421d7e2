import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import { IconBrandGithub, IconBrandWechat, IconFeather, IconIdBadge2 } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useIdentityCallbacks, useOfferedProviders, useProviderName } from './identity-providers-and-callbacks.ts';
import { redirectToProvider, signInWithWechat, startWechatSignIn } from './queries.ts';

const WechatDialog = lazy(() => import('./wechat-dialog.tsx').then(({ WechatDialog }) => ({ default: WechatDialog })));

/** Shows a button for each identity provider that the operator has enabled. */
export function IdentityButtons() {
  const offered = useOfferedProviders();
  return offered.length === 0 ? null : <Buttons offered={offered} />;
}

function Buttons({ offered }: { offered: readonly IdentityProvider[] }) {
  const { t } = useTranslation('identities');
  const nameOf = useProviderName();
  const { busy, begin, typing, stopTyping } = useStartIdentitySignIn();
  const { arrive, goesOn } = useIdentityCallbacks();
  const signIn = async (code: string) => {
    try {
      await arrive('wechat', await signInWithWechat(code));
    } catch (error) {
      if (!(await goesOn(error))) throw error;
      stopTyping();
    }
  };
  return (
    <Box sx={{ display: 'grid', gap: 1 }}>
      {offered.map((provider) => (
        <Button
          key={provider}
          variant="outlined"
          color="inherit"
          fullWidth
          startIcon={<ProviderIcon provider={provider} />}
          loading={busy === provider}
          loadingPosition="start"
          onClick={() => begin(provider)}
        >
          {t('signInWith', { name: nameOf(provider) })}
        </Button>
      ))}
      <Divider sx={{ mt: 1, color: 'text.secondary', fontSize: '0.8125rem' }}>{t('or')}</Divider>
      {typing && (
        <Suspense fallback={null}>
          <WechatDialog verb={t('signIn')} onCode={signIn} onClose={stopTyping} />
        </Suspense>
      )}
    </Box>
  );
}

/** Lark and OpenID Connect providers have generic icons. */
const icons = { github: IconBrandGithub, wechat: IconBrandWechat, lark: IconFeather, oidc: IconIdBadge2 };

export function ProviderIcon({ provider }: { provider: IdentityProvider }) {
  const Icon = icons[provider];
  return <Icon size={20} stroke={1.5} aria-hidden />;
}

/** Starts a sign-in or the linking of an identity by a redirect, or by the dialog for a WeChat code. */
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
