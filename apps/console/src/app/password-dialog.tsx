import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { confirmPassword } from '../features/session/queries.ts';
import { useErrorSentence } from '../ui/error-sentence.ts';

/** @param onClose with whether the server accepted the password */
export function PasswordDialog({ onClose }: { onClose: (confirmed: boolean) => void }) {
  const { t } = useTranslation();
  const sentence = useErrorSentence();
  const titleId = useId();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setBusy(true);
    try {
      await confirmPassword(password);
      onClose(true);
    } catch (error) {
      setProblem(sentence(error));
      setBusy(false);
    }
  };

  return (
    <Dialog open onClose={() => onClose(false)} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <form onSubmit={(event) => void submit(event)}>
        <DialogTitle id={titleId}>{t('stepUp.title')}</DialogTitle>
        <DialogContent>
          <DialogContentText variant="body1" sx={{ mb: 2 }}>
            {t('stepUp.text')}
          </DialogContentText>
          <TextField
            autoFocus
            type="password"
            autoComplete="current-password"
            label={t('stepUp.password')}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            error={problem !== ''}
            helperText={problem}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={() => onClose(false)} color="inherit">
            {t('cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={busy} disabled={password === ''}>
            {t('stepUp.confirm')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
