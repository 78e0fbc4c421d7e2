import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { StepUpCancelled } from '../../../ui/overlays/with-step-up.ts';
import { saveFile } from '../../../ui/table/csv-export.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { exportChannels } from '../bulk-edit/bulk-calls-and-undo.ts';
import { type ChannelTarget, useTargetChoice } from '../bulk-edit/bulk-target.tsx';
import { fileOf } from './channel-file-format.ts';

/** Exports channels as a JSON file; only root can include the secrets. */
export function ExportDialog({ target, onClose }: { target: ChannelTarget; onClose: () => void }) {
  const { t } = useTranslation(['channels', 'common']);
  const titleId = useId();
  const notifyError = useNotifyError();
  const maySecrets = useHasAccess('root');
  const { where, choice } = useTargetChoice(target);
  const [secrets, setSecrets] = useState(false);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const file = await exportChannels(where, secrets);
      saveFile('channels.json', fileOf(file), 'application/json');
      notify('success', t('edits.export.done', { count: file.channels.length }));
      onClose();
    } catch (error) {
      if (!(error instanceof StepUpCancelled)) notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('edits.export.title')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2 }}>
        {choice}
        {maySecrets && (
          <FormControlLabel
            control={<Switch checked={secrets} onChange={(_, checked) => setSecrets(checked)} />}
            label={t('edits.export.withSecrets')}
          />
        )}
        <Alert severity={secrets ? 'warning' : 'info'}>
          {t(secrets ? 'edits.export.secretsText' : 'edits.export.plainText')}
        </Alert>
      </DialogContent>
      <DialogActions>
        <Button color="inherit" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button variant="contained" loading={busy} onClick={() => void save()}>
          {t('edits.export.verb')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
