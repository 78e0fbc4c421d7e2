import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { leaveEndedSession, resumeSession } from '../../features/accounts/session/queries.ts';
import { paths } from '../../paths.ts';
import { useNotifyError } from '../../ui/feedback/use-error-text.ts';

/** Covers a form whose session has ended; the user signs in in another tab and then continues here. */
export function SessionEndedDialog() {
  const { t } = useTranslation('shell');
  const client = useQueryClient();
  const notifyError = useNotifyError();
  const titleId = useId();
  const [busy, setBusy] = useState(false);
  const [isStillOut, setStillOut] = useState(false);
  const goOn = async () => {
    setBusy(true);
    try {
      setStillOut(!(await resumeSession(client)));
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('sessionEnded.title')}</DialogTitle>
      <DialogContent>
        <DialogContentText variant="body1">{t('sessionEnded.text')}</DialogContentText>
        {isStillOut && (
          <Alert severity="warning" sx={{ mt: 2 }}>
            {t('sessionEnded.still')}
          </Alert>
        )}
      </DialogContent>
      <DialogActions>
        <Button color="inherit" onClick={() => leaveEndedSession(client)}>
          {t('sessionEnded.leave')}
        </Button>
        <Button variant="outlined" href={paths.signIn} target="_blank" rel="noopener">
          {t('sessionEnded.signIn')}
        </Button>
        <Button variant="contained" loading={busy} onClick={() => void goOn()}>
          {t('sessionEnded.goOn')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
