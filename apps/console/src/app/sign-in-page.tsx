import Box from '@mui/material/Box';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { IdentityButtons } from '../features/identities/identity-buttons.tsx';
import { useSelf } from '../features/session/queries.ts';
import { SignInForm } from '../features/sign-in/sign-in-form.tsx';
import { useSite, useSystemName } from '../features/site/queries.ts';
import { paths } from '../paths.ts';
import { EntryCard } from '../ui/entry-card.tsx';
import { Link } from '../ui/link.tsx';
import { useSearchParams } from '../ui/search-params.ts';

/** Every way in: other sites' accounts above the form, what needs no password below it. */
export function SignInPage() {
  const { t } = useTranslation('sign-in');
  useGoOnWhenSignedIn();
  return (
    <EntryCard title={t('title')} subtitle={useSystemName()}>
      <Box sx={{ display: 'grid', gap: 2 }}>
        <IdentityButtons />
        <SignInForm />
        <OtherScreens />
      </Box>
    </EntryCard>
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
