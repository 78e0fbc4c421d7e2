import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { ProviderIcon } from './provider-icon.tsx';
import { useOfferedProviders, useProviderName } from './provider-text.ts';
import { signInWithWechat, useIdentityCallbacks } from './queries.ts';
import { useStartIdentitySignIn } from './use-start-identity-sign-in.ts';

const WechatDialog = lazy(() =>
  import('./wechat-dialog.tsx').then(({ WechatDialog }) => ({ default: WechatDialog })),
);

/** Ways to sign in by an account elsewhere, above the others; nothing where the operator offers none. */
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
