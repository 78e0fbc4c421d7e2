import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import OutlinedInput from '@mui/material/OutlinedInput';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { isKnownPasskey, useAddPasskey } from './queries.ts';

const MOST = 64;

/** Asks for a name, then the browser makes the passkey. */
export function NewPasskeyDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const titleId = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <NewPasskeyForm titleId={titleId} onClose={onClose} />
    </Dialog>
  );
}

function NewPasskeyForm({ titleId, onClose }: { titleId: string; onClose: () => void }) {
  const { t } = useTranslation(['passkeys', 'common']);
  const notifyError = useNotifyError();
  const add = useAddPasskey();
  const [name, setName] = useState('');

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    try {
      if (!(await add.mutateAsync(name.trim()))) return;
      notify('success', t('addedNotice'));
      onClose();
    } catch (error) {
      if (isKnownPasskey(error)) notify('warning', t('known'));
      else notifyError(error);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <DialogTitle id={titleId}>{t('add')}</DialogTitle>
      <DialogContent>
        <DialogContentText variant="body1" sx={{ mb: 2 }}>
          {t('addText')}
        </DialogContentText>
        <FieldFrame label={t('name')} hint={t('nameHint')} error={undefined}>
          {({ id, describedBy }) => (
            <OutlinedInput
              id={id}
              fullWidth
              autoFocus
              autoComplete="off"
              value={name}
              onChange={({ target }) => setName(target.value)}
              inputProps={{ 'aria-describedby': describedBy, maxLength: MOST }}
            />
          )}
        </FieldFrame>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} color="inherit">
          {t('common:cancel')}
        </Button>
        <Button type="submit" variant="contained" loading={add.isPending}>
          {t('goOn')}
        </Button>
      </DialogActions>
    </form>
  );
}
