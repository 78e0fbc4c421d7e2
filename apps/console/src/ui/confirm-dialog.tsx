import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNotifyError } from './use-notify-error.ts';

export interface ConfirmQuestion {
  title: string;
  /** What will be lost. */
  text: string;
  /** The verb on the button. */
  verb: string;
  /** Must be typed first; for deleting many at once. */
  typed?: string | undefined;
}

interface ConfirmDialogProps {
  open: boolean;
  question: ConfirmQuestion;
  onConfirm: () => Promise<unknown> | void;
  onClose: () => void;
}

export function ConfirmDialog({ open, question, onConfirm, onClose }: ConfirmDialogProps) {
  const { t } = useTranslation();
  const notifyError = useNotifyError();
  const titleId = useId();
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (open) setTyped('');
  }, [open]);
  const ready = question.typed === undefined || typed.trim() === question.typed;

  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog
      open={open}
      onClose={onClose}
      aria-labelledby={titleId}
      maxWidth="xs"
      fullWidth
      role="alertdialog"
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          if (ready && !busy) void confirm();
        }}
      >
        <DialogTitle id={titleId}>{question.title}</DialogTitle>
        <DialogContent>
          <DialogContentText variant="body1">{question.text}</DialogContentText>
          {question.typed !== undefined && (
            <TextField
              autoFocus
              sx={{ mt: 2 }}
              label={t('typeToConfirm', { text: question.typed })}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
            />
          )}
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" variant="contained" color="error" disabled={!ready} loading={busy}>
            {question.verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
