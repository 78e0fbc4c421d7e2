import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../ui/data-table/list-state.ts';
import { useNotifyError } from '../../ui/use-notify-error.ts';
import { type SyncMode, type SyncResult, useSyncPrices } from './queries.ts';

const modes = ['add', 'update'] as const satisfies readonly SyncMode[];

export function SyncDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const titleId = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <SyncQuestion titleId={titleId} onClose={onClose} />
    </Dialog>
  );
}

/** Mounted anew each time the dialog opens, so the outcome of the last time is gone. */
function SyncQuestion({ titleId, onClose }: { titleId: string; onClose: () => void }) {
  const { t } = useTranslation(['prices', 'common']);
  const notifyError = useNotifyError();
  const sync = useSyncPrices();
  const [mode, setMode] = useState<SyncMode>('add');
  const run = () => sync.mutate(mode, { onError: notifyError });
  return (
    <>
      <DialogTitle id={titleId}>{t('syncTitle')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2 }}>
        {sync.data === undefined ? (
          <RadioGroup
            aria-labelledby={titleId}
            value={mode}
            onChange={(_, chosen) => setMode(oneOf(chosen, modes) ?? 'add')}
            sx={{ gap: 1.5 }}
          >
            {modes.map((name) => (
              <FormControlLabel
                key={name}
                value={name}
                control={<Radio size="small" sx={{ py: 0 }} />}
                sx={{ alignItems: 'flex-start', mr: 0 }}
                label={
                  <>
                    <Typography sx={{ fontWeight: 500 }}>{t(`sync.${name}`)}</Typography>
                    <Typography variant="body2" sx={{ color: 'text.secondary' }}>
                      {t(`syncHint.${name}`)}
                    </Typography>
                  </>
                }
              />
            ))}
          </RadioGroup>
        ) : (
          <Outcome result={sync.data} />
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} color="inherit">
          {t(sync.data === undefined ? 'common:cancel' : 'common:close')}
        </Button>
        {sync.data === undefined && (
          <Button variant="contained" loading={sync.isPending} onClick={run}>
            {t('syncRun')}
          </Button>
        )}
      </DialogActions>
    </>
  );
}

function Outcome({ result: { added, changed } }: { result: SyncResult }) {
  const { t } = useTranslation('prices');
  const nothing = added === 0 && changed === 0;
  return (
    <Alert severity={nothing ? 'info' : 'success'}>
      {nothing
        ? t('upToDate')
        : `${t('addedCount', { count: added })} ${t('changedCount', { count: changed })}`}
    </Alert>
  );
}
