import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNotifyError } from '../feedback/use-error-text.ts';

export interface ConfirmQuestion {
  title: string;
  /** Description of what will be lost. */
  text: string;
  /** Label of the confirming button. */
  verb: string;
  /** Text that the user must type first, for deleting many rows. */
  typed?: string | undefined;
}

interface ConfirmDialogProps {
  open: boolean;
  question: ConfirmQuestion;
  onConfirm: () => Promise<unknown> | void;
  onClose: () => void;
}

export function ConfirmDialog({ open, onClose, ...rest }: ConfirmDialogProps) {
  const titleId = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth role="alertdialog">
      <Question titleId={titleId} onClose={onClose} {...rest} />
    </Dialog>
  );
}

/** Mounted for each opening, so that the typed text starts empty. */
function Question({ titleId, question, onConfirm, onClose }: Omit<ConfirmDialogProps, 'open'> & { titleId: string }) {
  const { t } = useTranslation();
  const notifyError = useNotifyError();
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
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
        <Button onClick={onClose} color="inherit">
          {t('cancel')}
        </Button>
        <Button
          type="submit"
          variant="contained"
          color="error"
          disabled={!ready}
          loading={busy}
          autoFocus={question.typed === undefined}
        >
          {question.verb}
        </Button>
      </DialogActions>
    </form>
  );
}

interface LeaveQuestionProps {
  open: boolean;
  onLeave: () => void;
  onStay: () => void;
}

/** Asks before unsaved changes are lost. */
export function LeaveConfirmation({ open, onLeave, onStay }: LeaveQuestionProps) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      open={open}
      question={{ title: t('form.leaveTitle'), text: t('form.leaveText'), verb: t('form.leave') }}
      onConfirm={onLeave}
      onClose={onStay}
    />
  );
}
