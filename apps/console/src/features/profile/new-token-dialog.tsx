import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useServerAddress } from '../site/queries.ts';

export function NewTokenDialog({ token, onClose }: { token: string | undefined; onClose: () => void }) {
  const { t } = useTranslation(['profile', 'common']);
  const titleId = useId();
  const address = useServerAddress();
  return (
    <Dialog open={token !== undefined} onClose={onClose} aria-labelledby={titleId} maxWidth="sm" fullWidth>
      <DialogTitle id={titleId}>{t('newTokenTitle')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        <Alert severity="warning">{t('newTokenText')}</Alert>
        {token !== undefined && (
          <>
            <CodeBlock code={token} label={t('section.token')} />
            <CodeBlock code={`curl ${address}/api/user/self \\\n  -H "Authorization: Bearer ${token}"`} />
          </>
        )}
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          {t('common:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
