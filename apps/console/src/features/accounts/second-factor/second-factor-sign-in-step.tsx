import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { ApiError } from '@switchyard/contract/http-exchange';
import { IconFingerprint } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { browserHasPasskeys, usePasskeySignIn } from '../passkeys/queries.ts';
import { pendingSignInQuery, useFinishSignIn } from './queries.ts';
import { CodeFields, useCodeEntry } from './second-factor-code-field.tsx';

interface SecondStepProps {
  /** Callback after the sign-in. */
  onDone?: () => void;
  /**
   * Callback that returns to the first step on the user's request or after the pending sign-in has expired.
   */
  onStartAgain: (why: 'wanted' | 'expired') => void;
}

/** Shows the second step of a sign-in with the account's methods: code, recovery code or passkey. */
export function SecondStep({ onDone, onStartAgain }: SecondStepProps) {
  const { t } = useTranslation('second-factor');
  const { data: ways, error, refetch } = useQuery(pendingSignInQuery);
  const over = ways?.code === false && !ways.passkey;
  useEffect(() => {
    if (over) onStartAgain('expired');
  }, [over, onStartAgain]);
  if (ways === undefined || over) return <PendingPanel error={error} refetch={refetch} height={160} />;
  const passkey = ways.passkey && browserHasPasskeys();
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      {ways.code && <CodeStep onDone={onDone} onExpired={() => onStartAgain('expired')} />}
      {passkey && <PasskeyStep onDone={onDone} />}
      {!ways.code && !passkey && <Typography>{t('noPasskeysHere')}</Typography>}
      <Button color="inherit" onClick={() => onStartAgain('wanted')}>
        {t('startAgain')}
      </Button>
    </Box>
  );
}

type Done = (() => void) | undefined;

function CodeStep({ onDone, onExpired }: { onDone: Done; onExpired: () => void }) {
  const { t } = useTranslation('second-factor');
  const { mutateAsync } = useFinishSignIn();
  const entry = useCodeEntry(async (code) => {
    try {
      await mutateAsync(code);
      onDone?.();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'link-expired') throw error;
      onExpired();
    }
  });
  return (
    <Box component="form" noValidate onSubmit={entry.submit} sx={{ display: 'grid', gap: 2 }}>
      <CodeFields entry={entry} recoverable />
      <Button type="submit" variant="contained" size="large" fullWidth disabled={!entry.ready} loading={entry.busy}>
        {t('signIn')}
      </Button>
    </Box>
  );
}

function PasskeyStep({ onDone }: { onDone: Done }) {
  const { t } = useTranslation('second-factor');
  const { mutate, isPending } = usePasskeySignIn(onDone);
  return (
    <Button
      variant="outlined"
      color="inherit"
      size="large"
      fullWidth
      startIcon={<IconFingerprint size={20} />}
      loading={isPending}
      onClick={() => mutate()}
    >
      {t('usePasskey')}
    </Button>
  );
}
