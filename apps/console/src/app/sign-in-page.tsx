import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PasskeyButton } from '../features/passkeys/passkey-button.tsx';
import { useSelf } from '../features/session/queries.ts';
import { SignInForm } from '../features/sign-in/sign-in-form.tsx';
import { useSystemName } from '../features/site/queries.ts';
import { useSearchParams, useSetSearchParams } from '../ui/search-params.ts';

// Most who come here never see it, and it brings the schema library.
const SecondStep = lazy(() =>
  import('../features/second-factor/second-step.tsx').then(({ SecondStep }) => ({ default: SecondStep })),
);

/** Every way in. The second step is in the address, so that other sites' accounts can lead straight to it. */
export function SignInPage() {
  const { t } = useTranslation('sign-in');
  const name = useSystemName();
  const second = useSearchParams()['step'] === 'second';
  const setSearch = useSetSearchParams();
  const [expired, setExpired] = useState(false);
  useGoOnWhenSignedIn();
  const startAgain = useCallback(
    (why: 'wanted' | 'expired') => {
      setExpired(why === 'expired');
      setSearch({ step: undefined });
    },
    [setSearch],
  );
  const goOn = () => {
    setExpired(false);
    setSearch({ step: 'second' });
  };
  return (
    <Box sx={{ flexGrow: 1, display: 'grid', placeItems: 'center', p: 2, pb: '12vh' }}>
      <Paper
        variant="outlined"
        sx={{ width: '100%', maxWidth: 400, borderRadius: 1.5, p: { xs: 2.5, sm: 4 } }}
      >
        <Typography variant="h1">{t(second ? 'secondTitle' : 'title')}</Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary', mb: 3 }}>
          {name}
        </Typography>
        {second ? (
          <Suspense fallback={null}>
            <SecondStep onStartAgain={startAgain} />
          </Suspense>
        ) : (
          <Box sx={{ display: 'grid', gap: 2 }}>
            {expired && <Typography role="alert">{t('expired')}</Typography>}
            <SignInForm onSecondStep={goOn} />
            <PasskeyButton />
          </Box>
        )}
      </Paper>
    </Box>
  );
}

/** Back to where the visitor wanted to go; only to addresses inside the panel. */
function useGoOnWhenSignedIn() {
  const signedIn = useSelf() !== null;
  const navigate = useNavigate();
  const next = useSearchParams()['next'] ?? '';
  useEffect(() => {
    if (!signedIn) return;
    const target = next.startsWith('/panel/') ? next : '/panel';
    void navigate({ href: target, replace: true });
  }, [signedIn, next, navigate]);
}
