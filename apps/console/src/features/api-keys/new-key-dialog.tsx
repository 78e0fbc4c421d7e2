import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { clientSnippets } from '../../ui/client-snippets.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { SnippetTabs } from '../../ui/snippet-tabs.tsx';
import { useServerAddress } from '../site/queries.ts';
import { useExampleModel } from './use-example-model.ts';

/** The whole key after it was made or replaced, with a first call to paste. */
export function NewKeyDialog({ apiKey, onClose }: { apiKey: string | undefined; onClose: () => void }) {
  const { t } = useTranslation(['api-keys', 'common']);
  const titleId = useId();
  const address = useServerAddress();
  const model = useExampleModel();
  return (
    <Dialog open={apiKey !== undefined} onClose={onClose} aria-labelledby={titleId} maxWidth="sm" fullWidth>
      <DialogTitle id={titleId}>{t('newKeyTitle')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        <Alert severity="info">{t('newKeyText')}</Alert>
        {apiKey !== undefined && (
          <>
            <CodeBlock code={apiKey} label={t('theKey')} />
            <SnippetTabs label={t('snippets')} snippets={clientSnippets(address, apiKey, model)} />
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
