import Alert from '@mui/material/Alert';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { ReadingDialog } from '../../../ui/overlays/reading-dialog.tsx';
import { useServerAddress } from '../../site/site/queries.ts';

export function NewTokenDialog({ token, onClose }: { token: string | undefined; onClose: () => void }) {
  const { t } = useTranslation('access-tokens');
  const address = useServerAddress();
  return (
    <ReadingDialog open={token !== undefined} onClose={onClose} title={t('newTokenTitle')} maxWidth="sm">
      <Alert severity="warning">{t('newTokenText')}</Alert>
      {token !== undefined && (
        <>
          <CodeBlock code={token} label={t('theToken')} />
          <CodeBlock code={`curl ${address}/api/user/self \\\n  -H "Authorization: Bearer ${token}"`} />
        </>
      )}
    </ReadingDialog>
  );
}
