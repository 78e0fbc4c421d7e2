import Button from '@mui/material/Button';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSignOut } from '../../features/accounts/session/queries.ts';
import { paths } from '../../paths.ts';
import { useNotifyError } from '../../ui/feedback/use-notify-error.ts';

/** Asks accounts with neither password nor second factor to sign in again: a new sign-in is their only proof. */
export function SignInAgain({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['shell', 'common']);
  const { href } = useLocation();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const notifyError = useNotifyError();
  const [busy, setBusy] = useState(false);

  const leave = async () => {
    setBusy(true);
    try {
      await signOut(() => navigate({ to: paths.signIn, search: { next: href } }));
      onClose();
    } catch (error) {
      notifyError(error);
      setBusy(false);
    }
  };

  return (
    <>
      <DialogContent>
        <DialogContentText variant="body1">{t('confirmIdentity.signInAgain')}</DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} color="inherit">
          {t('common:cancel')}
        </Button>
        <Button variant="contained" loading={busy} onClick={() => void leave()}>
          {t('confirmIdentity.signInAgainVerb')}
        </Button>
      </DialogActions>
    </>
  );
}
