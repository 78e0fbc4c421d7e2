import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IdentityButtons } from '../../features/accounts/identities/identity-provider-buttons.tsx';
import { PasskeyButton } from '../../features/accounts/passkeys/passkey-sign-in-button.tsx';
import { useCurrentUser } from '../../features/accounts/session/queries.ts';
import { SignInForm } from '../../features/accounts/sign-in/sign-in-form.tsx';
import { useSite, useSystemName } from '../../features/site/site/queries.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/display/link.tsx';
import { useSearchParams, useSetSearchParams } from '../../ui/filters/search-params.ts';
import { SignInCard } from '../../ui/layout/sign-in-card.tsx';

// Loaded on demand: few visitors need it, and it imports the schema library.
const SecondStep = lazy(() =>
  import('../../features/accounts/second-factor/second-factor-sign-in-step.tsx').then(({ SecondStep }) => ({
    default: SecondStep,
  })),
);

/** Shows every sign-in method. An identity provider's redirect leads to the second step by its URL. */
export function SignInPage() {
  const { t } = useTranslation('sign-in');
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
    <SignInCard title={t(second ? 'secondTitle' : 'title')} subtitle={useSystemName()}>
      {second ? (
        <Suspense fallback={null}>
          <SecondStep onStartAgain={startAgain} />
        </Suspense>
      ) : (
        <Box sx={{ display: 'grid', gap: 2 }}>
          {expired && <Typography role="alert">{t('expired')}</Typography>}
          <IdentityButtons />
          <SignInForm onSecondStep={goOn} />
          <PasskeyButton />
          <OtherScreens />
        </Box>
      )}
    </SignInCard>
  );
}

function OtherScreens() {
  const { t } = useTranslation('sign-in');
  const site = useSite();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', fontSize: '0.8125rem' }}>
      {site?.password_reset === true && <Link to={paths.askReset}>{t('forgotten')}</Link>}
      {site?.register_enabled === true && <Link to={paths.register}>{t('register')}</Link>}
    </Box>
  );
}

/** Navigates to the requested path after sign-in; only inside the panel, to prevent open redirects. */
function useGoOnWhenSignedIn() {
  const signedIn = useCurrentUser() !== null;
  const navigate = useNavigate();
  const next = useSearchParams()['next'] ?? '';
  useEffect(() => {
    if (!signedIn) return;
    const target = next.startsWith('/panel/') ? next : '/panel';
    void navigate({ href: target, replace: true });
  }, [signedIn, next, navigate]);
}
