import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import Typography from '@mui/material/Typography';
import type { RedirectingProvider } from '@switchyard/contract/accounts/identities';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { useSearchParams } from '../../../ui/filters/search-params.ts';
import { useCurrentUser } from '../session/queries.ts';
import { useIdentityCallbacks, useProviderErrorText, useProviderName } from './identity-providers-and-callbacks.ts';
import { completeRedirect } from './queries.ts';

/** Receives an identity provider's redirect and submits its parameters once. */
export function OAuthCallbackPage({ provider }: { provider: RedirectingProvider }) {
  const { t } = useTranslation('identities');
  const name = useProviderName()(provider);
  const problem = useReturn(provider);
  const signedIn = useCurrentUser() !== null;
  return (
    <Box sx={{ flexGrow: 1, display: 'grid', placeItems: 'center', p: 2, pb: '12vh', textAlign: 'center' }}>
      {problem === undefined ? (
        <Box role="status" sx={{ display: 'grid', justifyItems: 'center', gap: 2 }}>
          <CircularProgress />
          <Typography>{t('return.waiting', { name })}</Typography>
        </Box>
      ) : (
        <Box role="alert" sx={{ display: 'grid', justifyItems: 'center', gap: 2, maxWidth: 480 }}>
          <Typography variant="h1">{t('return.failed', { name })}</Typography>
          <Typography sx={{ color: 'text.secondary' }}>{problem}</Typography>
          <LinkButton to={signedIn ? paths.profile : paths.signIn} variant="contained">
            {t(signedIn ? 'return.toProfile' : 'return.toSignIn')}
          </LinkButton>
        </Box>
      )}
    </Box>
  );
}

/** @returns the reason of a failure, once it is known */
function useReturn(provider: RedirectingProvider): string | undefined {
  const { t } = useTranslation('identities');
  const refusal = useProviderErrorText();
  const { arrive, goesOn } = useIdentityCallbacks();
  const { history } = useRouter();
  const [returned] = useState(useSearchParams());
  const [problem, setProblem] = useState<string>();
  const begun = useRef(false);

  const run = async () => {
    const { code = '', state = '', iss = '', error } = returned;
    if (code === '' || state === '') {
      setProblem(t(error === 'access_denied' ? 'return.declined' : 'return.incomplete'));
      return;
    }
    try {
      await arrive(provider, await completeRedirect(provider, { code, state, iss }));
    } catch (failure) {
      if (await goesOn(failure)) return;
      setProblem(refusal(provider, failure));
    }
  };
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    // The code and the state must not stay in the address bar or the history.
    history.replace(`/oauth/${provider}`);
    void run();
  });
  return problem;
}
