import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import OutlinedInput from '@mui/material/OutlinedInput';
import { TITLE_MAX } from '@switchyard/contract/playground/conversation';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';

interface TitleDialogProps {
  title: string;
  onSave: (title: string) => Promise<void>;
  onClose: () => void;
}

export function TitleDialog({ title, onSave, onClose }: TitleDialogProps) {
  const { t } = useTranslation(['playground', 'common']);
  const titleId = useId();
  const notifyError = useNotifyError();
  const [typed, setTyped] = useState(title);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await onSave(typed.trim());
      onClose();
    } catch (error) {
      notifyError(error);
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== '' && !busy) void save();
        }}
      >
        <DialogTitle id={titleId}>{t('rename')}</DialogTitle>
        <DialogContent>
          <OutlinedInput
            autoFocus
            fullWidth
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            inputProps={{ 'aria-label': t('conversationTitle'), maxLength: TITLE_MAX }}
          />
        </DialogContent>
        <DialogActions>
          <Button color="inherit" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" variant="contained" disabled={typed.trim() === ''} loading={busy}>
            {t('common:save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
